from __future__ import annotations

from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.loaders import load, mail
from tests.fakes.documents import archive, pdf
from tests.fakes.office import Deck

if TYPE_CHECKING:
    from pipeline.ingestion.blocks import Block


def message(text: str = "Hello.", subject: str = "Plan", **headers: str) -> EmailMessage:
    made = EmailMessage()
    made["From"] = headers.get("sender", "ann@example.com")
    made["To"] = "bob@example.com"
    if subject:
        made["Subject"] = subject
    made.set_content(text)
    return made


def attached(content: bytes, name: str, kind: str = "application/octet-stream") -> EmailMessage:
    made = message()
    main, _, sub = kind.partition("/")
    made.add_attachment(content, maintype=main, subtype=sub, filename=name)
    return made


def read(made: EmailMessage | bytes) -> tuple[Block, ...]:
    return load(made if isinstance(made, bytes) else bytes(made), "mail.eml").blocks


def texts(made: EmailMessage | bytes) -> list[str]:
    return [block.text for block in read(made)]


def test_subject_people_and_text_are_read() -> None:
    blocks = read(message("We meet at noon.\n\nBring the plan."))

    assert [block.text for block in blocks] == [
        "Plan",
        "From: ann@example.com\nTo: bob@example.com",
        "We meet at noon.",
        "Bring the plan.",
    ]
    assert {block.path for block in blocks} == {("Plan",)}
    assert {block.lines for block in blocks} == {None}


def test_headers_are_decoded_whatever_they_were_written_in() -> None:
    raw = (
        b"From: =?ISO-8859-1?Q?J=F6rg?= <joerg@example.com>\r\n"
        b"Subject: =?UTF-8?B?w5xiZXI=?=\r\n =?UTF-8?B?c2ljaHQ=?=\r\n"
        b"To: caf\xc3\xa9@example.com\r\nCc: M\xfcller\r\nDate: =?\xb5?B?x?=\r\n\r\nText"
    )

    assert texts(raw)[:2] == [
        "Übersicht",
        "From: Jörg <joerg@example.com>\nTo: café@example.com\nCc: Müller\nDate: =?µ?B?x?=",
    ]


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "koi8-r", "shift_jis"])
def test_text_is_decoded_by_its_charset(charset: str) -> None:
    text = {"koi8-r": "Привет, коллеги", "shift_jis": "会議は正午です"}.get(charset, "Grüße aus Köln")
    made = message()
    made.set_content(text, charset=charset)

    assert texts(made)[-1] == text


def test_html_is_read_where_the_plain_text_is_only_a_stub() -> None:
    rows = "<table><tr><td>Day<td>Place<tr><td>Monday<td>Room 4, second floor</table>"
    stub, full = (
        message("Use another program."),
        message("Day: Monday\nPlace: Room 4, second floor\nYours, Ann"),
    )
    stub.add_alternative(f"<p>See:</p>{rows}", subtype="html")
    full.add_alternative(f"<p>See:</p>{rows}", subtype="html")

    assert texts(stub)[2:] == ["See:", "Day | Place", "Monday | Room 4, second floor"]
    assert texts(full)[2:] == ["Day: Monday\nPlace: Room 4, second floor\nYours, Ann"]


def test_a_mail_of_html_alone_is_read() -> None:
    made = message()
    made.set_content(
        "<html><head><title>x</title></head><body><p>We <b>meet</b>.</p></body></html>", subtype="html"
    )

    assert texts(made)[2:] == ["We meet."]


def test_each_attachment_is_a_section_with_its_own_place() -> None:
    made = attached(pdf(["Front", "Prices are fixed."]), "offer.pdf", "application/pdf")
    made.add_attachment(
        Deck().add("Goals").write("Grow.").save(), maintype="x", subtype="y", filename="deck.pptx"
    )
    made.add_attachment("a,b\nc,d", filename="table.csv")

    places = {block.text: (block.path, block.page, block.unit) for block in read(made)}

    assert places["Prices are fixed."] == (("Plan", "attachment offer.pdf"), 2, None)
    assert places["Grow."] == (("Plan", "attachment deck.pptx", "Goals"), 1, "slide")
    assert places["c | d"] == (("Plan", "attachment table.csv"), None, "row")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "quay.png"),
        (pdf(["x"], password="secret"), "secret.pdf"),
        (archive({"notes.txt": "hello"}), "files.zip"),
        (b"", "empty.txt"),
    ],
)
def test_of_an_attachment_that_cannot_be_read_only_the_name_is_text(data: bytes, name: str) -> None:
    last = read(attached(data, name))[-1]

    assert last.path == ("Plan", f"attachment {name}")
    assert last.text == f"Attached: {name}, not read"


def test_the_note_says_why_attachments_are_not_read() -> None:
    made = attached(b"\x89PNG\r\n\x1a\n\0\0", "quay.png")
    made.add_attachment("Read.", filename="a.txt")
    made.add_attachment(pdf(["Text", ""]), maintype="application", subtype="pdf", filename="half.pdf")
    made.add_attachment(archive({"a.txt": "a"}), maintype="application", subtype="zip", filename="a.zip")

    assert load(bytes(made), "mail.eml").note == (
        "Attached and not searched: quay.png (The file is a picture, which cannot be read), "
        "half.pdf (1 of 2 pages hold no text), "
        "a.zip (archives in mails are not opened; upload it by itself)."
    )
    assert load(bytes(message()), "mail.eml").note is None


def test_the_note_names_a_few_and_counts_the_others() -> None:
    made = message()
    for number in range(8):
        made.add_attachment(b"", maintype="text", subtype="plain", filename=f"{number}.txt")

    note = load(bytes(made), "mail.eml").note or ""
    assert note.count("The file is empty") == mail.NAMED
    assert note.endswith(", 3 more.")


@pytest.mark.parametrize(
    "header",
    [b"Subject: " + b"=?utf-8?q?a?= " * 200_000, b"Content-Type: text/plain" + b"; name*0=x" * 60_000],
)
def test_a_header_without_end_is_read_as_far_as_people_write_headers(header: bytes) -> None:
    found = texts(b"From: ann@example.com\r\n" + header + b"\r\n\r\nText")

    assert max(map(len, found)) <= 20_000


def test_a_mail_attached_to_a_mail_is_a_section() -> None:
    made = message("See below.")
    made.add_attachment(message("The first offer.", "Offer"))

    assert [(block.text, block.path) for block in read(made)][2:] == [
        ("See below.", ("Plan",)),
        ("Offer", ("Plan", "Offer")),
        ("From: ann@example.com\nTo: bob@example.com", ("Plan", "Offer")),
        ("The first offer.", ("Plan", "Offer")),
    ]


def test_mails_in_mails_are_read_only_so_deep() -> None:
    made = message("innermost", "0")
    for depth in range(1, 8):
        outer = message(f"level {depth}", str(depth))
        outer.add_attachment(made)
        made = outer

    found = texts(made)
    assert found[-1] == "Attached: a mail, not read"
    assert "level 4" in found
    assert "level 3" not in found


def test_only_so_many_attachments_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail, "MAX_ATTACHMENTS", 1)
    made = message()
    made.add_attachment("first file", filename="a.txt")
    made.add_attachment("second file", filename="b.txt")

    assert texts(made)[-2:] == [
        "first file",
        "Attached: b.txt, not read",
    ]
    assert read(made)[-1].path == ("Plan",)


def test_names_of_attachments_are_decoded_and_have_no_folders() -> None:
    raw = (
        b'Subject: A\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n'
        b"--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment;\r\n"
        b" filename*=UTF-8''..%2F%C3%9Cbersicht.txt\r\n\r\nfirst\r\n"
        b'--b\r\nContent-Type: text/plain; name="=?UTF-8?Q?pr=C3=A9cis.txt?="\r\n\r\nsecond\r\n--b--\r\n'
    )

    assert [block.path for block in read(raw)][1:] == [
        ("A", "attachment Übersicht.txt"),
        ("A", "attachment précis.txt"),
    ]


def test_signatures_and_pictures_in_the_text_are_no_attachments() -> None:
    made = message("Text.")
    made.add_alternative('<p>Text.</p><img src="cid:x">', subtype="html")
    [_, page] = made.iter_parts()
    assert isinstance(page, EmailMessage)
    page.add_related(b"\x89PNG", "image", "png", cid="<x>")
    made.make_mixed()
    made.add_attachment(b"0", maintype="application", subtype="pgp-signature", filename="signature.asc")

    assert texts(made)[2:] == ["Text."]


def test_soft_line_breaks_are_no_line_breaks() -> None:
    head = b"Subject: A\r\nContent-Type: text/plain; format=flowed\r\n\r\n"
    raw = head + b"One long \r\nsentence.\r\n> quoted \r\nend"

    assert texts(raw)[1:] == ["One long sentence.\n> quoted end"]


def test_an_encrypted_mail_is_refused() -> None:
    raw = b"Subject: A\r\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\r\n\r\nAAAA"
    with pytest.raises(IngestError) as caught:
        read(raw)

    assert caught.value.reason is IngestReason.ENCRYPTED


def test_a_text_that_is_no_mail_is_read_as_text() -> None:
    loaded = load(b"Just a note: nothing else.", "note.eml")

    assert (loaded.kind, [block.text for block in loaded.blocks]) == (
        "plain text",
        ["Just a note: nothing else."],
    )


def test_parts_that_nest_without_end_are_refused() -> None:
    raw = b"Subject: A\r\n"
    for number in range(3_000):
        raw += b'Content-Type: multipart/mixed; boundary="%d"\r\n\r\n--%d\r\n' % (number, number)
    with pytest.raises(IngestError) as caught:
        read(raw + b"\r\nText")

    assert caught.value.reason is IngestReason.TOO_LARGE
