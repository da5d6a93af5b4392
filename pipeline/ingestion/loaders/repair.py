"""A second try at a PDF that pdfium refuses: qpdf rebuilds its structure, where the extra is installed."""

from __future__ import annotations

import io
import warnings

from pipeline.domain import IngestReason
from pipeline.errors import IngestError

MAX_BYTES = 50_000_000
"""qpdf holds the file as a tree of objects, several times its size."""


def rebuilt(data: bytes) -> bytes | None:
    """Return the document written anew; None: it cannot be, or pikepdf is not installed.

    Raises `IngestError` (ENCRYPTED) where a password is asked for.
    """
    try:
        import pikepdf
    except ImportError:
        return None
    if len(data) > MAX_BYTES:
        return None
    out = io.BytesIO()
    try:
        with warnings.catch_warnings():
            # that the file is damaged is known already
            warnings.simplefilter("ignore")
            with pikepdf.open(io.BytesIO(data), attempt_recovery=True) as document:
                document.save(out, fix_metadata_version=False)
    except pikepdf.PasswordError as exc:
        raise IngestError(
            IngestReason.ENCRYPTED, "The document is protected by a password; upload a copy without one."
        ) from exc
    except (pikepdf.PdfError, pikepdf.DataDecodingError, ValueError, TypeError, RuntimeError, OSError):
        return None
    return out.getvalue()
