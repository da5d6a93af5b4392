"""What somebody wants to send, looked at the way Discord does."""

from __future__ import annotations

import mimetypes
import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from tests.fakes.discord import components, mentioning
from tests.fakes.discord.components import COMPONENTS_V2
from tests.fakes.discord.errors import ApiError, Problem
from tests.fakes.discord.messages import EPHEMERAL, SILENT, SUPPRESS_EMBEDS, Attachment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.fakes.discord.rest import Upload
    from tests.fakes.discord.state import State
    from tests.fakes.discord.world import Channel

MOST_CONTENT, MOST_FILES = 2_000, 10
SETTABLE = SUPPRESS_EMBEDS | SILENT | COMPONENTS_V2
EMBED = {"title": 256, "description": 4_096}
MOST_EMBEDS, MOST_EMBED_TEXT, MOST_FIELDS = 10, 6_000, 25
KNOWN_TYPES = {".md": "text/markdown; charset=utf-8", ".py": "text/x-python; charset=utf-8"}
_UNKEPT = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(slots=True, kw_only=True)
class Draft:
    """The parts of a message that was sent or changed and is in order."""

    fields: dict[str, Any] = field(default_factory=dict)
    """Fields of the message, by name."""
    allowed: dict[str, Any] | None = None


def draft(state: State, channel: Channel, body: Mapping[str, Any], files: Mapping[int, Upload]) -> Draft:
    """Return a new message. Raises `ApiError` when it must not be sent."""
    flags = int(body.get("flags") or 0) & (SETTABLE | EPHEMERAL)
    made = Draft(allowed=body.get("allowed_mentions"))
    made.fields = {
        "content": read_content(body.get("content")),
        "embeds": read_embeds(body.get("embeds")),
        "components": body.get("components") or [],
        "attachments": new_attachments(state, channel, body.get("attachments"), files),
        "flags": flags,
    }
    check(made.fields, made.allowed)
    return made


def check(fields: Mapping[str, Any], allowed: Any) -> None:
    """Raise `ApiError` when a message must not consist of these fields."""
    v2 = bool(fields["flags"] & COMPONENTS_V2)
    if v2 and (fields["content"] or fields["embeds"]):
        name = "content" if fields["content"] else "embeds"
        message = f"The '{name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2"
        raise Problem(name, "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", message)
    components.check(fields["components"], v2=v2)
    mentioning.check(allowed)
    parts = [
        fields["components"],
        *([] if v2 else [fields["content"], fields["embeds"], fields["attachments"]]),
    ]
    if not any(parts):
        raise ApiError(50006)


def read_content(content: Any) -> str:
    """Return the content as it is kept: white space around it is lost."""
    said = str(content or "").strip()
    if len(said) > MOST_CONTENT:
        raise Problem("content", "BASE_TYPE_MAX_LENGTH", f"Must be {MOST_CONTENT} or fewer in length.")
    return said


def read_embeds(embeds: Any) -> list[dict[str, Any]]:
    """Return embeds. Raises `Problem` when they are too many or too long."""
    made = [dict(one) | {"type": "rich"} for one in embeds or []]
    if len(made) > MOST_EMBEDS:
        raise Problem("embeds", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
    for number, one in enumerate(made):
        _check_embed(f"embeds.{number}", one)
    if sum(map(_embed_length, made)) > MOST_EMBED_TEXT:
        message = "Embed size exceeds maximum size of 6000"
        raise Problem("embeds", "MAX_EMBED_SIZE_EXCEEDED", message)
    return made


def new_attachments(
    state: State, channel: Channel, described: Any, files: Mapping[int, Upload]
) -> list[Attachment]:
    """Return the attachments that *files* become."""
    if len(files) > MOST_FILES:
        raise ApiError(30015)
    if any(len(one.content) > state.file_limit for one in files.values()):
        raise ApiError(40005)
    more = {str(one.get("id")): one for one in described or []}
    return [
        attach(
            state,
            channel,
            str(more.get(str(number), {}).get("filename") or one.name),
            one.content,
            description=more.get(str(number), {}).get("description"),
        )
        for number, one in files.items()
    ]


def attach(state: State, channel: Channel, name: str, content: bytes, **changes: Any) -> Attachment:
    """Return a new attachment; where Discord does not keep a name, it becomes the title."""
    path = PurePosixPath(name.rpartition("/")[2])
    kept = _UNKEPT.sub("", name.replace(" ", "_"))
    known: dict[str, Any] = {
        "filename": kept if kept.removesuffix(path.suffix).strip("_.") else f"unknown{path.suffix}",
        "content_type": _content_type(path.suffix),
        "title": None if kept == name else path.stem,
    }
    made = Attachment(id=state.snowflake(), channel=channel.id, content=content, **(known | changes))
    state.attachments[made.id] = made
    return made


def _content_type(suffix: str) -> str | None:
    kind = KNOWN_TYPES.get(suffix.lower()) or mimetypes.guess_type(f"x{suffix}")[0]
    return f"{kind}; charset=utf-8" if kind in {"text/plain", "text/csv", "text/html"} else kind


def _check_embed(place: str, one: Mapping[str, Any]) -> None:
    fields = one.get("fields") or []
    checks = [(name, one.get(name), most) for name, most in EMBED.items()]
    checks.append(("footer.text", (one.get("footer") or {}).get("text"), 2_048))
    checks.append(("author.name", (one.get("author") or {}).get("name"), 256))
    for number, each in enumerate(fields):
        checks.append((f"fields.{number}.name", each.get("name"), 256))
        checks.append((f"fields.{number}.value", each.get("value"), 1_024))
    for name, value, most in checks:
        if len((value or "").strip()) > most:
            raise Problem(f"{place}.{name}", "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")
    if len(fields) > MOST_FIELDS:
        raise Problem(f"{place}.fields", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")


def _embed_length(one: Mapping[str, Any]) -> int:
    texts = [one.get("title"), one.get("description")]
    texts += [(one.get("footer") or {}).get("text"), (one.get("author") or {}).get("name")]
    for each in one.get("fields") or []:
        texts += [each.get("name"), each.get("value")]
    return sum(len((text or "").strip()) for text in texts)
