"""Text for a terminal: what models and tools wrote, without control sequences; durations and times; columns."""

import re
from datetime import UTC, datetime

# Whole sequences are removed, or a part of one would show: strings (title, clipboard, hyperlink), then the others.
_STRING = re.compile(r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)")
_SEQUENCE = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?")
# Not printable by themselves, but parts of scripts and emoji.
_JOINERS = "\u200c\u200d"
_TAB = "    "


def harmless(text: str) -> str:
    """Remove escape sequences and control characters, except newlines."""
    text = _SEQUENCE.sub("", _STRING.sub("", text.replace("\r\n", "\n")))
    return "".join(letter for letter in text.replace("\t", _TAB) if _is_shown(letter))


def one_line(text: str) -> str:
    return " ".join(harmless(text).split())


def output_lines(text: str) -> list[str]:
    """Return the lines of a program's output in their final state, without what it overwrote by carriage returns."""
    lines = text.replace("\r\n", "\n").rstrip().split("\n")
    return [harmless(line.rstrip("\r").rpartition("\r")[2]).rstrip() for line in lines] if text.strip() else []


def shortened_lines(lines: list[str], first: int, last: int) -> list[str]:
    """Keep the first and the last lines, and say between them how many are left out."""
    hidden = len(lines) - first - last
    if hidden <= 1:
        return lines
    return [*lines[:first], f"… {hidden:,} more lines", *(lines[-last:] if last else [])]


def aligned(rows: list[list[str]]) -> list[str]:
    """Return a line for each row, with the cells of a column below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def duration(seconds: float) -> str:
    """Format a duration; below 10 s with tenths, unless `seconds` is an int."""
    if seconds < 10:
        return f"{max(0, seconds)} s" if isinstance(seconds, int) else f"{max(0.0, seconds):.1f} s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def moment(text: str) -> datetime:
    """Parse a time as the server writes it."""
    return datetime.fromisoformat(text)


def seconds_since(text: str) -> float:
    return (datetime.now(UTC) - moment(text)).total_seconds()


def clock_time(text: str) -> str:
    """Format a time in the local time zone, with its day if that is not today."""
    local = moment(text).astimezone()
    today = datetime.now().astimezone().date()
    return local.strftime("%H:%M" if local.date() == today else "%-d %b %H:%M")


def _is_shown(letter: str) -> bool:
    return letter == "\n" or letter in _JOINERS or letter.isprintable()
