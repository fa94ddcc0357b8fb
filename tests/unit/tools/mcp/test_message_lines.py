"""The output of a stdio server, cut into messages."""

import orjson
import pytest

from wakeful.tools.mcp.sdk import message_lines
from wakeful.tools.mcp.sdk.message_lines import MessageLines


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_lines, "LARGEST_MESSAGE", 2 * 1024 * 1024)


def test_lines_are_whole_however_they_come_and_empty_ones_are_passed_over() -> None:
    lines = MessageLines()

    assert lines.feed(b"on") == []
    assert lines.feed(b"e\n\n  \r\ntwo \r\nthr") == [b"one", b"two"]
    assert lines.feed(b"ee\n") == [b"three"]


def test_a_line_of_the_largest_size_is_a_message() -> None:
    line = b"x" * 2 * 1024 * 1024

    assert MessageLines().feed(line + b"\n") == [line]


@pytest.mark.parametrize(
    ("parts", "request_id"),
    [
        ([b'{"id": 7, "result": "', b"x" * 3_000_000, b'"}'], 7),
        ([b'{"result": "', b"x" * 3_000_000, b'", "id": 12}'], 12),
        ([b'{"id": 7,' + b"x" * 2_000_000, b"x" * 1_000_000, b'"id": 8}'], 7),
        ([b"x" * 3_000_000 + b'"id":9}'], 9),
        ([b'{"id"', b": 7, ", b"x" * 3_000_000], 7),
        ([b"x" * 500 + b'"id": 7', b"x" * 3_000_000], 7),
    ],
)
def test_of_a_line_that_is_too_long_its_request_gets_an_error(parts: list[bytes], request_id: int) -> None:
    lines = MessageLines()
    found = [line for part in (*parts, b"\nnext\n") for line in lines.feed(part)]

    (error, following) = found
    assert orjson.loads(error)["id"] == request_id
    assert orjson.loads(error)["error"]["message"] == "The answer is larger than 2 MiB."
    assert following == b"next"


@pytest.mark.parametrize("line", [b"x" * 3_000_000, b"x" * 600 + b'"id": 7' + b"x" * 3_000_000])
def test_a_line_that_is_too_long_and_answers_nobody_is_dropped(line: bytes) -> None:
    assert MessageLines().feed(line + b"\nnext\n") == [b"next"]
