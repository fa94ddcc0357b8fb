"""The type of a file is told by its bytes; a name, a polyglot or half a header proves nothing."""

import struct

import pytest

from wakeful.model.files.file_type import Picture, picture_in, type_of

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
    ],
)
def test_a_picture_is_known_by_its_header(data: bytes, picture: Picture) -> None:
    assert picture_in(data) == picture
    assert type_of(data) == picture.type


@pytest.mark.parametrize("data", [PNG, GIF, WEBP_LOSSY, WEBP_LOSSLESS, WEBP_EXTENDED, JPEG])
def test_half_a_header_is_no_picture(data: bytes) -> None:
    for length in range(9):
        assert picture_in(data[:length]) is None
    assert type_of(data[:9]) in ("application/octet-stream", "text/plain")


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


def test_a_picture_with_too_many_pixels_does_not_fit() -> None:
    assert Picture("image/png", 8_000, 1).fits
    assert not Picture("image/png", 8_001, 1).fits
