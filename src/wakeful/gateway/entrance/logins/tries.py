"""Limits failed logins: per client address, and for all addresses together."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Network, ip_address


@dataclass(frozen=True, slots=True)
class Allowance:
    """Allows `failures` failures at once, and after them one more every `seconds` seconds."""

    failures: int
    seconds: float

    def wait(self, debt: float) -> float:
        """Return the seconds until the next try; `debt` is how long it takes until all failures are forgotten."""
        return max(0.0, debt - (self.failures - 1) * self.seconds)


_PER_NETWORK = Allowance(failures=5, seconds=30.0)
# Not much more than for a single network: an attacker with many addresses should gain little by them.
_IN_ALL = Allowance(failures=50, seconds=5.0)
_MOST_NETWORKS = 10_000


class Tries:
    """Counts failed logins in memory: a restart forgets them, and every node counts its own."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # When all failures of a network will be forgotten; the network that failed last comes last.
        self._forgotten_at: OrderedDict[str, float] = OrderedDict()
        self._all_forgotten_at = 0.0

    def wait(self, address: str) -> float:
        """Return the seconds until this address may try again, 0 if it may now."""
        now = self._clock()
        until = self._forgotten_at.get(_network(address), now)
        return max(_PER_NETWORK.wait(until - now), _IN_ALL.wait(self._all_forgotten_at - now))

    def fail(self, address: str) -> None:
        now, network = self._clock(), _network(address)
        self._forgotten_at[network] = max(now, self._forgotten_at.get(network, now)) + _PER_NETWORK.seconds
        self._forgotten_at.move_to_end(network)
        self._all_forgotten_at = max(now, self._all_forgotten_at) + _IN_ALL.seconds
        if len(self._forgotten_at) > _MOST_NETWORKS:
            self._forgotten_at.popitem(last=False)


def _network(address: str) -> str:
    """Return an IPv6 address's /64 network, since one client can use all of its addresses; IPv4 stays as it is."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return address if parsed.version == 4 else str(IPv6Network((int(parsed), 64), strict=False))
