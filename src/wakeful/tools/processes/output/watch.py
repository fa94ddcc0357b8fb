"""Watch patterns: lines of an output that the agent wants to be told of, and not too often.

A step goes from one state to the next; what it has found is written down together with the state behind it, so that
a restart neither loses nor doubles a match. A match that comes too early is held back, never dropped.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice

import orjson

# How much of an output one step may be given. While it is searched no other thread can run.
CHUNK = 32 * 1024
# A line that gets longer is searched before it ends; a whole chunk can always be searched.
LINE_LIMIT = CHUNK
# So many of the lines that are held back are told of, the others are counted.
HELD_LINES = 20

_STRIKES = 3


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that contains a pattern: where it begins, and how many bytes it has."""

    pattern: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class WatchState:
    # Everything before it was searched, or skipped.
    offset: int = 0
    # The offset is in a line that was found already.
    is_done_with_line: bool = False
    told_at: float | None = None
    # The newest hits since then, in their order, and how many more there were before them.
    held: tuple[Hit, ...] = ()
    suppressed: int = 0
    # How many times in a row something had to be held back.
    strikes: int = 0
    is_off: bool = False
    # Bytes that nobody had the time to search.
    skipped: int = 0

    def dump(self) -> bytes:
        return orjson.dumps(asdict(self))


def load_state(data: bytes) -> WatchState:
    fields = orjson.loads(data)
    return WatchState(**fields | {"held": tuple(Hit(**hit) for hit in fields.get("held", ()))})


@dataclass(frozen=True, slots=True)
class Found:
    """Lines to tell of, at least one, after `suppressed` others. With `is_last` the watch has turned itself off."""

    hits: tuple[Hit, ...]
    suppressed: int
    is_last: bool
    # Bytes before the newest line that were not searched.
    skipped: int


class Watch:
    def __init__(self, patterns: Sequence[str], interval: float, clock: Callable[[], float]) -> None:
        """What is found is told of once in `interval` seconds."""
        self._needles = {pattern.encode(): pattern for pattern in patterns}
        self._overlap = max(map(len, self._needles)) - 1
        self._interval = interval
        self._clock = clock

    def step(self, state: WatchState, data: bytes, *, is_whole: bool) -> tuple[WatchState, Found | None]:
        """Search the bytes from state.offset on, up to the next line to tell of. `is_whole`: no more will come, a
        last line needs no newline.
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
        return _told(replace(after, told_at=now, strikes=strikes, is_off=strikes == _STRIKES))

    def hold(self, state: WatchState, data: bytes, *, is_whole: bool) -> WatchState:
        """Search all of the bytes from state.offset on, and hold back what they contain."""
        return self._search(state, data, is_whole=is_whole, most=None)

    def release(self, state: WatchState) -> tuple[WatchState, Found | None]:
        """Tell of what is held back, however early it is: nothing more will come."""
        return _told(replace(state, told_at=self._clock())) if state.held else (state, None)

    def wait(self, state: WatchState) -> float | None:
        """In how many seconds there is something to tell of, even if nothing more is found."""
        return self._wait_at(state, self._clock()) if state.held and not state.is_off else None

    def _wait_at(self, state: WatchState, now: float) -> float:
        # A clock that was set back must not silence the watch.
        if state.told_at is None or now < state.told_at:
            return 0
        return max(0, state.told_at + self._interval - now)

    def _search(self, state: WatchState, data: bytes, *, is_whole: bool, most: int | None) -> WatchState:
        """Hold back what is found, and stop behind the line of the last one, if no more than `most` are wanted."""
        start = data.find(b"\n") + 1 if state.is_done_with_line else 0
        if state.is_done_with_line and start == 0:
            return replace(state, offset=state.offset + len(data))
        end_of_lines = data.rfind(b"\n") + 1
        end = len(data) if is_whole or len(data) - end_of_lines >= LINE_LIMIT else end_of_lines
        found = deque(enumerate(islice(self._matches(data, start, end), most), 1), maxlen=HELD_LINES)
        is_in_found_line = bool(found) and found[-1][1].end() == len(data)
        if found and most is not None:
            end = min(found[-1][1].end() + 1, len(data))
        # A pattern may begin in this piece of a long line and end in the next one.
        kept = self._overlap if end > end_of_lines and not is_whole and not is_in_found_line else 0
        hits = [self._hit(state, data, start, match) for _, match in found]
        after = replace(state, offset=state.offset + end - kept, is_done_with_line=is_in_found_line)
        return _holding(after, hits, found[-1][0] if found else 0)

    def _matches(self, data: bytes, start: int, end: int) -> Iterator[re.Match[bytes]]:
        """One for each line that has a pattern, from there to the end of the line. Most patterns are not there, and
        to find that out for each of them is many times as fast as an expression for all.
        """
        present = [needle for needle in self._needles if data.find(needle, start, end) >= 0]
        if not present:
            return iter(())
        return re.compile(b"(?:%b)[^\n]*" % b"|".join(map(re.escape, present))).finditer(data, start, end)

    def _hit(self, state: WatchState, data: bytes, start: int, match: re.Match[bytes]) -> Hit:
        begin = max(start, data.rfind(b"\n", start, match.start()) + 1)
        line = data[begin : match.end()]
        pattern = next(pattern for needle, pattern in self._needles.items() if needle in line)
        return Hit(pattern, state.offset + begin, len(line.rstrip(b"\r")))


def skip_to(state: WatchState, offset: int) -> WatchState:
    """Leave out what lies before the offset, if that was not searched."""
    if state.is_off or offset <= state.offset:
        return state
    skipped = state.skipped + offset - state.offset
    return replace(state, offset=offset, is_done_with_line=False, skipped=skipped)


def _holding(state: WatchState, hits: list[Hit], count: int) -> WatchState:
    """With `count` more of them, of which these are the newest."""
    held = (*state.held, *hits)[-HELD_LINES:]
    return replace(state, held=held, suppressed=state.suppressed + len(state.held) + count - len(held))


def _told(state: WatchState) -> tuple[WatchState, Found]:
    return replace(state, held=(), suppressed=0), Found(state.held, state.suppressed, state.is_off, state.skipped)
