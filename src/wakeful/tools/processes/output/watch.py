"""Watch patterns: texts of which each matching line of the output notifies the agent.

Each step returns a new state and perhaps a report; the two are stored together, so a restart neither loses nor repeats
a match. A match that comes too soon after the last notice is held back, never dropped.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice

import orjson

# The most bytes per step: searching them holds the interpreter lock.
CHUNK = 32 * 1024
# A line longer than this is searched before it ends, so every full chunk can be searched.
LINE_LIMIT = CHUNK
# How many of the lines that were held back a report shows; it only counts the others.
HELD_LINES = 20

_STRIKES = 3


@dataclass(frozen=True, slots=True)
class MatchedLine:
    """A line that contains a pattern. Offset and length are in bytes."""

    pattern: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class WatchState:
    # Everything before this was searched or skipped.
    offset: int = 0
    # The offset is inside a line that has matched already.
    is_done_with_line: bool = False
    # When the last report was made. States are stored under these names, so a rename needs a migration.
    told_at: float | None = None
    # The newest matches since then, oldest first, and the number of earlier ones that were dropped.
    held: tuple[MatchedLine, ...] = ()
    suppressed: int = 0
    # How many reports in a row contained lines that were held back.
    strikes: int = 0
    is_off: bool = False
    # Bytes that were never searched because they came too fast.
    skipped: int = 0

    def dump(self) -> bytes:
        return orjson.dumps(asdict(self))


def load_state(data: bytes) -> WatchState:
    fields = orjson.loads(data)
    return WatchState(**fields | {"held": tuple(MatchedLine(**line) for line in fields.get("held", ()))})


@dataclass(frozen=True, slots=True)
class WatchReport:
    """The newest matching lines, at least one. With `is_last` the watch has turned itself off."""

    lines: tuple[MatchedLine, ...]
    # Earlier matches that are only counted.
    suppressed: int
    is_last: bool
    # Bytes before the newest line that were never searched.
    skipped: int


class Watch:
    def __init__(self, patterns: Sequence[str], interval: float, clock: Callable[[], float]) -> None:
        """Report at most once in `interval` seconds."""
        self._needles = {pattern.encode(): pattern for pattern in patterns}
        self._overlap = max(map(len, self._needles)) - 1
        self._interval = interval
        self._clock = clock

    def step(self, state: WatchState, data: bytes, *, is_whole: bool) -> tuple[WatchState, WatchReport | None]:
        """Search `data`, the bytes from state.offset on, up to the next line to report. With `is_whole` the output has
        ended, and its last line needs no newline.
        """
        now = self._clock()
        if state.is_off:
            return state, None
        if self._wait_at(state, now) > 0:
            return self.hold(state, data, is_whole=is_whole), None
        after = self._search(state, data, is_whole=is_whole, most=1)
        if not after.held:
            return after, None
        strikes = state.strikes + 1 if state.held or state.suppressed else 0
        return _reported(replace(after, told_at=now, strikes=strikes, is_off=strikes == _STRIKES))

    def hold(self, state: WatchState, data: bytes, *, is_whole: bool) -> WatchState:
        """Search all of `data`, the bytes from state.offset on, and hold every match back."""
        return self._search(state, data, is_whole=is_whole, most=None)

    def release(self, state: WatchState) -> tuple[WatchState, WatchReport | None]:
        """Report what is held back without waiting for the interval: the output has ended."""
        return _reported(replace(state, told_at=self._clock())) if state.held else (state, None)

    def wait(self, state: WatchState) -> float | None:
        """Return the seconds until held lines are due, or None if none are held."""
        return self._wait_at(state, self._clock()) if state.held and not state.is_off else None

    def _wait_at(self, state: WatchState, now: float) -> float:
        # A clock that is set back must not silence the watch.
        if state.told_at is None or now < state.told_at:
            return 0
        return max(0, state.told_at + self._interval - now)

    def _search(self, state: WatchState, data: bytes, *, is_whole: bool, most: int | None) -> WatchState:
        """Hold every match back. With `most`, stop after the line of the last match that is wanted."""
        start = data.find(b"\n") + 1 if state.is_done_with_line else 0
        if state.is_done_with_line and start == 0:
            return replace(state, offset=state.offset + len(data))
        end_of_lines = data.rfind(b"\n") + 1
        end = len(data) if is_whole or len(data) - end_of_lines >= LINE_LIMIT else end_of_lines
        matches = deque(enumerate(islice(self._matches(data, start, end), most), 1), maxlen=HELD_LINES)
        is_in_matched_line = bool(matches) and matches[-1][1].end() == len(data)
        if matches and most is not None:
            end = min(matches[-1][1].end() + 1, len(data))
        # A pattern may begin in this piece of a long line and end in the next one.
        kept = self._overlap if end > end_of_lines and not is_whole and not is_in_matched_line else 0
        lines = [self._line(state, data, start, match) for _, match in matches]
        after = replace(state, offset=state.offset + end - kept, is_done_with_line=is_in_matched_line)
        return _holding(after, lines, matches[-1][0] if matches else 0)

    def _matches(self, data: bytes, start: int, end: int) -> Iterator[re.Match[bytes]]:
        """Yield one match per line, from its first pattern to its end. Most patterns do not occur at all, and one
        `find` for each is many times faster than an expression for all of them.
        """
        present = [needle for needle in self._needles if data.find(needle, start, end) >= 0]
        if not present:
            return iter(())
        return re.compile(b"(?:%b)[^\n]*" % b"|".join(map(re.escape, present))).finditer(data, start, end)

    def _line(self, state: WatchState, data: bytes, start: int, match: re.Match[bytes]) -> MatchedLine:
        begin = max(start, data.rfind(b"\n", start, match.start()) + 1)
        line = data[begin : match.end()]
        pattern = next(pattern for needle, pattern in self._needles.items() if needle in line)
        return MatchedLine(pattern, state.offset + begin, len(line.rstrip(b"\r")))


def skip_to(state: WatchState, offset: int) -> WatchState:
    """Skip what was not searched yet before the offset."""
    if state.is_off or offset <= state.offset:
        return state
    skipped = state.skipped + offset - state.offset
    return replace(state, offset=offset, is_done_with_line=False, skipped=skipped)


def _holding(state: WatchState, lines: list[MatchedLine], count: int) -> WatchState:
    """Add `count` matches, of which `lines` are the newest."""
    held = (*state.held, *lines)[-HELD_LINES:]
    return replace(state, held=held, suppressed=state.suppressed + len(state.held) + count - len(held))


def _reported(state: WatchState) -> tuple[WatchState, WatchReport]:
    return replace(state, held=(), suppressed=0), WatchReport(state.held, state.suppressed, state.is_off, state.skipped)
