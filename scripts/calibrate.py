"""Fit the weights of the verification gate on pairs of claims and references, and measure it on the others.

Run ``python scripts/calibrate.py FOLDER`` with a folder that holds ``pairs.jsonl`` (claim, references, label,
src), as ``footnote eval`` reads it. Weights are fitted on the half that its limits are chosen on and scored
on the other half, beside word overlap; and once more in five folds, because a half is small.
It prints what stands in ``pipeline/verification/entailment.py``.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from pipeline.evaluation.citation import halved, read_pairs
from pipeline.evaluation.vectors import KeptEmbedder
from pipeline.generation.embedders import EmbeddedEmbedder
from pipeline.ingestion.tokens import analyze
from pipeline.verification.entailment import BAND, SignScorer
from pipeline.verification.mechanical import read_premise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pipeline.evaluation.citation import Pair

    Numbers = NDArray[np.float64]

MEANING: Final = ("bias", "shared", "runs", "cosine", "numbers", "names", "negation", "turned")
WORDS: Final = ("bias", "shared", "runs", "numbers", "names", "negation", "direction")
OVERLAP: Final = ("bias", "shared")

LIGHT: Final = {"HaluEval": 0.25, "MTRAG": 0.25}
"""Sources whose pairs word overlap alone tells apart, so that they teach little."""

FOLDS: Final = 5
ROUNDS: Final = 6
SEED: Final = 13

HELD_BACK: Final = 1.0
"""Strength of the ridge that keeps the weights small."""


async def facts_of(pairs: Sequence[Pair], cache: Path) -> list[dict[str, float]]:
    """Return the facts of each pair; vectors are kept in *cache* for the next run."""
    embedder = KeptEmbedder(EmbeddedEmbedder(threads=1), cache, lambda done, total, what: None)
    scorer = SignScorer(embedder, analyze)
    found = []
    for pair in pairs:
        premise = read_premise("\n\n".join(pair.references), analyze)
        found.append(await scorer.facts(premise, pair.claim))
    return found


def fit(rows: Numbers, labels: Numbers, shares: Numbers) -> Numbers:
    """Return the weights of a logistic regression, by Newton's method; the first one is not held back."""
    weights = np.zeros(rows.shape[1])
    ridge = HELD_BACK * np.eye(rows.shape[1])
    ridge[0, 0] = 0.0
    for _ in range(50):
        found = chances(rows, weights)
        slope = rows.T @ (shares * (found - labels)) + ridge @ weights
        curve = (rows.T * (shares * found * (1 - found))) @ rows + ridge
        weights -= np.linalg.solve(curve, slope)
    return weights


def share_out(pairs: Sequence[Pair]) -> Numbers:
    """Weigh each source alike, and in it supported and unsupported pairs."""
    size = Counter((pair.source, pair.supported) for pair in pairs)
    return np.array(
        [100 / size[pair.source, pair.supported] * LIGHT.get(pair.source.split()[0], 1.0) for pair in pairs]
    )


def crossed(rows: Numbers, labels: Numbers, pairs: Sequence[Pair]) -> Numbers:
    """Return each pair's chance by weights that were fitted without it and the others of its fold."""
    draw = np.random.default_rng(SEED)
    total = np.zeros(len(pairs))
    for _ in range(ROUNDS):
        folds = draw.permutation(len(pairs)) % FOLDS
        for fold in range(FOLDS):
            rest = folds != fold
            shares = share_out([pair for pair, kept in zip(pairs, rest, strict=True) if kept])
            total[~rest] += chances(rows[~rest], fit(rows[rest], labels[rest], shares))
    return total / ROUNDS


def chances(rows: Numbers, weights: Numbers) -> Numbers:
    """Return the logistic of each row's weighted sum."""
    return np.asarray(1 / (1 + np.exp(-rows @ weights)), dtype=np.float64)


def report(name: str, pairs: Sequence[Pair], found: Numbers) -> None:
    """Write one line for each source."""
    for source in sorted({pair.source for pair in pairs}):
        mine = np.array([pair.source == source for pair in pairs])
        kind = np.array([pair.supported for pair in pairs])
        right, wrong = found[mine & kind], found[mine & ~kind]
        accuracy = ((right >= BAND[1]).mean() + (wrong < BAND[1]).mean()) / 2
        auc = (right[:, None] > wrong).mean() + (right[:, None] == wrong).mean() / 2
        say(
            f"{name:8} {source:31} n {mine.sum():3}  balanced accuracy {accuracy:.3f}  AUC {auc:.3f}"
            f"  below the band: supported {(right < BAND[0]).mean():.2f},"
            f" unsupported {(wrong < BAND[0]).mean():.2f}"
        )


def main(folder: Path, cache: Path) -> None:
    """Fit and score each set of facts."""
    pairs = read_pairs(folder)
    facts = asyncio.run(facts_of(pairs, cache))
    choosing = halved(pairs)
    mine = np.array([pair.id in choosing for pair in pairs])
    labels = np.array([float(pair.supported) for pair in pairs])
    taught = [pair for pair in pairs if pair.id in choosing]
    held = [pair for pair in pairs if pair.id not in choosing]
    for name, names in (("overlap", OVERLAP), ("words", WORDS), ("meaning", MEANING)):
        rows = np.array([[each[key] for key in names] for each in facts])
        weights = fit(rows[mine], labels[mine], share_out(taught))
        say(f"{name}: { {key: round(float(each), 2) for key, each in zip(names, weights, strict=True)} }")
        report("held out", held, chances(rows[~mine], weights))
        report("crossed", pairs, crossed(rows, labels, pairs))


def say(line: str) -> None:
    """Write *line* to standard output."""
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "data/eval"))
