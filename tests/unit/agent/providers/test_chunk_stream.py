"""The chunks of a response, read until its end."""

from typing import Any

import pytest

from wakeful.agent.providers.chunk_stream import ChunkStream, count_in, json_or_none, object_in, text_in
from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.http.response import HttpResponse
from wakeful.errors import ModelError


class Body(HttpResponse):
    """A response whose body comes in these pieces."""

    def __init__(self, *pieces: bytes, kind: str = "text/event-stream") -> None:
        super().__init__(200, {"content-type": kind})
        self._pieces = [*pieces, b""]

    async def read(self) -> bytes:
        return self._pieces.pop(0)

    def close(self) -> None: ...


def stream_of(*pieces: bytes, kind: str = "text/event-stream") -> ChunkStream:
    return ChunkStream(Body(*pieces, kind=kind), EndpointErrors("http://model/v1", secret=""))


async def read(stream: ChunkStream) -> list[dict[str, Any]]:
    chunks = []
    while not stream.has_ended:
        chunks += await stream.next()
    return chunks


async def test_each_read_gives_the_chunks_that_it_completes() -> None:
    stream = stream_of(b'data: {"a": 1}\n\ndata: {"a"', b": 2}\n\n", b"data: [DONE]\n\n")

    assert [await stream.next() for _ in range(2)] == [[{"a": 1}], [{"a": 2}]]
    assert (stream.has_ended, stream.is_done, stream.is_empty) == (False, False, False)
    assert await stream.next() == []
    assert (stream.has_ended, stream.is_done) == (True, True)


async def test_nothing_counts_after_the_word_that_ends_the_stream() -> None:
    assert await read(stream_of(b'data: {"a": 1}\n\ndata: [DONE]\n\ndata: {"a": 2}\n\n')) == [{"a": 1}]


async def test_a_body_that_ends_without_that_word_is_over_but_not_done() -> None:
    stream = stream_of(b'data: {"a": 1}\n\ndata: {"a": 2}')

    assert await read(stream) == [{"a": 1}, {"a": 2}]
    assert not stream.is_done


async def test_a_last_event_that_is_cut_is_ignored_and_any_other_breaks_the_answer() -> None:
    assert await read(stream_of(b'data: {"a": 1}\n\ndata: {"a"')) == [{"a": 1}]
    with pytest.raises(ModelError, match="broke off"):
        await read(stream_of(b'data: {"a"\n\ndata: {"a": 1}\n\n'))
    with pytest.raises(ModelError, match="broke off"):
        await read(stream_of(b"data: [1]\n\n"))


@pytest.mark.parametrize("pieces", [(), (b": wait\n\n",), (b"data: \n\n", b"data:   \n\n")])
async def test_a_stream_that_only_keeps_the_connection_alive_is_empty(pieces: tuple[bytes, ...]) -> None:
    stream = stream_of(*pieces)

    assert await read(stream) == []
    assert stream.is_empty


async def test_the_word_alone_or_a_cut_event_is_not_nothing() -> None:
    for piece in (b"data: [DONE]\n\n", b"data: <html>"):
        stream = stream_of(piece)
        await read(stream)
        assert not stream.is_empty


async def test_an_answer_that_is_not_streamed_is_one_chunk() -> None:
    stream = stream_of(b'{"a"', b": 1}", kind="application/json; charset=utf-8")

    assert await stream.next() == [{"a": 1}]
    assert (stream.has_ended, stream.is_empty) == (True, False)
    with pytest.raises(ModelError, match="did not answer with"):
        await stream_of(b"[1]", kind="application/json").next()


def test_json_is_read_although_it_has_half_a_character_and_anything_else_is_none() -> None:
    assert json_or_none(b'{"a": "\\ud83d"}') == {"a": "\ud83d"}
    assert [json_or_none(data) for data in (b"", b"{", b"\xff", b"[" * 100_000)] == [None] * 4


def test_what_is_not_as_it_should_be_is_not_there() -> None:
    holder = {"object": {"a": 1}, "text": "hi", "count": 7}

    assert [object_in(holder, name) for name in ("object", "text", "nothing")] == [{"a": 1}, {}, {}]
    assert [text_in(holder, name) for name in ("text", "object", "nothing")] == ["hi", "", ""]
    assert [count_in(given, "count") for given in (holder, {}, None, "count", {"count": "7"})] == [7, 0, 0, 0, 0]
    assert [count_in({"count": count}, "count") for count in (-1, 0, 1, 10**9, 10**9 + 1)] == [0, 0, 1, 10**9, 0]
