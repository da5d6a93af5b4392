"""Slack's Web API in a dictionary, for tests that need no server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Answer = Mapping[str, Any] | Exception | Callable[[Mapping[str, Any]], Mapping[str, Any]]

FILES = "files.slack.com"
"""Where Slack keeps files."""


class FakeWeb:
    """A `Web` that gives the answers it is told to, one after the other; the last of a method stays."""

    def __init__(self, **answers: Answer | list[Answer]) -> None:
        """Name methods as keywords, with ``_`` for ``.``."""
        self._answers = {
            method.replace("_", "."): list(given) if isinstance(given, list) else [given]
            for method, given in answers.items()
        }
        self.calls: list[tuple[str, str, dict[str, Any]]] = []
        self.intermediate: list[bool] = []

    async def call(
        self, team: str, method: str, *, intermediate: bool = False, **arguments: Any
    ) -> Mapping[str, Any]:
        self.calls.append((team, method, arguments))
        self.intermediate.append(intermediate)
        answers = self._answers[method]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer(arguments) if callable(answer) else answer


def info(**fields: Any) -> dict[str, Any]:
    """Return what ``files.info`` says of a file that is shared in the channel C1."""
    file = {
        "id": "F1",
        "name": "plan.md",
        "title": "The plan",
        "mimetype": "text/markdown",
        "filetype": "markdown",
        "mode": "hosted",
        "is_external": False,
        "size": 12,
        "user": "U1",
        "created": 1_700_000_000,
        "url_private": f"https://{FILES}/files-pri/T1-F1/plan.md",
        "url_private_download": f"https://{FILES}/files-pri/T1-F1/download/plan.md",
        "permalink": "https://acme.slack.com/files/U1/F1/plan.md",
        "channels": ["C1"],
        "groups": [],
        "ims": [],
        "shares": {"public": {"C1": [{"ts": "1.1"}]}},
        **fields,
    }
    return {"ok": True, "file": {key: value for key, value in file.items() if value is not ...}}
