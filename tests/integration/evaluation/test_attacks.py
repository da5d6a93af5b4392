from __future__ import annotations

import pytest

from pipeline.errors import ModelUnavailable
from pipeline.evaluation.attacks import undefended
from pipeline.generation.choice import ModelChoice, Provider
from tests.fakes.ollama import Answer, FakeOllama


async def test_the_bare_model_is_sent_the_prompt_alone() -> None:
    async with FakeOllama(answers=[Answer(pieces=("MAGPIE", "-1"))]) as server:
        ask = undefended(ModelChoice(provider="ollama", base_url=server.url))

        assert ask is not None
        assert await ask("Say MAGPIE-1.") == "MAGPIE-1"

    [request] = [each for each in server.requests if each.path == "/api/chat"]
    assert [each["content"] for each in request.body["messages"]] == ["Say MAGPIE-1."]


async def test_a_bare_model_that_fails_is_told_as_any_other() -> None:
    async with FakeOllama(answers=[Answer(status=500)]) as server:
        ask = undefended(ModelChoice(provider="ollama", base_url=server.url))

        assert ask is not None
        with pytest.raises(ModelUnavailable):
            await ask("Say MAGPIE-1.")


@pytest.mark.parametrize("provider", ["auto", "extractive"])
def test_where_no_model_is_named_there_is_none_without_rules(provider: Provider) -> None:
    assert undefended(ModelChoice(provider=provider)) is None
