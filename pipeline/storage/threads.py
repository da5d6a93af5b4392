"""What was said in each thread: the rolling summary, the turns, and what people thought of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import case, delete, func, or_, select, update
from sqlalchemy.exc import IntegrityError

from pipeline.conversation import Reason, Summary, Verdict
from pipeline.storage.schema import feedback, threads, turns
from pipeline.storage.sql import now
from pipeline.storage.turn import Feedback, TurnRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime

    from sqlalchemy import ColumnElement, Row, Select, Update
    from sqlalchemy.ext.asyncio import AsyncConnection

    from pipeline.domain import Scope
    from pipeline.storage.sql import Database


__all__ = ["ORIGINS", "RECALLED", "RECALLED_FROM", "Threads", "TurnRecord", "Verdict"]

RECALLED: Final = "recalled"
"""The key in a turn's response of the summary that it was answered in the light of."""
RECALLED_FROM: Final = "recalled_from"
"""The key in a turn's response of the ids of the documents which that summary came from."""
ORIGINS: Final = "origins"
"""The key in a turn's response of the ids of the documents that it came from, cited or not."""


class Threads:
    """The memory of conversations, by channel and thread.

    A summary's version only ever grows, over a reset too, so that a summary written for what was said
    before the reset cannot come back after it.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime] = now) -> None:
        self._database = database
        self._clock = clock

    async def summary(self, scope: Scope, thread: str) -> Summary:
        """Return the thread's summary; an empty one of version 0 where nothing was said."""
        query = select(threads.c.summary, threads.c.version, threads.c.documents).where(*_is(scope, thread))
        for row in await self._database.rows(query):
            return Summary(text=row.summary, version=row.version, documents=frozenset(row.documents or ()))
        return Summary()

    async def save_summary(
        self,
        scope: Scope,
        thread: str,
        text: str,
        *,
        expected_version: int,
        documents: Collection[str] | None = None,
    ) -> bool:
        """Replace the summary unless another has replaced it since *expected_version* was read.

        *documents* are those that the new one came from; None: the same as the one before.
        """
        origins = {} if documents is None else {"documents": sorted(documents)}
        async with self._database.write() as connection:
            if expected_version == 0:
                await self._thread_id(connection, scope, thread)
            saved = await connection.execute(
                update(threads)
                .where(*_is(scope, thread), threads.c.version == expected_version)
                .values(summary=text, version=threads.c.version + 1, **origins)
                .returning(threads.c.version)
            )
            return saved.first() is not None

    async def add_turn(self, scope: Scope, thread: str, turn: TurnRecord) -> int:
        """Append a turn to its thread and return its id."""
        async with self._database.write() as connection:
            added = await connection.execute(
                turns.insert()
                .values(
                    thread_id=await self._thread_id(connection, scope, thread),
                    question=turn.question,
                    answer=turn.answer,
                    reason=turn.reason,
                    response=dict(turn.response),
                    created_at=turn.created_at,
                    question_key=turn.question_key,
                )
                .returning(turns.c.id)
            )
            turn_id: int = added.scalar_one()
            return turn_id

    async def last_turn(self, scope: Scope, thread: str) -> TurnRecord | None:
        """Return the thread's latest turn."""
        found = await self.turns(scope, thread, 1)
        return found[0] if found else None

    async def turns(self, scope: Scope, thread: str, limit: int) -> list[TurnRecord]:
        """Return the thread's latest turns, at most *limit*, the oldest of them first."""
        latest = await self._find(_turns().where(*_is(scope, thread)).limit(limit))
        return latest[::-1]

    async def turn(self, scope: Scope, turn_id: int) -> TurnRecord | None:
        """Return one turn of this channel."""
        found = await self._find(_turns().where(threads.c.scope_key == scope.key, turns.c.id == turn_id))
        return found[0] if found else None

    async def turn_for(self, scope: Scope, question_key: str) -> TurnRecord | None:
        """Return this channel's latest turn that was asked by *question_key*."""
        mine = threads.c.scope_key == scope.key, turns.c.question_key == question_key
        found = await self._find(_turns().where(*mine).limit(1))
        return found[0] if found else None

    async def gaps(self, scope: Scope, reasons: frozenset[Reason], limit: int) -> list[TurnRecord]:
        """Return the channel's latest turns that ended for one of *reasons* or displeased somebody."""
        displeased = select(feedback.c.turn_id).where(feedback.c.verdict == Verdict.DOWN)
        missed = or_(turns.c.reason.in_(sorted(reasons)), turns.c.id.in_(displeased))
        return await self._find(_turns().where(threads.c.scope_key == scope.key, missed).limit(limit))

    async def add_feedback(self, turn_id: int, verdict: Verdict, note: str | None, user: str) -> bool:
        """Note what *user* thinks of a turn, in place of what they thought before; False: no such turn.

        The same verdict without a note leaves the note that they gave before.
        """
        values = {"verdict": verdict, "note": note, "created_at": self._clock()}
        kept = case((feedback.c.verdict == verdict, feedback.c.note), else_=None) if note is None else note
        noted = (
            self._database.insert(feedback)
            .values(turn_id=turn_id, user=user, **values)
            .on_conflict_do_update(
                index_elements=[feedback.c.turn_id, feedback.c.user], set_={**values, "note": kept}
            )
        )
        try:
            async with self._database.write() as connection:
                await connection.execute(noted)
        except IntegrityError:
            return False
        return True

    async def feedback(self, scope: Scope, limit: int) -> list[Feedback]:
        """Return what people last thought of the channel's answers, the latest first."""
        query = (
            select(
                feedback.c.user,
                feedback.c.verdict,
                feedback.c.note,
                feedback.c.created_at,
                turns.c.question,
                turns.c.answer,
            )
            .join(turns, turns.c.id == feedback.c.turn_id)
            .join(threads, threads.c.id == turns.c.thread_id)
            .where(threads.c.scope_key == scope.key)
            .order_by(feedback.c.created_at.desc(), feedback.c.turn_id.desc())
            .limit(limit)
        )
        return [
            Feedback(
                user=row.user,
                verdict=Verdict(row.verdict),
                note=row.note,
                question=row.question,
                answer=row.answer,
                created_at=row.created_at,
            )
            for row in await self._database.rows(query)
        ]

    async def reset(self, scope: Scope, thread: str) -> None:
        """Remove the thread's summary and turns."""
        async with self._database.write() as connection:
            thread_id = await self._thread_id(connection, scope, thread)
            await connection.execute(delete(turns).where(turns.c.thread_id == thread_id))
            await connection.execute(_renewed_summary(thread_id, ""))

    async def retract(self, scope: Scope, thread: str, question_key: str) -> None:
        """Remove what *question_key* asked in the thread, and its answer.

        If nothing was answered there since, the summary is again the one of before it.
        """
        asked = _turns().where(*_is(scope, thread), turns.c.question_key == question_key)
        others = turns.c.question_key.is_distinct_from(question_key), turns.c.reason.is_(None)
        async with self._database.write() as connection:
            mine = (await connection.execute(asked)).all()
            if not mine:
                return
            await connection.execute(delete(turns).where(turns.c.id.in_([row.id for row in mine])))
            thread_id = await self._thread_id(connection, scope, thread)
            last = select(func.max(turns.c.id)).where(turns.c.thread_id == thread_id, *others)
            since = (await connection.execute(last)).scalar() or 0
            kept = [row.response.get(RECALLED, "") for row in mine if row.reason is None and row.id > since]
            if kept:
                await connection.execute(_renewed_summary(thread_id, kept[-1]))

    async def forget_documents(self, scope: Scope, document_ids: Collection[str]) -> int:
        """Remove the turns that came from one of these documents, and reset summaries that did.

        Returns how many turns that were. The turns that stay do not bring an earlier summary back.
        """
        gone = frozenset(document_ids)
        query = _turns().where(threads.c.scope_key == scope.key)
        remembered = select(threads.c.id, threads.c.documents).where(threads.c.scope_key == scope.key)
        async with self._database.write() as connection:
            rows = (await connection.execute(query)).all()
            citing = {row.id for row in rows if not gone.isdisjoint(_origins(row.response))}
            touched = {row.thread_id for row in rows if row.id in citing}
            summaries = (await connection.execute(remembered)).all()
            touched |= {row.id for row in summaries if not gone.isdisjoint(row.documents or ())}
            for thread_id in touched:
                await connection.execute(_renewed_summary(thread_id, ""))
            for row in rows:
                if row.id in citing:
                    await connection.execute(delete(turns).where(turns.c.id == row.id))
                elif RECALLED in row.response and (row.thread_id in touched or _recalls(row.response, gone)):
                    await connection.execute(_without_recalled(row))
        return len(citing)

    async def forget_scope(self, scope: Scope) -> None:
        """Remove everything that was said in a channel."""
        async with self._database.write() as connection:
            await connection.execute(delete(threads).where(threads.c.scope_key == scope.key))

    async def _find(self, query: Select[Any]) -> list[TurnRecord]:
        return [_record(row) for row in await self._database.rows(query)]

    async def _thread_id(self, connection: AsyncConnection, scope: Scope, thread: str) -> int:
        opened = (
            self._database.insert(threads)
            .values(scope_key=scope.key, thread=thread, summary="", version=0)
            .on_conflict_do_nothing()
        )
        await connection.execute(opened)
        query = select(threads.c.id).where(*_is(scope, thread)).with_for_update()
        thread_id: int = (await connection.execute(query)).scalar_one()
        return thread_id


def _is(scope: Scope, thread: str) -> tuple[ColumnElement[bool], ...]:
    return threads.c.scope_key == scope.key, threads.c.thread == thread


def _renewed_summary(thread_id: int, text: str) -> Update:
    """Build the change of a summary; an earlier one that comes back came from some of the same documents."""
    renewed = update(threads).where(threads.c.id == thread_id)
    origins: dict[str, list[str]] = {} if text else {"documents": []}
    return renewed.values(summary=text, version=threads.c.version + 1, **origins)


def _without_recalled(row: Row[Any]) -> Update:
    kept = {name: value for name, value in row.response.items() if name not in (RECALLED, RECALLED_FROM)}
    return update(turns).where(turns.c.id == row.id).values(response=kept)


def _origins(response: Mapping[str, Any]) -> set[str]:
    """Return the ids of the documents that a kept response cites, or came from all the same."""
    cited = {str(citation.get("document_id")) for citation in response.get("citations") or ()}
    return cited.union(response.get(ORIGINS) or ())


def _recalls(response: Mapping[str, Any], document_ids: frozenset[str]) -> bool:
    return not document_ids.isdisjoint(response.get(RECALLED_FROM) or ())


def _turns() -> Select[Any]:
    return select(turns).join(threads, threads.c.id == turns.c.thread_id).order_by(turns.c.id.desc())


def _record(row: Row[Any]) -> TurnRecord:
    return TurnRecord(
        question=row.question,
        answer=row.answer,
        reason=None if row.reason is None else Reason(row.reason),
        response=row.response,
        created_at=row.created_at,
        question_key=row.question_key,
        turn_id=row.id,
    )
