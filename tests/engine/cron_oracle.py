"""When cron expressions fire, found as Debian's cron finds it: by a clock that ticks every minute.

Nothing here knows the library that the server uses. A wildcard job fires in each minute whose clock time fits. A job at
a fixed time fires in the minute in which the clock passes that time for the first time, also if it jumps over it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

MINUTE = 60
_ONE = timedelta(minutes=1)
# Clocks are set on a quarter of an hour.
_QUARTER = 900
_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))


@dataclass(frozen=True)
class Expression:
    text: str

    @property
    def is_wild(self) -> bool:
        minutes, hours = self.text.split()[:2]
        return minutes.startswith("*") or hours.startswith("*")

    def sets(self) -> list[set[int]]:
        return [_values(part, *bounds) for part, bounds in zip(self.text.split(), _RANGES, strict=True)]


class Tick(NamedTuple):
    """A minute: when it is, what the clocks of a zone show, which times they jump over to get there."""

    at: float
    shown: datetime
    skipped: tuple[datetime, ...]
    is_repeated: bool


def firings(text: str, zone: str, start: float, end: float) -> list[float]:
    """Return the times after `start`, up to `end`."""
    expression = Expression(text)
    sets = expression.sets()
    days_are_either = not any(part.startswith("*") for part in (text.split()[2], text.split()[4]))

    def fits(shown: datetime) -> bool:
        minute, hour, day, month, weekday = sets
        if shown.minute not in minute or shown.hour not in hour or shown.month not in month:
            return False
        is_day, is_weekday = shown.day in day, shown.isoweekday() % 7 in weekday
        return (is_day or is_weekday) if days_are_either else (is_day and is_weekday)

    if expression.is_wild:
        found = (tick.at for tick in _ticks(zone, start, end) if fits(tick.shown))
    else:
        found = (
            tick.at
            for tick in _ticks(zone, start, end)
            if (fits(tick.shown) and not tick.is_repeated) or any(map(fits, tick.skipped))
        )
    return [at for at in found if start < at <= end]


def _ticks(zone: str, start: float, end: float) -> Iterator[Tick]:
    known = ZoneInfo(zone)
    offset = timedelta()
    # A day before: the clock may have been set back shortly before the start.
    at = start - start % MINUTE - 86_400
    latest = _shown(at - MINUTE, _offset(at - MINUTE, known))
    while at <= end:
        if at % _QUARTER == 0 or not offset:
            offset = _offset(at, known)
        shown = _shown(at, offset)
        if shown - latest == _ONE:
            yield Tick(at, shown, (), False)
            latest = shown
        else:
            yield _odd_tick(at, shown, latest)
            latest = max(latest, shown)
        at += MINUTE


def _odd_tick(at: float, shown: datetime, latest: datetime) -> Tick:
    """Return a minute that does not follow the latest that clocks have shown."""
    gap = (shown - latest) // _ONE
    return Tick(at, shown, tuple(latest + step * _ONE for step in range(1, gap)), is_repeated=gap <= 0)


def _offset(at: float, zone: ZoneInfo) -> timedelta:
    return datetime.fromtimestamp(at, UTC).astimezone(zone).utcoffset() or timedelta()


def _shown(at: float, offset: timedelta) -> datetime:
    return datetime.fromtimestamp(at, UTC).replace(tzinfo=None) + offset


def _values(part: str, low: int, high: int) -> set[int]:
    values: set[int] = set()
    for piece in part.split(","):
        span, _, step = piece.partition("/")
        first, _, last = (low, "", high) if span == "*" else span.partition("-")
        values |= set(range(int(first), int(last or first) + 1, int(step or 1)))
    return values


@dataclass
class Expected:
    """What is to become of one job's firings, given when somebody looked."""

    times: Sequence[float]
    catch_up: float
    last: float
    outcomes: dict[float, str]

    def look(self, now: float) -> None:
        due = [at for at in self.times if self.last < at <= now]
        for at in due[:-1]:
            self.outcomes[at] = "missed"
        if due:
            self.outcomes[due[-1]] = "done" if now - due[-1] <= self.catch_up else "missed"
            self.last = due[-1]
