"""Every error the pipeline raises, split by who must act.

PipelineError
├── InvalidScope          the caller named a channel in a form that is none
├── IngestError           one file could not be indexed (carries its reason)
│   └── SourceAway            the place where it stays cannot be reached now
├── Postponed             what a job needs is away: it waits, and is tried again (carries the reason)
├── CatalogError          a channel's store
│   ├── CatalogUnavailable    it cannot be opened: run ``footnote reindex`` for the channel
│   │   └── CatalogLost           a part of it is gone for good, so nothing is lost by building it anew
│   └── EmbedderChanged       its vectors were made by another embedder
├── ModelError            a model server did not do its part
│   ├── ModelUnavailable      not running, refused, broke off
│   │   └── ModelMisconfigured    its settings cannot work: the operator must change them
│   ├── ModelTimeout          did not answer in time
│   └── ModelNotFound         runs, but does not have the model
├── StorageError          the database is unusable as it is
│   ├── PendingMigrations     its schema is older than this program
│   └── Sealed                something in it was sealed with a key that is not given
└── DatasetError          a dataset to be scored is not in the form it must have

Expected outcomes of a question are not errors: they are ``GenerationResponse`` values with a ``Reason``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.domain import IngestReason


class PipelineError(Exception):
    """Something the pipeline could not do."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class InvalidScope(PipelineError):
    """A channel is written platform:workspace:channel, in letters, digits, '-' and '_'."""


class IngestError(PipelineError):
    """A file could not be indexed."""

    def __init__(self, reason: IngestReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class SourceAway(IngestError):
    """The place where a file stays cannot be reached now."""

    def __init__(self, message: str) -> None:
        from pipeline.domain import IngestReason

        super().__init__(IngestReason.UNREADABLE, message)


class Postponed(PipelineError):
    """What a job needs is away; that is not the fault of what it works on."""

    def __init__(self, reason: IngestReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class CatalogError(PipelineError):
    """A channel's store failed."""


class CatalogUnavailable(CatalogError):
    """The channel's store cannot be opened; run 'footnote reindex --channel C' to rebuild it."""


class CatalogLost(CatalogUnavailable):
    """A part of the channel's store is gone; run 'footnote reindex --channel C' to rebuild it."""


class EmbedderChanged(CatalogError):
    """The channel's vectors were made by another embedding model."""


class ModelError(PipelineError):
    """The model server failed."""


class ModelUnavailable(ModelError):
    """The model server cannot be reached."""


class ModelMisconfigured(ModelUnavailable):
    """The settings of a model cannot work; run 'footnote doctor'."""


class ModelTimeout(ModelError):
    """The model server did not answer in time."""


class ModelNotFound(ModelError):
    """The model server does not have this model."""


class StorageError(PipelineError):
    """The database cannot be used."""


class Sealed(StorageError):
    """What was sealed cannot be opened with the keys that were given."""


class PendingMigrations(StorageError):
    """The database's schema is older than this program; run 'footnote db upgrade'."""


class DatasetError(PipelineError):
    """A dataset is a folder with documents.jsonl (or .jsonl.gz) and questions.jsonl."""
