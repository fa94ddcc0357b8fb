"""What a write changes in a file: a unified diff, and how many lines it adds and removes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain

from wakeful.model.files.file_type import is_binary
from wakeful.model.journal.change import DIFF_LIMIT

# Lines around a change.
_CONTEXT = 3
# With more lines between the first and the last that differ, all of them count as changed: comparing takes too long.
_MOST_LINES = 3_000

# As difflib gives them: what to do, and the ranges of lines of both files.
_Opcode = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Comparison:
    diff: str
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class _Middle:
    """The lines of both files without those that begin and end both, and how many lines come before them."""

    skipped: int
    old: Sequence[str]
    new: Sequence[str]

    def groups(self) -> list[list[_Opcode]]:
        """Return what differs, and some equal lines around it, in groups that are far from each other."""
        if max(len(self.old), len(self.new)) <= _MOST_LINES:
            return list(SequenceMatcher(None, self.old, self.new).get_grouped_opcodes(_CONTEXT))
        first = _count_equal(self.old, self.new)
        last = _count_equal(self.old[first:][::-1], self.new[first:][::-1])
        old, new = len(self.old), len(self.new)
        changed = ("replace", first, old - last, first, new - last)
        return [[("equal", 0, first, 0, first), changed, ("equal", old - last, old, new - last, new)]]


def compare(old: bytes | None, new: bytes, name: str) -> Comparison:
    """Compare a file with what is to stand there; `old` is None for a file that does not exist."""
    if is_binary(old or b""):
        note = f"[{name} is not a text file now; it becomes one of {len(new):,} bytes.]"
        return Comparison(note, count_lines(new), 0)
    middle = _middle_of(old or b"", new)
    groups = middle.groups()
    changed = [opcode for group in groups for opcode in group if opcode[0] != "equal"]
    before = "/dev/null" if old is None else f"a/{name}"
    lines = chain([f"--- {before}", f"+++ b/{name}"], *(_hunk(middle, group) for group in groups))
    added = sum(end - start for _, _, _, start, end in changed)
    removed = sum(end - start for _, start, end, _, _ in changed)
    return Comparison(_joined(lines) if changed else "", added, removed)


def count_lines(data: bytes) -> int:
    return data.count(b"\n") + bool(data and not data.endswith(b"\n"))


def _middle_of(old: bytes, new: bytes) -> _Middle:
    start = _context_before(old, _common_beginning(old, new))
    rest = min(len(old), len(new)) - start
    end = _common_end(old[start:], new[start:], rest)
    kept = _context_after(old, len(old) - end)
    return _Middle(old.count(b"\n", 0, start), _lines(old, start, kept), _lines(new, start, kept + len(new) - len(old)))


def _common_beginning(old: bytes, new: bytes) -> int:
    """Return how many first bytes are the same, by halving: comparing whole ranges is fast."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if old[low:middle] == new[low:middle] else (low, middle - 1)
    return low


def _common_end(old: bytes, new: bytes, most: int) -> int:
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        is_same = old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]
        low, high = (middle, high) if is_same else (low, middle - 1)
    return low


def _context_before(data: bytes, position: int) -> int:
    """Return where the line begins that stands _CONTEXT lines before the one at the position."""
    for _ in range(_CONTEXT + 1):
        position = data.rfind(b"\n", 0, position)
        if position < 0:
            return 0
    return position + 1


def _context_after(data: bytes, position: int) -> int:
    """Return where the line ends that stands _CONTEXT lines after the one at the position."""
    for _ in range(_CONTEXT + 1):
        position = data.find(b"\n", position) + 1
        if not position:
            return len(data)
    return position


def _lines(data: bytes, start: int, end: int) -> list[str]:
    *lines, last = data[start:end].decode(errors="replace").split("\n")
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines


def _count_equal(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many first lines are the same."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(old), len(new)))


def _hunk(middle: _Middle, group: Sequence[_Opcode]) -> Iterator[str]:
    first, last = group[0], group[-1]
    old = _range(middle.skipped + first[1], last[2] - first[1])
    new = _range(middle.skipped + first[3], last[4] - first[3])
    yield f"@@ -{old} +{new} @@"
    for name, start, end, new_start, new_end in group:
        if name == "equal":
            yield from (f" {line}" for line in middle.old[start:end])
            continue
        yield from (f"-{line}" for line in middle.old[start:end])
        yield from (f"+{line}" for line in middle.new[new_start:new_end])


def _range(skipped: int, length: int) -> str:
    # An empty range names the line before it.
    start = skipped + 1 if length else skipped
    return f"{start}" if length == 1 else f"{start},{length}"


def _joined(lines: Iterable[str]) -> str:
    """Return the lines up to the limit. Lines after it are not even made."""
    kept, room = [], DIFF_LIMIT
    for line in lines:
        kept.append(line)
        room -= len(line) + 1
        if room < 0:
            break
    text = "\n".join(kept)
    if len(text) <= DIFF_LIMIT:
        return text
    mark = "\n[Cut: the change is longer than this.]"
    return text[: DIFF_LIMIT - len(mark)] + mark
