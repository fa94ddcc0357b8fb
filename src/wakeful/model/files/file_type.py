"""Finds out the type of a file from its first bytes, and the size of a picture from its header. Names prove nothing."""

import codecs
from dataclasses import dataclass

# Enough bytes for every type: a JPEG may begin with a preview and a colour profile.
TYPE_BYTES = 512 * 1024
# A NUL among this many first bytes means that a file is not text.
TEXT_BYTES = 8_192

# Of a picture that models take, in pixels.
_LONGEST_SIDE = 8_000

PICTURE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")


@dataclass(frozen=True, slots=True)
class Picture:
    type: str
    width: int
    height: int

    @property
    def fits(self) -> bool:
        """Whether models take a picture of this size."""
        return max(self.width, self.height) <= _LONGEST_SIDE

    def line(self, name: str, size: int) -> str:
        """Return what a model reads about it. `size` is in bytes."""
        return f"[Image: {name}, {self.width}×{self.height}, {size} bytes]"  # noqa: RUF001


def type_of(beginning: bytes) -> str:
    """Return a picture's type only if its header can be read."""
    picture = picture_in(beginning)
    if picture is not None:
        return picture.type
    if beginning.startswith(b"%PDF-"):
        return "application/pdf"
    return "text/plain" if _is_text(beginning[:TEXT_BYTES]) else "application/octet-stream"


def picture_in(beginning: bytes) -> Picture | None:
    """Return the type and size of a PNG, JPEG, GIF or WebP; None if it is none, or its header is damaged."""
    size: tuple[int, int] | None = None
    kind = ""
    if beginning.startswith(b"\x89PNG\r\n\x1a\n") and beginning[12:16] == b"IHDR":
        kind, size = "image/png", _pair(beginning[16:24], 4, "big")
    elif beginning.startswith((b"GIF87a", b"GIF89a")):
        kind, size = "image/gif", _pair(beginning[6:10], 2, "little")
    elif beginning.startswith(b"RIFF") and beginning[8:12] == b"WEBP":
        kind, size = "image/webp", _webp_size(beginning)
    elif beginning.startswith(b"\xff\xd8\xff"):
        kind, size = "image/jpeg", _jpeg_size(beginning)
    return Picture(kind, *size) if size is not None and min(size) > 0 else None


def is_binary(content: bytes) -> bool:
    """Return whether a file is not text, from its content or its first TEXT_BYTES."""
    return content.find(b"\0", 0, TEXT_BYTES) >= 0


def _is_text(beginning: bytes) -> bool:
    if is_binary(beginning):
        return False
    try:
        # The last character may be cut in half.
        codecs.getincrementaldecoder("utf-8")().decode(beginning, final=len(beginning) < TEXT_BYTES)
    except UnicodeDecodeError:
        return False
    return True


def _pair(data: bytes, width: int, order: str) -> tuple[int, int] | None:
    if len(data) < 2 * width:
        return None
    first, second = data[:width], data[width:]
    if order == "big":
        return int.from_bytes(first, "big"), int.from_bytes(second, "big")
    return int.from_bytes(first, "little"), int.from_bytes(second, "little")


def _webp_size(data: bytes) -> tuple[int, int] | None:
    if len(data) < 30:
        return None
    match data[12:16]:
        case b"VP8X":
            return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
        case b"VP8L" if data[20] == 0x2F:
            bits = int.from_bytes(data[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 " if data[23:26] == b"\x9d\x01\x2a":
            size = int.from_bytes(data[26:28], "little"), int.from_bytes(data[28:30], "little")
            return size[0] & 0x3FFF, size[1] & 0x3FFF
    return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Walk the segments to the one that begins a frame."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = int.from_bytes(data[at + 5 : at + 7], "big"), int.from_bytes(data[at + 7 : at + 9], "big")
            return width, height
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None
