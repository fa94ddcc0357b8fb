"""A client of a stored response's stream that comes back until it has the last event. Hundreds of them are cheap."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import aiohttp
import orjson

from tests.api.server import ALICE, ApiServer
from wakeful.cli.server.open_files import allow_many_open_files

_END = b"\n\n"
_DONE = b"data: [DONE]"
TERMINAL = {"response.completed", "response.failed", "response.cancelled", "response.incomplete"}


@asynccontextmanager
async def many_connections(**how: Any) -> AsyncIterator[aiohttp.ClientSession]:
    """Yield a client without a limit of connections."""
    allow_many_open_files()
    headers = {"authorization": f"Bearer {ALICE}"}
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, headers=headers, timeout=_PATIENT, **how) as http:
        yield http


@dataclass(slots=True)
class Reader:
    words: str
    key: str
    events: list[dict[str, Any]] = field(default_factory=list)
    # The stream ended with [DONE].
    is_done: bool = False
    # The connection broke before the stream ended properly.
    is_cut: bool = False

    @property
    def response_id(self) -> str:
        response_id: str = self.events[0]["response"]["id"]
        return response_id

    @property
    def has_ended(self) -> bool:
        return bool(self.events) and self.events[-1]["type"] in TERMINAL

    @property
    def said(self) -> str:
        """The text of the items in the final output. An item whose words were lost while the reader was away is never
        closed for it, because the server no longer has it.
        """
        left = {item["id"] for item in self.events[-1]["response"]["output"]}
        deltas = [event for event in self.events if event["type"] == "response.output_text.delta"]
        return "".join(event["delta"] for event in deltas if event["item_id"] in left)

    async def follow(self, http: aiohttp.ClientSession, server: ApiServer) -> None:
        """Read until the stream ends or is cut."""
        try:
            if not self.events:
                await self._read(http.post(f"{server.root}/v1/responses", **self.request))
            elif not self.has_ended:
                query = {"stream": "true", "starting_after": str(self.events[-1]["sequence_number"])}
                await self._read(http.get(f"{server.root}/v1/responses/{self.response_id}", params=query))
        except aiohttp.ClientError:
            self.is_cut = True

    @property
    def request(self) -> dict[str, Any]:
        return {"json": {"input": self.words, "stream": True}, "headers": {"idempotency-key": self.key}}

    async def _read(self, asking: Any) -> None:
        async with asking as reply:
            assert reply.status == 200, await reply.text()
            rest = b""
            async for chunk in reply.content.iter_any():
                *frames, rest = (rest + chunk).split(_END)
                for frame in frames:
                    self._take(frame)

    def _take(self, frame: bytes) -> None:
        if frame == _DONE:
            self.is_done = True
        elif frame != b":":
            self.events.append(orjson.loads(frame.partition(b"data: ")[2]))


async def all_have_seen(readers: list[Reader], count: int) -> None:
    while min(len(reader.events) for reader in readers) < count:  # noqa: ASYNC110 - each at its own pace
        await asyncio.sleep(0.01)


def check_whole(reader: Reader, final: dict[str, Any], words: str, *, crashes: int = 0) -> None:
    """Check that each event came once and that they match the response. Numbers may be missing only for lost words."""
    numbers = [event["sequence_number"] for event in reader.events]
    assert numbers[0] == 0
    assert numbers == sorted(set(numbers))
    assert sum(after != before + 1 for before, after in pairwise(numbers)) <= 2 * crashes
    assert [event["type"] for event in reader.events if event["type"] in TERMINAL] == ["response.completed"]
    assert reader.events[-1]["response"] == final
    (message,) = final["output"]
    assert reader.said == message["content"][0]["text"] == words
    assert reader.is_done


_PATIENT = aiohttp.ClientTimeout(total=90)
