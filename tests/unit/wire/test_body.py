"""Bodies are read whole or refused: as JSON, within a limit, and large ones only while there is room for them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest
from starlette.requests import Request

from wakeful.wire.body import read_object
from wakeful.wire.body_room import BodyRoom
from wakeful.wire.errors import BodyTooLarge, InvalidRequest

_KIB = 1024
_CHUNKED = {"transfer-encoding": "chunked"}


class Posted:
    """A request whose body comes in pieces. Tells how many of them were asked for."""

    def __init__(self, *pieces: bytes, headers: dict[str, str] | None = None, room: BodyRoom | None = None) -> None:
        self._pieces = list(pieces)
        self.read = 0
        given = {"content-length": str(sum(map(len, pieces)))} if headers is None else headers
        self.request = Request(
            {
                "type": "http",
                "method": "POST",
                "path": "/",
                "headers": [(name.encode(), value.encode()) for name, value in given.items()],
                "state": {"body_room": room or BodyRoom(0)},
            },
            self._receive,
        )

    async def _receive(self) -> dict[str, Any]:
        self.read += 1
        body = self._pieces.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(self._pieces)}


def padded(size: int) -> bytes:
    """A JSON object of so many bytes."""
    return b'{"a":1}' + b" " * (size - 7)


async def test_the_pieces_of_a_body_are_one_object() -> None:
    assert await read_object(Posted(b'{"a"', b":[1,", b'"\xc3\xa9"]}').request, kib=1) == {"a": [1, "é"]}


@pytest.mark.parametrize("body", [b"", b" \r\n"])
async def test_an_empty_body_is_an_empty_object_only_where_one_may_be_left_out(body: bytes) -> None:
    assert await read_object(Posted(body).request, kib=1) == {}

    with pytest.raises(InvalidRequest, match="The body must be JSON in UTF-8"):
        await read_object(Posted(body).request, kib=1, may_be_empty=False)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"{", "The body must be JSON in UTF-8: "),
        (b'{"a":"\xe9"}', "The body must be JSON in UTF-8: "),
        (b"[]", "The body must be a JSON object."),
        (b"null", "The body must be a JSON object."),
    ],
)
async def test_what_is_no_object_is_refused(body: bytes, sentence: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        await read_object(Posted(body).request, kib=1)

    assert str(refused.value).startswith(sentence)


async def test_a_body_is_only_so_deep_that_it_can_be_written_again_inside_of_an_event() -> None:
    def nested(levels: int) -> bytes:
        return b'{"a":' * levels + b"1" + b"}" * levels

    deepest = await read_object(Posted(nested(234)).request, kib=16)
    assert orjson.dumps([[[deepest]]])
    with pytest.raises(InvalidRequest, match="The body is nested too deeply"):
        await read_object(Posted(nested(235)).request, kib=16)


@pytest.mark.parametrize("headers", [None, _CHUNKED, {}, {"content-length": "²"}])
async def test_a_body_may_fill_its_limit_and_not_pass_it(headers: dict[str, str] | None) -> None:
    assert await read_object(Posted(padded(_KIB), headers=headers).request, kib=1) == {"a": 1}

    with pytest.raises(BodyTooLarge, match="not be larger than 1 KiB"):
        await read_object(Posted(padded(_KIB), b" ", headers=headers).request, kib=1)


@pytest.mark.parametrize("length", ["1025", "9" * 5000])
async def test_a_body_that_says_it_is_too_large_is_not_read(length: str) -> None:
    posted = Posted(b"{}", headers={"content-length": length})

    with pytest.raises(BodyTooLarge):
        await read_object(posted.request, kib=1)

    assert posted.read == 0


async def test_a_body_that_passes_its_limit_is_not_read_to_its_end() -> None:
    posted = Posted(*[b" " * _KIB] * 9, headers=_CHUNKED)

    with pytest.raises(BodyTooLarge):
        await read_object(posted.request, kib=1)

    assert posted.read == 2


@pytest.mark.parametrize(("kib", "size"), [(1, "1 KiB"), (1023, "1023 KiB"), (1024, "1 MiB"), (4096, "4 MiB")])
async def test_the_refusal_tells_the_limit(kib: int, size: str) -> None:
    with pytest.raises(BodyTooLarge) as refused:
        await read_object(Posted(b"", headers={"content-length": "9" * 9}).request, kib=kib)

    assert str(refused.value) == f"The body must not be larger than {size}."


@pytest.mark.parametrize(
    ("headers", "size", "reserved"),
    [
        (None, 64 * _KIB, 0),
        (None, 64 * _KIB + 1, 64 * _KIB + 1),
        # How long it will be is not known, so it reserves as much as it may take.
        (_CHUNKED, 10, 100 * _KIB),
    ],
)
async def test_a_large_body_reserves_its_room_while_it_is_read(
    headers: dict[str, str] | None, size: int, reserved: int
) -> None:
    class Watched(BodyRoom):
        asked = 0

        @asynccontextmanager
        async def taken(self, size: int) -> AsyncIterator[None]:
            self.asked += size
            async with super().taken(size):
                yield

    room = Watched(100 * _KIB)

    await read_object(Posted(padded(size), headers=headers, room=room).request, kib=100)

    assert room.asked == reserved
    async with room.taken(100 * _KIB):
        pass
