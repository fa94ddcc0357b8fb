"""Watch patterns: lines of an output that the agent wants to be told of, and not too often.

A step goes from one state to the next; what it has found is written down together with the state behind it, so that
a restart neither loses nor doubles a match.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import orjson

# How much of an output one step may be given.
CHUNK = 256 * 1024
# A line that gets longer is searched before it ends.
LINE_LIMIT = 64 * 1024

_STRIKES = 3


@dataclass(frozen=True, slots=True)
class WatchState:
    # Everything before it was searched.
    offset: int = 0
    # The offset is in a line that was found already.
    is_done_with_line: bool = False
    told_at: float | None = None
    # Matches since then that nobody was told of.
    suppressed: int = 0
    # How many times in a row there were such matches.
    strikes: int = 0
    is_off: bool = False

    def dump(self) -> bytes:
        return orjson.dumps(asdict(self))


def load_state(data: bytes) -> WatchState:
    return WatchState(**orjson.loads(data))


@dataclass(frozen=True, slots=True)
class Found:
    """A line to tell of, after `suppressed` others. With `is_last` the watch has turned itself off."""

    pattern: str
    line: bytes
    offset: int
    suppressed: int
    is_last: bool


@dataclass(frozen=True, slots=True)
class Watch:
    patterns: Sequence[str]
    # At most one match is told of in this many seconds.
    interval: float
    clock: Callable[[], float]

    def step(self, state: WatchState, data: bytes, *, is_whole: bool) -> tuple[WatchState, Found | None]:
        """Search the bytes from state.offset on, up to the next line to tell of. `is_whole`: no more will come, a
        last line needs no newline.
        """
        start = state.offset
        while not state.is_off:
            position = state.offset - start
            end, has_ended = self._end_of_piece(state, data, position, is_whole=is_whole)
            if end == position:
                break
            piece = data[position:end]
            pattern = None if state.is_done_with_line else self._pattern_in(piece)
            state = self._behind(state, piece, has_ended=has_ended, is_found=pattern is not None)
            if pattern is None:
                continue
            state, found = self._judge(state, Found(pattern, piece.rstrip(b"\r\n"), start + position, 0, False))
            if found is not None:
                return state, found
        return state, None

    def _end_of_piece(self, state: WatchState, data: bytes, position: int, *, is_whole: bool) -> tuple[int, bool]:
        """Where the next piece to search ends, and whether a line ends there. Nowhere, while a line is incomplete."""
        newline = data.find(b"\n", position)
        if newline >= 0:
            return newline + 1, True
        if is_whole or state.is_done_with_line or len(data) - position >= LINE_LIMIT:
            return len(data), is_whole
        return position, False

    def _pattern_in(self, piece: bytes) -> str | None:
        return next((pattern for pattern in self.patterns if pattern.encode() in piece), None)

    def _behind(self, state: WatchState, piece: bytes, *, has_ended: bool, is_found: bool) -> WatchState:
        is_done = not has_ended and (is_found or state.is_done_with_line)
        # A pattern may begin in this piece and end in the next one.
        kept = 0 if has_ended or is_done else max(len(pattern.encode()) for pattern in self.patterns) - 1
        return replace(state, offset=state.offset + len(piece) - kept, is_done_with_line=is_done)

    def _judge(self, state: WatchState, found: Found) -> tuple[WatchState, Found | None]:
        now = self.clock()
        if state.told_at is not None and 0 <= now - state.told_at < self.interval:
            return replace(state, suppressed=state.suppressed + 1), None
        strikes = state.strikes + 1 if state.suppressed else 0
        is_last = strikes == _STRIKES
        told = replace(found, suppressed=state.suppressed, is_last=is_last)
        return replace(state, told_at=now, suppressed=0, strikes=strikes, is_off=is_last), told
