"""A reader of one turn that changes servers all the time: at facts, amid words, when one dies or freezes."""

import asyncio
import random
from dataclasses import dataclass, field

import aiohttp
import orjson

from tests.acceptance.cluster import Cluster

_SILENCE_SECONDS = 1.5


@dataclass(slots=True)
class TurnReader:
    cluster: Cluster
    turn_id: str
    chance: random.Random
    cursor: str = ""
    # Mistakes of the stream.
    complaints: list[str] = field(default_factory=list)
    text: str = ""
    words: int = 0
    has_ended: bool = False
    _facts: int = 0
    _word: int = 0

    async def to_the_end(self) -> None:
        async with aiohttp.ClientSession() as client:
            while not self.has_ended:
                try:
                    await self._read_some(client)
                except (aiohttp.ClientError, TimeoutError, IndexError):
                    await asyncio.sleep(0.05)  # It died or hangs: ask another one.

    async def _read_some(self, client: aiohttp.ClientSession) -> None:
        """Read from one server until its stream ends or the reader chooses to change."""
        url = f"http://127.0.0.1:{self.cluster.any_port()}/api/chat/stream"
        headers = self.cluster.headers | ({"last-event-id": self.cursor} if self.cursor else {})
        limit = aiohttp.ClientTimeout(total=None, sock_connect=_SILENCE_SECONDS, sock_read=_SILENCE_SECONDS)
        frames_left = self.chance.randint(1, 30)
        async with client.get(url, params={"stream_id": self.turn_id}, headers=headers, timeout=limit) as reply:
            if reply.status == 204:
                self.has_ended = True
            if reply.status != 200:
                return
            frame: dict[str, str] = {}
            async for line in reply.content:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name in ("id", "event", "data"):
                    frame[name] = value
                elif not name and "id" in frame:
                    self._take(frame)
                    frame, frames_left = {}, frames_left - 1
                    if self.has_ended or not frames_left:
                        return

    def _take(self, frame: dict[str, str]) -> None:
        self.cursor = frame["id"]
        fact, _, word = frame["id"].partition("~")
        data = orjson.loads(frame["data"])
        if word:
            self._take_word(int(fact), int(word), data["text"])
        elif int(fact) == self._facts and frame["event"] == "step_abandoned":
            self.text, self._word = "", 0  # Sent to this reader alone: it has seen words that were not kept.
        else:
            self._take_fact(int(fact), frame["event"])

    def _take_word(self, fact: int, word: int, text: str) -> None:
        if (fact, word) != (self._facts, self._word + 1):
            self.complaints.append(f"word {fact}~{word} after {self._facts}~{self._word}")
        self._word = word
        self.words += 1
        self.text += text

    def _take_fact(self, fact: int, kind: str) -> None:
        if fact != self._facts + 1:
            self.complaints.append(f"{kind} is {fact} after {self._facts}")
        self._facts, self._word = fact, 0
        if kind == "step_abandoned":
            self.text = ""
        self.has_ended = kind in ("done", "failed", "cancelled")
        if kind in ("failed", "cancelled"):
            self.complaints.append(f"it has {kind}")
