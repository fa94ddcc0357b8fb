"""What the other nodes have yet to hear: signals that wait for the line are put together into one."""

import asyncio
from contextlib import suppress

import orjson

from wakeful.store.base import Signal
from wakeful.store.postgres.connection import Connection

EVERYTHING = Signal(frozenset(), is_everything=True)

# The server takes 7,999 bytes.
_LONGEST_PAYLOAD = 7_900


class Outbox:
    def __init__(self, origin: str) -> None:
        self._origin = origin
        # Sessions in which something happened, with the newest number that is known of each; 0 when none is.
        self._sessions: dict[str, int] = {}
        self._fenced: dict[str, int] = {}
        self._payloads: list[str] = []
        self._has_mail = asyncio.Event()

    def add(self, signal: Signal) -> None:
        for session_id, number in newest_numbers(signal).items():
            self._sessions[session_id] = max(number, self._sessions.get(session_id, 0))
        self._fenced |= signal.fenced
        self._has_mail.set()

    def wake(self) -> None:
        """Do not wait any longer: the node stops."""
        self._has_mail.set()

    async def wait(self, seconds: float) -> None:
        """Until there is something to send, but no longer than that."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._has_mail.wait()

    async def send(self, connection: Connection, channel: str) -> None:
        """What could not be sent stays for the next time."""
        self._payloads += payloads_of(self._origin, self._sessions, self._fenced)
        self._sessions, self._fenced = {}, {}
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


def payloads_of(origin: str, sessions: dict[str, int], fenced: dict[str, int]) -> list[str]:
    """Where to look, in as many messages as it takes; only one thing that would not even fit alone is everywhere."""
    if not sessions and not fenced:
        return []
    payload = orjson.dumps([origin, sessions, fenced])
    if len(payload) <= _LONGEST_PAYLOAD:
        return [payload.decode()]
    if len(sessions) + len(fenced) == 1:
        return [orjson.dumps([origin]).decode()]
    first, last = _halves(sessions), _halves(fenced)
    return payloads_of(origin, first[0], last[0]) + payloads_of(origin, first[1], last[1])


def read_payload(payload: str) -> tuple[str, Signal, dict[str, int]]:
    """Its origin, what it says, and the newest numbers of the sessions that it names."""
    origin, *where = orjson.loads(payload)
    if not where:
        return origin, EVERYTHING, {}
    sessions, fenced = where
    return origin, Signal(frozenset(sessions), fenced), sessions


def _halves(numbers: dict[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    items = list(numbers.items())
    middle = len(items) // 2
    return dict(items[:middle]), dict(items[middle:])
