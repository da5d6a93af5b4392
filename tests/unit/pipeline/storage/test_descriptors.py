from __future__ import annotations

import resource

from pipeline.storage.descriptors import raise_limit


def test_the_soft_limit_of_open_files_is_lifted_to_the_hard_one() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    raise_limit()
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
