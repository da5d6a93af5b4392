"""What went wrong with a model server, told by exception class and status, never by text."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from pipeline.errors import ModelError, ModelMisconfigured, ModelNotFound, ModelTimeout, ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

_LATE: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.GATEWAY_TIMEOUT})
_REFUSED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})

_CLIENTS: Final = (
    # (module, its errors, its errors of lateness, those of them that mean that nobody is there);
    # a client that is not loaded cannot have raised anything
    ("httpx", ("HTTPError", "StreamError"), ("TimeoutException",), ("ConnectTimeout",)),
    ("httpx2", ("HTTPError", "StreamError"), ("TimeoutException",), ("ConnectTimeout",)),
    ("ollama", ("ResponseError",), (), ()),
    ("openai", ("OpenAIError",), ("APITimeoutError",), ()),
    ("anthropic", ("AnthropicError",), ("APITimeoutError",), ()),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A model on a server, as error messages name it."""

    title: str
    """For instance ``Ollama``."""
    url: str
    model: str

    @property
    def remedy(self) -> str:
        """What brings the model there."""
        return f"ollama pull {self.model}" if self.title == "Ollama" else "choose one that it has"


def known_faults() -> tuple[type[BaseException], ...]:
    """Return every exception class by which a model's client reports that the server failed.

    ValueError is among them for lines that are no JSON and objects of another shape.
    """
    return (OSError, ValueError, *_loaded(1))


def _loaded(column: int) -> tuple[type[BaseException], ...]:
    """Return the classes of one column of the clients that are in use."""
    return tuple(
        getattr(sys.modules[row[0]], name)
        for row in _CLIENTS
        if row[0] in sys.modules
        for name in row[column]
    )


def translate(error: BaseException, server: Server) -> ModelError:
    """Return the error that tells who must act."""
    where = f"{server.title} at {server.url}"
    status = _status(error)
    if status == HTTPStatus.NOT_FOUND:
        return ModelNotFound(f"{where} does not have the model '{server.model}': {server.remedy}.")
    if status in _REFUSED:
        return ModelMisconfigured(f"{where} refused the API key; check it.")
    if status in _LATE or _timed_out(error):
        return ModelTimeout(f"{where} did not answer in time.")
    if status is not None:
        return ModelUnavailable(f"{where} failed with status {status}.")
    return ModelUnavailable(f"{where} cannot be reached or broke off.")


def _status(error: BaseException) -> int | None:
    """Return the HTTP status that *error* or its response carries; Ollama's client says -1 for none."""
    for bearer in (error, getattr(error, "response", None)):
        status = getattr(bearer, "status_code", None)
        if isinstance(status, int) and status > 0:
            return status
    return None


def _timed_out(error: BaseException) -> bool:
    """Tell a server that is too slow from one that is not there (a connection that takes too long)."""
    return isinstance(error, (TimeoutError, *_loaded(2))) and not isinstance(error, _loaded(3))


@contextmanager
def translated(server: Server) -> Iterator[None]:
    """Raise `ModelError` for whatever a client raises inside the block."""
    try:
        yield
    except known_faults() as error:
        raise translate(error, server) from error
