"""What goes wrong with platforms: requests that fail in all ways, lines that break, events that come twice."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence

from tests.acceptance.messengers.messenger import Messenger


class Faults:
    """Meets the platforms at random, about so many times a second."""

    def __init__(self, messengers: Sequence[Messenger], chance: random.Random, rate: float) -> None:
        self._messengers = messengers
        self._chance = chance
        self._rate = rate
        self.counts: Counter[str] = Counter()

    async def rage(self) -> None:
        """Go on until cancelled. What no request has met by then is taken back."""
        try:
            while True:
                await asyncio.sleep(self._chance.expovariate(self._rate))
                await self._strike(self._chance.choice(self._messengers))
        finally:
            self._take_back()

    async def _strike(self, messenger: Messenger) -> None:
        kind = self._chance.choices(["trouble", "repeat", "disconnect"], [10, 3, 1])[0]
        if kind == "trouble":
            request = self._chance.choice(list(messenger.troubles))
            trouble = self._chance.choice(messenger.troubles[request])
            # Not faster than requests come: a platform that fails for ever has nothing to show.
            if not messenger.waiting_troubles[request]:
                messenger.waiting_troubles[request].append(trouble)
                self.counts[trouble] += 1
        elif kind == "repeat":
            self.counts["duplicate"] += await messenger.repeat(self._chance)
        else:
            self.counts["disconnect"] += await messenger.disconnect(self._chance)

    def _take_back(self) -> None:
        for messenger in self._messengers:
            for waiting in messenger.waiting_troubles.values():
                self.counts -= Counter(waiting)
                waiting.clear()
