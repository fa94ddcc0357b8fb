"""A schedule: the text that people write, and the times that it means.

Daylight saving follows Debian's cron. A fixed time that the clock leaves out fires where the clock goes on, one that
the clock shows twice fires the first time; a schedule with `*` in its minutes or hours goes by real time.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise, takewhile
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from wakeful.errors import WakefulError

_NICKNAMES = {"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *"}
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_SPAN = re.compile(r"(every|in)\s+(\d{1,9})\s*([smhd])", re.IGNORECASE)
_MOMENT = re.compile(r"at\s+(\S+)", re.IGNORECASE)
_FORMS = (
    "A schedule is five cron fields (six: seconds first), @hourly, @daily, @weekly, @monthly, "
    "`every 10m`, `in 2h` or `at 2027-01-31T09:00:00Z`."
)
# How many firings of a cron expression are looked at, and over which time, to see how close together they come.
_SAMPLE = 200
_SAMPLE_SECONDS = 5 * 366 * 86_400
_LONGEST_DAYS = 3660
# Times beyond these years are mistakes, and later ones than 9999 cannot be written.
_YEARS = range(1970, 3000)


class ScheduleError(WakefulError):
    """A schedule or its zone cannot be read; `field` says which of the two is wrong."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class Schedule(Protocol):
    def after(self, moment: float) -> Iterator[float]:
        """Yield the times of firing after a moment, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Once:
    at: float

    def after(self, moment: float) -> Iterator[float]:
        if self.at > moment:
            yield self.at


@dataclass(frozen=True, slots=True)
class Interval:
    start: float
    seconds: int

    def after(self, moment: float) -> Iterator[float]:
        # One too early: floating point may round a time of firing to before itself.
        first = max(1, int((moment - self.start) // self.seconds))
        for count in itertools.count(first):
            if (at := self.start + count * self.seconds) > moment:
                yield at


@dataclass(frozen=True, slots=True)
class Cron:
    expression: str
    zone: ZoneInfo

    def after(self, moment: float) -> Iterator[float]:
        return self._real_times(moment) if self._goes_by_real_time else self._fixed_times(moment)

    def _fixed_times(self, moment: float) -> Iterator[float]:
        start = datetime.fromtimestamp(moment, self.zone)
        # Where the hour comes twice, its first turn is long over when its second one is left out.
        shown = start.replace(tzinfo=None, fold=0) - timedelta(hours=start.fold)
        last = moment
        for at in (_first_real(at, self.zone) for at in CronSim(self.expression, shown)):
            # Two times that the clock leaves out fire as one, and the hour that comes twice is entered from its end.
            if at > last:
                yield at
                last = at

    def _real_times(self, moment: float) -> Iterator[float]:
        """Yield the times of clocks that are never set, until these clocks are; then go on with the new ones.

        CronSim would go by real time itself, but takes every change of the clocks for one of a whole hour.
        """
        at: float | None = moment
        offset = self._offset(moment)
        while at is not None:
            last, at = at, None
            for shown in CronSim(self.expression, datetime.fromtimestamp(last, UTC).replace(tzinfo=None) + offset):
                real = (shown - offset).replace(tzinfo=UTC).timestamp()
                if (change := self._change_between(last, real, offset)) is not None:
                    at, offset = change - 1, self._offset(change)
                    break
                yield real
                last = real

    def _change_between(self, start: float, end: float, offset: timedelta) -> float | None:
        """Return when the clocks are first set to another offset up to `end`, to the second."""
        before = start
        # Clocks are set at most once a day.
        while self._offset(until := min(before + _SECONDS["d"], end)) == offset:
            if until == end:
                return None
            before = until
        while until - before > 1:
            middle = (before + until) // 2
            before, until = (middle, until) if self._offset(middle) == offset else (before, middle)
        return until

    def _offset(self, moment: float) -> timedelta:
        return datetime.fromtimestamp(moment, self.zone).utcoffset() or timedelta()

    @property
    def _goes_by_real_time(self) -> bool:
        minutes, hours = self.expression.split()[-5:-3]
        return minutes.startswith("*") or hours.startswith("*")


def parse_schedule(text: str, zone: str, start: float, *, min_seconds: float = 0.0) -> Schedule:
    """Read and check a schedule that is made at `start`. Raises ScheduleError."""
    schedule = read_schedule(text, zone, start)
    times = list(islice(takewhile(lambda at: at <= start + _SAMPLE_SECONDS, schedule.after(start)), _SAMPLE))
    if not times and next(schedule.after(start), None) is None:
        raise ScheduleError("schedule", f"{text!r} never fires: its time is over, or no day fits it.")
    shortest = min((later - earlier for earlier, later in pairwise(times)), default=min_seconds)
    if shortest < min_seconds:
        raise ScheduleError(
            "schedule", f"{text!r} fires faster than every {min_seconds:g} seconds, which is the least."
        )
    return schedule


def read_schedule(text: str, zone: str, start: float) -> Schedule:
    """Read a schedule that was made at `start`. Raises ScheduleError."""
    return _parse(text.strip(), zone_of(zone), start)


def zone_of(name: str) -> ZoneInfo:
    """Raises ScheduleError."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ScheduleError("timezone", f"There is no time zone {name!r}: name one like Europe/Berlin.") from error


def _parse(text: str, zone: ZoneInfo, start: float) -> Schedule:
    if found := _SPAN.fullmatch(text):
        seconds = int(found[2]) * _SECONDS[found[3].lower()]
        if not seconds:
            raise ScheduleError("schedule", f"{text!r} names no time: the number must be at least 1.")
        if seconds > _LONGEST_DAYS * _SECONDS["d"]:
            raise ScheduleError("schedule", f"{text!r} is too long: {_LONGEST_DAYS} days are the most.")
        return Interval(start, seconds) if found[1].lower() == "every" else Once(start + seconds)
    if found := _MOMENT.fullmatch(text):
        return Once(moment_of(found[1], "schedule"))
    expression = _NICKNAMES.get(text.lower(), text)
    try:
        CronSim(expression, datetime.fromtimestamp(start, UTC))
    except CronSimError as error:
        raise ScheduleError("schedule", f"{text!r} cannot be read ({error}). {_FORMS}") from error
    return Cron(expression, zone)


def moment_of(text: str, field: str) -> float:
    """Read a time as RFC 3339 writes it. Raises ScheduleError."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ScheduleError(field, f"{text!r} is no time: write it like 2027-01-31T09:00:00Z.") from error
    if moment.tzinfo is None:
        raise ScheduleError(field, f"{text!r} names no zone: end it with Z or an offset like +01:00.")
    if moment.year not in _YEARS:
        raise ScheduleError(field, f"{text!r} is too far away: the years are {_YEARS.start} to {_YEARS.stop - 1}.")
    return moment.timestamp()


def _first_real(shown: datetime, zone: ZoneInfo) -> float:
    """Return the first instant at which the zone's clocks show this time, or a later one if they leave it out."""
    while True:
        at = shown.replace(tzinfo=zone)
        if at.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == shown:
            return at.timestamp()
        shown = shown.replace(second=0) + timedelta(minutes=1)
