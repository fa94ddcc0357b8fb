"""A storm: people in many chats let jobs run, while servers are killed and platforms break."""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.acceptance.messengers.faults import Faults
from tests.acceptance.messengers.messenger import Messenger, Place
from tests.acceptance.messengers.model import ask_text
from tests.acceptance.messengers.servers import Servers

# How long nothing may change before the rest counts as lost.
_PATIENCE_SECONDS = 45.0
_LOOK_SECONDS = 0.1
# What comes twice comes within this time.
_AFTERMATH_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Weather:
    # On each platform.
    chats: int
    # In each chat.
    messages: int
    kills: int
    # How long people talk, and servers are killed, at least.
    seconds: float
    # Faults of platforms in a second.
    faults: float
    longest_job: float = 4.0


@dataclass(frozen=True, slots=True)
class ChatJob:
    name: str
    seconds: float
    code: int

    def command(self, ledger: Path) -> str:
        return f"echo {self.name} >> {ledger}; sleep {self.seconds}; exit {self.code}"


@dataclass(frozen=True, slots=True)
class Ask:
    """What a person has asked for: jobs and an answer, or a new conversation."""

    number: int
    # Where it is answered.
    place: Place
    message_id: str
    jobs: Sequence[ChatJob] = ()
    is_new: bool = False


@dataclass(slots=True)
class People:
    """Write in all chats at the same time, and keep in mind what they have asked for."""

    messengers: Sequence[Messenger]
    weather: Weather
    chance: random.Random
    ledger: Path
    asked: list[Ask] = field(default_factory=list)
    _asks: int = 0
    _jobs: int = 0

    async def talk(self) -> None:
        chats = [
            self._talk_at(messenger, place)
            for messenger in self.messengers
            for place in messenger.places(self.weather.chats)
        ]
        await asyncio.gather(*chats)

    async def _talk_at(self, messenger: Messenger, place: Place) -> None:
        for number in range(self.weather.messages):
            await asyncio.sleep(self.chance.uniform(0, 2 * self.weather.seconds / self.weather.messages))
            if not any(shown.place == place for shown in messenger.shown()):
                # Nobody keeps what is written to a server that has never heard of the chat while it is away.
                await until(messenger.is_heard)
            place = await self._write(messenger, place, is_new=number > 0 and self.chance.random() < 0.25)

    async def _write(self, messenger: Messenger, place: Place, *, is_new: bool) -> Place:
        number, self._asks = self._asks, self._asks + 1
        jobs = [] if is_new else [self._make_job() for _ in range(self.chance.choice([0, 1, 1, 2]))]
        text = "!new" if is_new else ask_text(number, [job.command(self.ledger) for job in jobs])
        place, message_id = await messenger.write(place, text)
        self.asked.append(Ask(number, place, message_id, jobs, is_new))
        return place

    def _make_job(self) -> ChatJob:
        self._jobs += 1
        seconds = self.chance.choice([0.0, 0.3, self.weather.longest_job]) * self.chance.uniform(0.5, 1.0)
        return ChatJob(f"job-{self._jobs}", round(seconds, 2), self.chance.choice([0, 0, 1, 42]))


async def storm(servers: Servers, people: People, faults: Faults, missing: Callable[[], Sequence[str]]) -> None:
    """Let it blow over. `missing` names what people still wait for."""
    platforms = asyncio.create_task(_mind_platforms(people.messengers))
    raging = asyncio.create_task(faults.rage())
    talking = asyncio.create_task(people.talk())
    try:
        await _kill_at_random(servers, people.weather, people.chance)
        await talking
        raging.cancel()
        await asyncio.gather(raging, return_exceptions=True)
        await _until_nothing(missing)
        await asyncio.sleep(_AFTERMATH_SECONDS)
    finally:
        for task in (platforms, raging, talking):
            task.cancel()
        await asyncio.gather(platforms, raging, talking, return_exceptions=True)


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - another process changes it
        await asyncio.sleep(_LOOK_SECONDS)


async def _kill_at_random(servers: Servers, weather: Weather, chance: random.Random) -> None:
    for _ in range(weather.kills):
        await asyncio.sleep(chance.uniform(0, 2 * weather.seconds / weather.kills))
        await servers.kill_one()


async def _mind_platforms(messengers: Sequence[Messenger]) -> None:
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        for messenger in messengers:
            await messenger.mind()


async def _until_nothing(missing: Callable[[], Sequence[str]]) -> None:
    """Return when nothing is missing, or nothing that is missing comes any more."""
    loop = asyncio.get_running_loop()
    before, since = list(missing()), loop.time()
    while before and loop.time() - since < _PATIENCE_SECONDS:
        await asyncio.sleep(_LOOK_SECONDS)
        now = list(missing())
        if now != before:
            before, since = now, loop.time()
