from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakeful.agent.providers.sse import EventParser

_NEWLINE = st.sampled_from([b"\n", b"\r\n", b"\r"])
_LINE = st.binary(max_size=12).map(lambda line: line.replace(b"\r", b"").replace(b"\n", b""))
_NOISE = st.sampled_from([b": a comment", b"event: message", b"id: 7", b"retry: 10", b"nonsense"])


@st.composite
def _streams(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    """A stream of events, written in any of the ways that the format allows, and the data of its events."""
    newline = draw(_NEWLINE)
    events = draw(st.lists(st.lists(_LINE, min_size=1, max_size=3), max_size=5))
    written = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    for lines in events:
        for line in lines:
            if draw(st.booleans()):
                written += draw(_NOISE) + newline
            # The space may be left out only where the data does not begin with one.
            space = b"" if draw(st.booleans()) and not line.startswith(b" ") else b" "
            written += b"data:" + space + line + newline
        written += newline
    return written, [b"\n".join(lines) for lines in events]


@given(_streams(), st.lists(st.integers(min_value=0, max_value=400)))
def test_any_split_of_the_bytes_gives_the_same_events(stream: tuple[bytes, list[bytes]], cuts: list[int]) -> None:
    written, expected = stream
    parser = EventParser()
    edges = [0, *sorted(min(cut, len(written)) for cut in cuts), len(written)]

    events = [event for start, end in pairwise(edges) for event in parser.feed(written[start:end])]

    assert events == expected


def test_an_event_is_given_out_as_soon_as_its_blank_line_is_there() -> None:
    parser = EventParser()

    assert parser.feed(b"data: one\r\n\r") == [b"one"]
    assert parser.feed(b"\ndata: two\r\n\r\n") == [b"two"]


def test_a_line_end_that_comes_in_two_chunks_is_one() -> None:
    parser = EventParser()

    stream = b"data: one\r\ndata: two\r\n\r\n"
    assert [event for byte in stream for event in parser.feed(bytes([byte]))] == [b"one\ntwo"]


def test_a_last_event_without_its_blank_line_is_given_out_at_the_end() -> None:
    parser = EventParser()

    assert parser.feed(b"data: one\ndata: two") == []
    assert parser.finish() == [b"one\ntwo"]
    assert parser.finish() == []


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b'event: ping\ndata: {"type": "ping"}\n\n', [b'{"type": "ping"}']),
        (b"event: a\r\ndata: 1\r\n\r\nevent: b\r\ndata: 2\r\n\r\n", [b"1", b"2"]),
        (b"event: a\nid: 7\ndata: 1\ndata: 2\n\n", [b"1\n2"]),
        (b"event: a\ndata:1\n\n", [b"1"]),
        (b"event: a\n\n", []),
    ],
)
def test_the_name_of_an_event_is_not_in_its_data(stream: bytes, events: list[bytes]) -> None:
    assert EventParser().feed(stream) == events
