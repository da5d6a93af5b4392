"""Word documents, by way of the HTML that mammoth makes of their styles."""

from __future__ import annotations

import io
from pyexpat import ExpatError
from typing import Any
from zipfile import BadZipFile

import mammoth

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.blocks import Loaded, Upload
from pipeline.ingestion.loaders.archives import open_archive
from pipeline.ingestion.loaders.webpage import walk

_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
"""


def load(upload: Upload) -> Loaded:
    """Read headings, paragraphs, lists, tables, text boxes and notes; not comments, headers and footers.

    Raises `IngestError`: CORRUPT, TOO_LARGE, ENCRYPTED.
    """
    open_archive(upload.data).close()
    try:
        result = mammoth.convert_to_html(
            io.BytesIO(upload.data),
            style_map=_STYLES,
            convert_image=mammoth.images.img_element(_no_image),
            external_file_access=False,
        )
    except (ExpatError, BadZipFile, KeyError, ValueError, OSError, AttributeError, IndexError) as exc:
        raise IngestError(
            IngestReason.CORRUPT, "The document is damaged; save it again and upload that."
        ) from exc
    return Loaded(kind="Word", blocks=tuple(walk(str(result.value))))


def _no_image(image: Any) -> dict[str, str]:
    """Pictures hold no text, and inlined they would be megabytes of attribute."""
    del image
    return {}
