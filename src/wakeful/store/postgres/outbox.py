"""Notifications for other nodes: signals that wait for the connection are merged into one."""

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
    """Signals that were merged and not sent yet."""

    # Sessions that changed, each with its newest known number, or 0.
    sessions: dict[str, int] = field(default_factory=dict)
    # Turns and their new epochs.
    fenced: dict[str, int] = field(default_factory=dict)
    # Sessions that are streaming words.
    spoken: dict[str, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(self.sessions) + len(self.fenced) + len(self.spoken)

    def halves(self) -> tuple["Letter", "Letter"]:
        items = [(part, item) for part in ("sessions", "fenced", "spoken") for item in getattr(self, part).items()]
        middle = len(items) // 2
        return _letter_of(items[:middle]), _letter_of(items[middle:])


def _letter_of(items: list[tuple[str, tuple[str, int]]]) -> Letter:
    letter = Letter()
    for part, (name, number) in items:
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
        """End wait(), because the node is stopping."""
        self._has_mail.set()

    async def wait(self, seconds: float) -> None:
        """Wait for something to send, at most so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._has_mail.wait()

    async def send(self, connection: PostgresConnection, channel: str) -> None:
        """Send everything. On an error it stays in the outbox."""
        self._payloads += payloads_of(self._origin, self._letter)
        self._letter = Letter()
        self._has_mail.clear()
        if self._payloads:
            await connection.execute(
                "SELECT count(pg_notify($1, payload)) FROM unnest($2::text[]) payload", channel, self._payloads
            )
            self._payloads = []


def newest_numbers(signal: Signal) -> dict[str, int]:
    """Return the sessions of a signal, each with the number of its newest event in the signal, or 0."""
    newest = dict.fromkeys(signal.sessions, 0)
    for event in signal.events:
        newest[event.session_id] = max(event.session_seq, newest.get(event.session_id, 0))
    return newest


def payloads_of(origin: str, letter: Letter) -> list[str]:
    """Split a letter into payloads that fit. An item that does not even fit alone is sent as "everything changed"."""
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
    """Return a payload's origin, its signal, and the newest numbers of its sessions."""
    origin, *changes = orjson.loads(payload)
    if not changes:
        return origin, EVERYTHING, {}
    sessions, fenced, spoken = changes
    return origin, Signal(frozenset(sessions), fenced, spoken=frozenset(spoken)), sessions
