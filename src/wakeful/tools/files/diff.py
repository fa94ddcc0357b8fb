"""The diff of a write, for the person who is asked about it."""

from difflib import unified_diff
from pathlib import Path

PREVIEW_LIMIT = 200_000
# Larger files take too long to compare.
_LARGEST_COMPARED = 256 * 1024
# A NUL within so many first bytes means that a file is not text.
LOOKED_AT = 8_192


def preview_of(path: Path, new: bytes, name: str) -> str:
    """Return a unified diff, or a line that says why there is none."""
    if max(len(new), path.stat().st_size if path.exists() else 0) > _LARGEST_COMPARED:
        return f"[{name} is too large to be compared; it would have {len(new):,} bytes.]"
    old = path.read_bytes() if path.exists() else b""
    if not is_text(old[:LOOKED_AT]):
        return f"[{name} is not a text file now; it would become one of {len(new):,} bytes.]"
    before = f"a/{name}" if path.exists() else "/dev/null"
    lines = unified_diff(_lines(old), _lines(new), before, f"b/{name}", lineterm="")
    return _cut("\n".join(lines))


def is_text(beginning: bytes) -> bool:
    """Return whether a file is text, from its first LOOKED_AT bytes."""
    return b"\0" not in beginning


def _lines(data: bytes) -> list[str]:
    *lines, last = data.decode(errors="replace").split("\n")
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines


def _cut(text: str) -> str:
    if len(text) <= PREVIEW_LIMIT:
        return text
    mark = "\n[Cut: the change is longer than this.]"
    return text[: PREVIEW_LIMIT - len(mark)] + mark
