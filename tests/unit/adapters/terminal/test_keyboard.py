from __future__ import annotations

import io
import os
import threading
from typing import TYPE_CHECKING

import pytest

from adapters.terminal.keyboard import Keyboard, Script

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.RawIOBase]:
    """The writing end of what standard input reads."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "r", encoding="utf-8") as source, os.fdopen(writing, "wb", buffering=0) as sink:
        monkeypatch.setattr("sys.stdin", source)
        yield sink


async def test_a_script_is_read_line_by_line_to_its_end() -> None:
    script = Script(["one", "two"])

    assert [await script.read("> ") for _ in range(3)] == ["one", "two", None]
    assert not script.visible
    script.close()


async def test_a_pipe_is_read_line_by_line_without_a_prompt(
    pipe: io.RawIOBase, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe.write("How long?\r\nÜber uns\n".encode())
    pipe.close()
    keyboard = Keyboard()

    assert [await keyboard.read("> ") for _ in range(3)] == ["How long?", "Über uns", None]
    assert not keyboard.visible
    assert capsys.readouterr().out == ""
    keyboard.close()


async def test_a_stray_byte_does_not_end_the_conversation(pipe: io.RawIOBase) -> None:
    pipe.write(b"caf\xe9\nnext\n")
    pipe.close()
    keyboard = Keyboard()

    assert [await keyboard.read("> "), await keyboard.read("> ")] == ["caf�", "next"]


async def test_a_closed_input_is_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO("text")
    closed.close()
    keyboard = Keyboard()
    monkeypatch.setattr("sys.stdin", closed)

    assert await keyboard.read("> ") is None


async def test_a_reader_that_still_waits_does_not_keep_the_program_alive(pipe: io.RawIOBase) -> None:
    reading = Keyboard().read("> ")
    reading.send(None)

    (reader,) = [thread for thread in threading.enumerate() if thread.name == "keyboard"]

    assert reader.daemon
    reading.close()
    pipe.write(b"late\n")
    reader.join(5)
