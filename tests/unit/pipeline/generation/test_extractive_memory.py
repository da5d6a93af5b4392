"""What a thread was about leads to the sentence that is asked for, and not back to the one quoted before."""

from __future__ import annotations

from pipeline.generation.extractive import ExtractiveReader
from pipeline.ingestion.tokens import analyze
from tests.fakes.embedding import WordEmbedder
from tests.unit.pipeline.generation.test_extractive import no_sleep, source

STAY = "Where does the group stay? The group stays at the Hotel Alster in the old town for two nights."
HOTEL = (
    "The group stays at the Hotel Alster in the old town for two nights. Guests wear brown shoes. Dogs sleep."
)


async def test_the_memory_does_not_drown_a_follow_up() -> None:
    reader = ExtractiveReader(WordEmbedder(), analyze, sleep=no_sleep)

    reading = reader.read("What about brown shoes there?", [source(HOTEL)], STAY, waiting=lambda _: None)

    assert "".join([word async for word in reading]) == "Guests wear brown shoes [1]."
