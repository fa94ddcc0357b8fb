"""Bodies that a server has compressed: unpacked piece by piece, and refused if they are not whole."""

import gzip
import zlib
from collections.abc import Awaitable, Callable

import pytest

from wakeful.network.content_coding import Unpacked, is_packed

_TEXT = b"many words " * 50


def raw(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def arriving(*pieces: bytes) -> Callable[[], Awaitable[bytes]]:
    """Return what reads these pieces in turn, and then b"" for ever."""
    waiting = list(pieces)

    async def read() -> bytes:
        return waiting.pop(0) if waiting else b""

    return read


async def all_of(body: Unpacked) -> list[bytes]:
    pieces = []
    while piece := await body.read():
        pieces.append(piece)
    return pieces


@pytest.mark.parametrize(
    ("coding", "pack"),
    [("gzip", gzip.compress), ("x-gzip", gzip.compress), ("deflate", zlib.compress), ("deflate", raw)],
)
async def test_a_body_is_unpacked_however_it_is_cut(coding: str, pack: Callable[[bytes], bytes]) -> None:
    packed = pack(_TEXT)
    whole = await all_of(Unpacked(coding, arriving(packed)))
    by_byte = await all_of(Unpacked(coding, arriving(*(packed[n : n + 1] for n in range(len(packed))))))

    assert b"".join(whole) == b"".join(by_byte) == _TEXT


@pytest.mark.parametrize("end", [-1, -10, 12])
async def test_a_body_that_breaks_off_is_an_error(end: int) -> None:
    with pytest.raises(zlib.error, match="incomplete"):
        await all_of(Unpacked("gzip", arriving(gzip.compress(_TEXT)[:end])))


async def test_a_body_without_a_byte_is_empty() -> None:
    assert await Unpacked("gzip", arriving()).read() == b""


async def test_what_follows_the_end_of_a_body_is_dropped() -> None:
    body = Unpacked("gzip", arriving(gzip.compress(_TEXT), b"more", gzip.compress(b"x")))

    assert await all_of(body) == [_TEXT]
    assert await body.read() == b""


async def test_a_little_that_unpacks_to_very_much_comes_in_pieces() -> None:
    pieces = await all_of(Unpacked("gzip", arriving(gzip.compress(bytes(200_000)))))

    assert max(map(len, pieces)) == 65_536
    assert sum(map(len, pieces)) == 200_000


async def test_what_is_not_packed_as_it_says_is_an_error() -> None:
    with pytest.raises(zlib.error):
        await Unpacked("gzip", arriving(_TEXT)).read()


def test_only_what_can_be_unpacked_counts_as_packed() -> None:
    codings = ("gzip", "x-gzip", "deflate", "br", "identity", "")
    assert [is_packed(coding) for coding in codings] == [True] * 3 + [False] * 3
