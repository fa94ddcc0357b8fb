"""Decides when a webhook that failed is tried again: after seconds at first, then hours, for about a day."""

_FIRST_SECONDS = 5.0
_GROWTH = 3.0
# Jitter can make it a quarter longer: five hours.
_LONGEST_SECONDS = 4 * 3600.0
# All the waits together are about a day.
_MOST_RETRIES = 13


def seconds_to_next_try(tries: int, chance: float) -> float | None:
    """Return the wait after `tries` failed tries, or None to give up.

    `chance`, from 0 to 1, makes it up to a quarter shorter or longer, so that what failed together is not retried
    together.
    """
    if tries > _MOST_RETRIES:
        return None
    seconds = min(_FIRST_SECONDS * _GROWTH ** (tries - 1), _LONGEST_SECONDS)
    return seconds * (0.75 + chance / 2)
