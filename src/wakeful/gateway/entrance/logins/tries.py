"""How often one may try to log in and fail: for each address, and for all of them together."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Network, ip_address


@dataclass(frozen=True, slots=True)
class Patience:
    """So many failures at once; after them one more for every so many seconds."""

    failures: int
    seconds: float

    def wait(self, debt: float) -> float:
        """How long until the next try, when failures of `debt` seconds are not forgotten yet."""
        return max(0.0, debt - (self.failures - 1) * self.seconds)


_WITH_ONE = Patience(failures=5, seconds=30.0)
# Not much more than with one: whoever has many addresses should gain little by it.
_WITH_ALL = Patience(failures=50, seconds=5.0)
_MOST_ADDRESSES = 10_000


class Tries:
    """In memory: a start forgets, and every node counts for itself."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # When all of its failures will be forgotten; the address that failed last comes last.
        self._of_one: OrderedDict[str, float] = OrderedDict()
        self._of_all = 0.0

    def wait(self, address: str) -> float:
        """How many seconds until this address may try; 0: now."""
        now = self._clock()
        until = self._of_one.get(_place(address), now)
        return max(_WITH_ONE.wait(until - now), _WITH_ALL.wait(self._of_all - now))

    def fail(self, address: str) -> None:
        now, place = self._clock(), _place(address)
        self._of_one[place] = max(now, self._of_one.get(place, now)) + _WITH_ONE.seconds
        self._of_one.move_to_end(place)
        self._of_all = max(now, self._of_all) + _WITH_ALL.seconds
        if len(self._of_one) > _MOST_ADDRESSES:
            self._of_one.popitem(last=False)


def _place(address: str) -> str:
    """One who has an IPv6 address has as many as there are in its network."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return address if parsed.version == 4 else str(IPv6Network((int(parsed), 64), strict=False))
