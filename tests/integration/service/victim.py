"""A process that indexes files slowly, to be killed at any moment: ``victim.py DATA FOLDER CHANNEL``."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.bootstrap import open_service
from bot.models import Models
from bot.settings import Settings
from pipeline.domain import Scope
from tests.fakes.models import ScriptedEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class SlowEmbedder(ScriptedEmbedder):
    """Takes long enough for a kill to fall between any two steps."""

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        await asyncio.sleep(0.02)
        return await super().embed_documents(texts)


async def main(data: Path, folder: Path, channel: str) -> None:
    settings = Settings(data_dir=data, _env_file=None)
    async with open_service(settings, models=Models(settings, embedder=SlowEmbedder())) as service:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        files = [(path, path.name) for path in sorted(folder.iterdir())]
        async with service.working():
            await service.ingest(Scope.parse(channel), files, lambda done, total, name: None)
    sys.stdout.write("done\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
