"""Reads the fields above a Markdown text: the simple part of YAML that files of skills use."""

import re
from collections.abc import Iterator, Sequence

_FENCE = "---"
_FIELD = re.compile(r"([A-Za-z0-9_-]+):(?:\s+(.*)|\s*)")
_BLOCK = re.compile(r"([>|])[+-]?")


def front_matter(text: str) -> dict[str, str] | None:
    """Return the fields that are texts; None if the text does not begin with fields."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != _FENCE:
        return None
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE), None)
    return None if end is None else dict(_fields(lines[1:end]))


def _fields(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    number = 0
    while number < len(lines):
        field = _FIELD.fullmatch(lines[number].rstrip())
        number += 1
        if field is None:
            continue
        more = []
        while number < len(lines) and (not lines[number].strip() or lines[number][0] in " \t"):
            more.append(lines[number].strip())
            number += 1
        yield field[1], _value(field[2] or "", more)


def _value(first: str, more: Sequence[str]) -> str:
    if block := _BLOCK.fullmatch(first):
        return ("\n" if block[1] == "|" else " ").join(more).strip()
    whole = " ".join([first, *more]).strip()
    if len(whole) > 1 and whole[0] == whole[-1] and whole[0] in "\"'":
        quote = whole[0]
        return whole[1:-1].replace("''" if quote == "'" else '\\"', quote)
    return whole.partition(" #")[0].strip()
