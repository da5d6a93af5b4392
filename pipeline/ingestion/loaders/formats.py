"""The formats that can be read: adding one takes a module with ``load(upload)`` and a row here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """How to recognise a format and which module of this package reads it.

    A format with *magic* or *member* is binary and recognised by content alone; the others are text, which
    only the file's name tells apart.
    """

    label: str
    module: str
    suffixes: tuple[str, ...]
    magic: bytes = b""
    """Bytes that stand within the first kilobyte."""
    member: str = ""
    """A file that every archive of this format holds, or the folder that all its contents are in."""
    archive: bool = False
    """Whether it is an archive of files that are documents of their own."""

    @property
    def binary(self) -> bool:
        """Whether the content alone tells this format."""
        return bool(self.magic or self.member or self.archive)


PLAIN = Format(label="plain text", module="prose", suffixes=(".txt", ".text", ".log"))
WEBPAGE = Format(label="HTML", module="webpage", suffixes=(".html", ".htm", ".xhtml"))
SOURCE = Format(
    label="source code",
    module="source",
    suffixes=(
        *(".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".go", ".java"),
        *(
            ".c",
            ".h",
            ".cc",
            ".cpp",
            ".cxx",
            ".hh",
            ".hpp",
            ".hxx",
            ".rs",
            ".cs",
            ".rb",
            ".php",
            ".kt",
            ".kts",
        ),
        *(".swift", ".scala", ".lua", ".pl", ".pm", ".r", ".jl", ".ex", ".exs", ".dart", ".groovy", ".proto"),
        *(
            ".sh",
            ".bash",
            ".zsh",
            ".ps1",
            ".sql",
            ".css",
            ".scss",
            ".less",
            ".vue",
            ".svelte",
            ".tf",
            ".gradle",
        ),
    ),
)

WORKBOOK = Format(
    label="Excel (.xlsx, .xlsb, .xls)",
    module="workbook",
    suffixes=(".xlsx", ".xlsm", ".xltx", ".xlsb", ".xls"),
    member="xl/",
)
ARCHIVE = Format(
    label="ZIP and TAR archives of such files",
    module="bundles",
    suffixes=(".zip", ".tar", ".tgz", ".tbz2", ".txz", ".gz", ".bz2", ".xz"),
    archive=True,
)
XML = Format(
    label="XML", module="xmlfile", suffixes=(".xml", ".xsd", ".xsl", ".xslt", ".wsdl", ".rss", ".plist")
)

FORMATS: tuple[Format, ...] = (
    Format(label="PDF", module="pdf", suffixes=(".pdf",), magic=b"%PDF-"),
    Format(label="Word (.docx)", module="docx", suffixes=(".docx", ".docm"), member="word/"),
    Format(
        label="PowerPoint (.pptx, .ppsx)",
        module="presentation",
        suffixes=(".pptx", ".pptm", ".ppsx", ".potx"),
        member="ppt/",
    ),
    WORKBOOK,
    Format(
        label="OpenDocument (.odt, .ods, .odp, .odg)",
        module="opendocument",
        suffixes=(".odt", ".ott", ".ods", ".ots", ".odp", ".otp", ".odg"),
        member="content.xml",
    ),
    Format(label="EPUB", module="epub", suffixes=(".epub",), member="META-INF/container.xml"),
    Format(label="mail (.eml)", module="mail", suffixes=(".eml",)),
    WEBPAGE,
    Format(label="Markdown", module="markdown", suffixes=(".md", ".markdown", ".mdown", ".mkd", ".mdx")),
    Format(label="CSV", module="delimited", suffixes=(".csv", ".tsv", ".tab")),
    Format(label="reStructuredText", module="restructured", suffixes=(".rst", ".rest")),
    Format(label="Jupyter notebooks", module="notebook", suffixes=(".ipynb",)),
    Format(
        label="JSON",
        module="jsonfile",
        suffixes=(".json", ".jsonl", ".ndjson", ".jsonc", ".json5", ".geojson"),
    ),
    Format(label="YAML", module="yamlfile", suffixes=(".yaml", ".yml")),
    XML,
    Format(
        label="configuration files",
        module="configuration",
        suffixes=(".toml", ".ini", ".cfg", ".conf", ".properties", ".env", ".editorconfig", ".service"),
    ),
    SOURCE,
    PLAIN,
    ARCHIVE,
)

UNREADABLE_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"BM", "a picture"),
    (b"II*\x00", "a picture"),
    (b"MM\x00*", "a picture"),
    (b"RIFF", "a picture, sound or video"),
    (b"ID3", "a sound recording"),
    (b"OggS", "a sound recording"),
    (b"fLaC", "a sound recording"),
    (b"\x1aE\xdf\xa3", "a video"),
    (b"{\\rtf", "a rich-text (RTF) document"),
    (b"%!PS", "a PostScript document"),
    (b"\x1f\x8b", "a compressed archive"),
    (b"BZh", "a compressed archive"),
    (b"7z\xbc\xaf", "a compressed archive"),
    (b"Rar!", "a compressed archive"),
    (b"\xfd7zXZ", "a compressed archive"),
    (b"\x28\xb5\x2f\xfd", "a compressed archive"),
    (b"SQLite format 3", "a database"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\x00asm", "a program"),
)
"""Well-known beginnings of files that hold no text to read, to name them in the refusal.

Two-byte ones count only when the file is not text.
"""

MEDIA = frozenset(
    {"a picture", "a picture, sound or video", "a sound recording", "a video", "a video or picture"}
)
"""Of these everybody knows that they are no documents, so their refusal does not list what can be read."""

ARCHIVE_MEMBERS: tuple[tuple[str, str], ...] = (
    ("Index/Document.iwa", "a Pages, Numbers or Keynote document"),
    ("Metadata/DocumentIdentifier", "a Pages, Numbers or Keynote document"),
)


def supported() -> str:
    """Name what can be read, for a refusal."""
    labels = [row.label for row in FORMATS]
    return f"Supported are {', '.join(labels[:-1])} and {labels[-1]}."
