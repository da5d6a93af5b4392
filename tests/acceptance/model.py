"""A model server that says what it is told to, when it is told to, and what the tests ask it."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from tests.fakes.ollama import Answer, FakeOllama

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aiohttp import web

REFUNDS = (
    "# Refunds\n\nA refund for a monthly plan takes five working days.\n"
    "\n## Annual plans\n\nA refund for an annual plan takes fifteen working days.\n"
)
MONTHLY = "How long does a refund for a monthly plan take?"
ANNUAL = "How long does a refund for an annual plan take?"
FIVE = "A refund for a monthly plan takes five working days [1]."
FIFTEEN = "A refund for an annual plan takes fifteen working days [1]."

_QUESTION = re.compile(r"<question>\n(.*)\n</question>", re.DOTALL)


class Model(FakeOllama):
    """Answers each question with what was scripted for it, and keeps memories as short as they can be."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: dict[str, list[Answer]] = {ANNUAL: [Answer(pieces=pieces(FIFTEEN))]}
        self.answer = Answer(pieces=pieces(FIVE))
        """To every question that nothing was scripted for."""

    def script(self, question: str, *answers: Answer | str) -> None:
        """Answer *question* with *answers* in turn, with the last one for ever."""
        self.scripts[question] = [
            Answer(pieces=pieces(one)) if isinstance(one, str) else one for one in answers
        ]

    def asked(self, question: str) -> list[str]:
        """Return the prompts, each whole, in which *question* was to be answered."""
        return [prompt for prompt in self._prompts() if _question(prompt) == question]

    def _prompts(self) -> list[str]:
        bodies = [body["messages"] for body in self.chats()]
        return [messages[-1]["content"] for messages in bodies if not _is_memory(messages)]

    async def _record(self, request: web.Request) -> dict[str, Any]:
        """Note what comes, and have the answer to it ready."""
        body = await super()._record(request)
        if request.path == "/api/chat":
            self.answers = [self._answer_to(body["messages"])]
        return body

    def _answer_to(self, messages: Sequence[dict[str, str]]) -> Answer:
        question = _question(messages[-1]["content"])
        if _is_memory(messages):
            return Answer(pieces=[f"They asked: {question}"])
        scripted = self.scripts.get(question, [self.answer])
        return scripted.pop(0) if len(scripted) > 1 else scripted[0]


def about(place: str) -> str:
    """Return a question that is asked once only, by naming a *place*."""
    return f"How long does a refund for a monthly plan take in {place}?"


def pieces(text: str, size: int = 12) -> list[str]:
    """Return *text* as a model would send it."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def held(text: str | Sequence[str], first: int = 0) -> Answer:
    """Return an answer of which no more than the *first* pieces come before it is released."""
    return Answer(pieces=pieces(text) if isinstance(text, str) else text, step=asyncio.Semaphore(first))


def release(answer: Answer, some: int | None = None) -> None:
    """Let *some* more pieces of a held answer come, or the rest."""
    assert answer.step is not None
    for _ in range(len(answer.pieces) if some is None else some):
        answer.step.release()


def _is_memory(messages: Sequence[dict[str, str]]) -> bool:
    return messages[0]["content"].startswith("You keep the memory")


def _question(prompt: str) -> str:
    found = _QUESTION.search(prompt)
    return found.group(1) if found else ""
