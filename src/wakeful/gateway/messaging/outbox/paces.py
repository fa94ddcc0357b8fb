"""When posts may be edited or looked up again. Only this process knows: the next one begins with all of them."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from wakeful.engine.ports import Clock
from wakeful.gateway.messaging.persistence import pause_after


@dataclass(frozen=True, slots=True)
class _Pace:
    # By the monotonic clock.
    not_before: float = 0.0
    # In a row.
    failures: int = 0


class Paces:
    """By the keys of the posts."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._paces: dict[str, _Pace] = {}

    def wait(self, key: str) -> float:
        """Return the seconds until the post may be touched again; less than 0: now."""
        return self._paces.get(key, _Pace()).not_before - self._clock.monotonic()

    def note_done(self, key: str, seconds: float = 0.0) -> None:
        """Let the post rest for some seconds."""
        self._paces[key] = _Pace(self._clock.monotonic() + seconds)

    def note_failure(self, key: str, seconds: float = 0.0) -> None:
        """Let the post rest for as long as its platform asks for, or else longer with each failure."""
        failures = self._paces.get(key, _Pace()).failures + 1
        self._paces[key] = _Pace(self._clock.monotonic() + (seconds or pause_after(failures)), failures)

    def keep(self, keys: AbstractSet[str]) -> None:
        self._paces = {key: pace for key, pace in self._paces.items() if key in keys}
