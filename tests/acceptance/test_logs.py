from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Program

pytestmark = pytest.mark.timeout(300)  # the program is started several times

CHANNEL = ("--channel", "terminal:local:test")
SECRETS = {
    "FOOTNOTE_LLM__API_KEY": "sesame-key",
    "FOOTNOTE_SLACK__BOT_TOKEN": "xoxb-sesame",
    "FOOTNOTE_LOG_LEVEL": "DEBUG",
}
DOWN = {"FOOTNOTE_LLM__PROVIDER": "ollama", "FOOTNOTE_LLM__BASE_URL": "http://127.0.0.1:9"}
WORDS = ("quetzal", "marimba", "salary", "sesame")
"""One of the question, one of the passage and answer, one of a file that fails, one of the secrets."""


def test_no_word_of_people_and_no_secret_reaches_the_log(footnote: Program, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.md", tmp_path / "bad.pdf"
    good.write_text("# Music\n\nThe marimba is played on the third floor every Thursday.\n")
    bad.write_bytes(b"%PDF-1.7\nthe salary is in a damaged file")
    thread = (*CHANNEL, "--thread", "t", "--debug")

    ingested = footnote("ingest", *CHANNEL, "--debug", str(good), str(bad), **SECRETS)
    answered = footnote("ask", *thread, "Which quetzal floor is the marimba played on?", **SECRETS)
    follow_up = footnote("ask", *thread, "And on which day of the quetzal?", **SECRETS)
    failed = footnote("ask", *thread, "Where is the quetzal marimba?", **SECRETS, **DOWN)
    damaged = footnote.data / "vectors"
    for table in damaged.glob("*.lance"):
        for file in table.rglob("*.lance"):
            file.write_bytes(b"nothing of a quetzal")
    broken = footnote("ask", *thread, "Where is the quetzal marimba played?", **SECRETS)

    assert ingested.status == 1
    assert "third floor" in answered.out
    assert follow_up.status == 0
    assert "not an answer" in failed.out
    text = "".join(path.read_text(encoding="utf-8") for path in (footnote.data / "logs").iterdir())
    actions = [json.loads(line).get("action") for line in text.splitlines()]
    assert actions.count("job_done") == actions.count("job_failed") == 1
    assert len(actions) > 4
    assert [word for word in WORDS if word in text.lower()] == []
    everything = [ingested, answered, follow_up, failed, broken]
    assert not any("sesame" in result.out + result.err for result in everything)
