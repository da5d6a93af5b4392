"""Measure how fast this machine answers, searches and indexes, beside the bare libraries and models."""

import pipeline.storage  # noqa: F401 - before the bare LanceDB is imported: that, too, comes without its client
