"""Taking documents back: which are meant, and who may."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat import Body
from bot.citations import file_name, literal
from bot.wording import counts, ingest_sentence, shared_names, uploaded
from pipeline.archives import files_of
from pipeline.domain import DocumentStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.records import Caller, Customs, Library
    from pipeline.domain import Document, Scope

EVERYTHING = "all"
NAMED = 5
"""Documents that a confirmation names; the rest is counted."""


class Forgetting:
    """Takes documents of a channel back for those who may."""

    def __init__(self, library: Library, customs: Customs) -> None:
        self._library = library
        self._customs = customs

    async def forget(self, scope: Scope, wanted: str, caller: Caller) -> Body:
        """Take back what *wanted* names: an id, ``all``, or a name, if one document only has it."""
        if not wanted:
            forms = ", ".join(self._customs.code(f"forget {what}") for what in ("ID", "NAME"))
            return Body(text=f"Say which document: {forms}, or {self._customs.code('forget all')}.")
        if wanted.lower() == EVERYTHING:
            return await self._forget_all(scope, caller)
        documents = await self._library.documents(scope)
        found = _matching(documents, wanted)
        if not found:
            lists = f"{self._customs.code('docs')} lists what it has."
            return Body(text=f"This channel has no document “{literal(wanted, 80)}”. {lists}")
        if len(found) > 1:
            lines = "\n".join(f"- {line}" for line in listed(found))
            return Body(text=f"Several documents have that name; say which by its id:\n\n{lines}")
        if not caller.may_forget(found[0]):
            return Body(text=self._refusal(file_name(found[0].display_name), caller))
        return await self._take_back(scope, found)

    async def _forget_all(self, scope: Scope, caller: Caller) -> Body:
        if not caller.manages:
            return Body(
                text=f"Everything at once can be taken back only by {self._customs.managers}. "
                f"Your own files you can take back one by one: {self._customs.code('forget ID')}."
            )
        documents = await self._library.forget_all(scope)
        if not documents:
            return Body(text="This channel has no documents, so there is nothing to forget.")
        return _forgotten(documents)

    async def _take_back(self, scope: Scope, documents: Sequence[Document]) -> Body:
        await self._library.forget(scope, [document.document_id for document in documents])
        return _forgotten(documents)

    def _refusal(self, name: str, caller: Caller) -> str:
        if caller.outside:
            return (
                f"Guests of this channel cannot take {name} back here. Whoever shared the file can delete it "
                f"in the chat, and then I forget it too; {self._customs.managers} can do it as well."
            )
        return f"{name} can be taken back only by whoever uploaded it or by {self._customs.managers}."


def _forgotten(documents: Sequence[Document]) -> Body:
    """Name what was taken back; the files of an archive are said with it, and not one by one."""
    inside = files_of(documents, {each.document_id for each in documents if each.files is not None})
    outer = [document for document in documents if document not in inside]
    names = ", ".join(_with_files(document) for document in outer[:NAMED])
    more = f" and {len(outer) - NAMED} more" if len(outer) > NAMED else ""
    return Body(text=f"Forgotten: {names}{more}.")


def _with_files(document: Document) -> str:
    name = file_name(document.display_name)
    # some may stand in the channel in another way too, and those stay
    return f"{name}, with the files that came in it alone" if document.files else name


def listed(documents: Sequence[Document], most: int | None = None) -> list[str]:
    """Return one line about each of *documents*, or of the last *most*; of equal names, with the time."""
    ambiguous = shared_names(documents)
    shown = documents if most is None else documents[-most:]
    return [describe(document, dated=document.display_name in ambiguous) for document in shown]


def describe(document: Document, *, dated: bool = False) -> str:
    """Return one line about a document: its name, how it stands, if *dated* its upload's time, and its id."""
    name = f"**{file_name(document.display_name)}**"
    when = f" · {uploaded(document)}" if dated else ""
    return f"{name} — {_state(document)}{when} · `{document.document_id}`"


def _state(document: Document) -> str:
    match document.status:
        case DocumentStatus.READY:
            return "; ".join(filter(None, [counts(document), document.message]))
        case DocumentStatus.FAILED:
            return f"not indexed: {literal(ingest_sentence(document.reason, document.message), 200)}"
        case _:
            why = literal(document.message, 200) if document.message else None
            return "; ".join(filter(None, [document.status.value, why]))


def _matching(documents: Sequence[Document], wanted: str) -> list[Document]:
    by_id = [document for document in documents if document.document_id == wanted.strip("`")]
    return by_id or [document for document in documents if document.display_name.lower() == wanted.lower()]
