"""The type of a file is told by its bytes; a name, a polyglot or half a header proves nothing."""

import struct

import pytest

from wakeful.model.files.file_type import TEXT_BYTES, Picture, is_binary, picture_in, type_of

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480) + b"\x08\x06\0\0\0"
GIF = b"GIF89a" + struct.pack("<HH", 3, 2) + b"\0\0\0"
WEBP_LOSSY = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 320, 200)
WEBP_LOSSLESS = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + struct.pack("<I", (10 - 1) | (20 - 1) << 14) + b"\0" * 8
WEBP_EXTENDED = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0" + b"\x63\0\0" + b"\x31\0\0"
JPEG = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc2\0\x11\x08" + struct.pack(">HH", 50, 100) + b"\0" * 8


@pytest.mark.parametrize(
    ("data", "picture"),
    [
        (PNG, Picture("image/png", 640, 480)),
        (GIF, Picture("image/gif", 3, 2)),
        (WEBP_LOSSY, Picture("image/webp", 320, 200)),
        (WEBP_LOSSLESS, Picture("image/webp", 10, 20)),
        (WEBP_EXTENDED, Picture("image/webp", 100, 50)),
        (JPEG, Picture("image/jpeg", 100, 50)),
        (b"GIF87a" + GIF[6:], Picture("image/gif", 3, 2)),
        # Bytes that fill, tables that look like frames, and a size that is the last of the data.
        (JPEG[:8] + b"\xff\xff\xff\xc4\0\x02\xff\xc8\0\x02\xff\xcc\0\x02" + JPEG[8:17], Picture("image/jpeg", 100, 50)),
        (b"\xff\xd8\xff\xc0" + JPEG[10:], Picture("image/jpeg", 100, 50)),
        (b"\xff\xd8\xff\xcf" + JPEG[10:], Picture("image/jpeg", 100, 50)),
    ],
)
def test_a_picture_is_known_by_its_header(data: bytes, picture: Picture) -> None:
    assert picture_in(data) == picture
    assert type_of(data) == picture.type


@pytest.mark.parametrize(
    ("data", "header"),
    [(PNG, 24), (GIF, 10), (WEBP_LOSSY, 30), (WEBP_LOSSLESS, 30), (WEBP_EXTENDED, 30), (JPEG, 17)],
)
def test_half_a_header_is_no_picture(data: bytes, header: int) -> None:
    assert [picture_in(data[:length]) for length in range(header)] == [None] * header
    assert picture_in(data[:header]) is not None
    assert type_of(data[:9]) in ("application/octet-stream", "text/plain")


@pytest.mark.parametrize(
    "data",
    [
        PNG.replace(b"IHDR", b"IDAT"),
        WEBP_LOSSY.replace(b"\x9d\x01\x2a", b"\x9d\x01\x2b"),
        WEBP_LOSSLESS.replace(b"\x2f", b"\x2e"),
        WEBP_EXTENDED.replace(b"VP8X", b"VP8Y"),
        WEBP_EXTENDED.replace(b"WEBP", b"WAVE"),
        b"RIFX" + WEBP_EXTENDED[4:],
        # The next segment does not begin where the one before it ends.
        JPEG.replace(b"\xff\xe0\0\x04", b"\xff\xe0\0\x05"),
        # Markers beside those that begin a frame.
        b"\xff\xd8\xff\xbf" + JPEG[10:],
        b"\xff\xd8\xff\xd0" + JPEG[10:],
    ],
)
def test_a_damaged_header_is_no_picture(data: bytes) -> None:
    assert picture_in(data) is None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"<!doctype html><script>alert(1)</script>", "text/plain"),
        (b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', "text/plain"),
        ("Grüße".encode(), "text/plain"),
        (b"", "text/plain"),
        (b"%PDF-1.7\n", "application/pdf"),
        (b"\x7fELF\0\0", "application/octet-stream"),
        (b"\xff\xfeh\0i\0", "application/octet-stream"),
        # Pictures without a size, which no model takes.
        (GIF[:6] + b"\0\0\0\0\0\0\0", "application/octet-stream"),
        (GIF[:6] + b"\x03\0\0\0\0\0\0", "application/octet-stream"),
    ],
)
def test_everything_else_is_text_or_bytes(data: bytes, expected: str) -> None:
    assert type_of(data) == expected


def test_a_text_is_known_although_its_beginning_ends_within_a_character() -> None:
    assert type_of(b"x" + "ü".encode() * 5_000) == "text/plain"
    # The whole file, and its last character is half.
    assert type_of(b"x" + "ü".encode()[:1]) == "application/octet-stream"


def test_only_the_beginning_tells_whether_a_file_is_text() -> None:
    assert is_binary(b"x" * (TEXT_BYTES - 1) + b"\0")
    assert is_binary(b"\0")
    assert not is_binary(b"x" * TEXT_BYTES + b"\0")


def test_a_picture_with_too_many_pixels_does_not_fit() -> None:
    assert Picture("image/png", 8_000, 1).fits
    assert not Picture("image/png", 8_001, 1).fits
    assert not Picture("image/png", 1, 8_001).fits
