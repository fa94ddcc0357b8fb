"""What the other nodes have yet to hear: signals that wait for the line are put together into one."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

import orjson

from wakeful.store.base import Signal
from wakeful.store.postgres.connection import PostgresConnection

EVERYTHING = Signal(frozenset(), is_everything=True)

# The server takes 7,999 bytes.
_LONGEST_PAYLOAD = 7_900


@dataclass(frozen=True, slots=True)
class Letter:
    # Sessions in which something happened, with the newest number that is known of each; 0 when none is.
    sessions: dict[str, int] = field(default_factory=dict)
    # Turns and their new epochs.
    fenced: dict[str, int] = field(default_factory=dict)
    # Sessions that are saying something.
    spoken: dict[str, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(self.sessions) + len(self.fenced) + len(self.spoken)

    def halves(self) -> tuple["Letter", "Letter"]:
        lines = [(part, line) for part in ("sessions", "fenced", "spoken") for line in getattr(self, part).items()]
        middle = len(lines) // 2
        return _letter_of(lines[:middle]), _letter_of(lines[middle:])


def _letter_of(lines: list[tuple[str, tuple[str, int]]]) -> Letter:
    letter = Letter()
    for part, (name, number) in lines:
        getattr(letter, part)[name] = number
    return letter


class Outbox:
    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._letter = Letter()
        self._payloads: list[str] = []
        self._has_mail = asyncio.Event()

    def add(self, signal: Signal) -> None:
        sessions = self._letter.sessions
        for session_id, number in newest_numbers(signal).items():
            sessions[session_id] = max(number, sessions.get(session_id, 0))
        self._letter.fenced.update(signal.fenced)
        self._has_mail.set()

    def add_spoken(self, session_ids: Iterable[str]) -> None:
        self._letter.spoken.update(dict.fromkeys(session_ids, 1))
        self._has_mail.set()

    def wake(self) -> None:
        """Do not wait any longer: the node stops."""
        self._has_mail.set()

    async def wait(self, seconds: float) -> None:
        """Until there is something to send, but no longer than that."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._has_mail.wait()

    async def send(self, connection: PostgresConnection, channel: str) -> None:
        """What could not be sent stays for the next time."""
        self._payloads += payloads_of(self._origin, self._letter)
        self._letter = Letter()
        self._has_mail.clear()
        if self._payloads:
            await connection.execute(
                "SELECT count(pg_notify($1, payload)) FROM unnest($2::text[]) payload", channel, self._payloads
            )
            self._payloads = []


def newest_numbers(signal: Signal) -> dict[str, int]:
    """The sessions of a signal, each with the number of its newest event that the signal holds, or 0."""
    newest = dict.fromkeys(signal.sessions, 0)
    for event in signal.events:
        newest[event.session_id] = max(event.session_seq, newest.get(event.session_id, 0))
    return newest


def payloads_of(origin: str, letter: Letter) -> list[str]:
    """Where to look, in as many messages as it takes; only one thing that would not even fit alone is everywhere."""
    if not letter.size:
        return []
    payload = orjson.dumps([origin, letter.sessions, letter.fenced, letter.spoken])
    if len(payload) <= _LONGEST_PAYLOAD:
        return [payload.decode()]
    if letter.size == 1:
        return [orjson.dumps([origin]).decode()]
    first, second = letter.halves()
    return payloads_of(origin, first) + payloads_of(origin, second)


def read_payload(payload: str) -> tuple[str, Signal, dict[str, int]]:
    """Its origin, what it says, and the newest numbers of the sessions that it names."""
    origin, *where = orjson.loads(payload)
    if not where:
        return origin, EVERYTHING, {}
    sessions, fenced, spoken = where
    return origin, Signal(frozenset(sessions), fenced, spoken=frozenset(spoken)), sessions
