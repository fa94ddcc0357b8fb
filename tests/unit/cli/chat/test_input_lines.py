"""Lines of standard input, however they come in."""

import os
from collections.abc import Iterator
from io import FileIO
from types import SimpleNamespace

import pytest

from wakeful.cli.chat import input_lines
from wakeful.cli.chat.input_lines import InputLines
from wakeful.errors import MessageUnusable


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileIO]:
    """What is written to this file comes in on standard input."""
    reading, writing = os.pipe()
    with FileIO(reading) as source, FileIO(writing, "w") as typing:
        monkeypatch.setattr(input_lines, "sys", SimpleNamespace(stdin=source))
        yield typing


async def test_lines_come_one_by_one_and_the_end_again_and_again(typing: FileIO) -> None:
    typing.write("one\ntwö\n\nla".encode())
    lines = InputLines()
    first = [await lines.next() for _ in range(3)]
    typing.write(b"st")
    typing.close()

    assert first == ["one\n", "twö\n", "\n"]
    assert [await lines.next() for _ in range(3)] == ["last\n", "", ""]


async def test_input_that_ends_with_its_line_has_no_line_more(typing: FileIO) -> None:
    typing.write(b"one\n")
    typing.close()
    lines = InputLines()

    assert [await lines.next() for _ in range(2)] == ["one\n", ""]


async def test_a_line_that_is_no_text_is_refused_and_the_next_one_comes(typing: FileIO) -> None:
    typing.write(b"\xff\nok\n")
    lines = InputLines()

    with pytest.raises(MessageUnusable, match="not text in UTF-8"):
        await lines.next()
    assert await lines.next() == "ok\n"
    typing.close()
    assert await lines.next() == ""
