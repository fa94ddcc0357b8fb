"""The times of firing that have come: one as a rule, many after an outage."""

from collections import deque
from itertools import chain, takewhile

from wakeful.model.schedules.schedule import Schedule

_HOUR = 3600.0


def due_times(schedule: Schedule, first: float, now: float, limit: int) -> list[float]:
    """Return the newest times up to now, in order and at most `limit`. `first` is the earliest that may be among them.

    After a long outage, the search begins shortly before now and goes back only as far as it takes.
    """
    span = _HOUR
    while True:
        since = max(first, now - span)
        times = chain([first] if since == first else [], schedule.after(since))
        found = deque(takewhile(lambda at: at <= now, times), maxlen=limit)
        if since == first or len(found) == limit:
            return list(found)
        span *= 4
