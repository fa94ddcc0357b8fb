"""The server is killed in the middle of stored streams: whoever comes back misses nothing and sees nothing twice."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx2
import openai
import pytest
from openai import AsyncOpenAI

from tests.api.server import ApiServer, ModelEndpoint, script, until

_STREAMS = 10
_TOKENS = 40
_WORDS = "".join(f"token{number} " for number in range(_TOKENS))


@dataclass(slots=True)
class Reader:
    """A client that comes back until it has the last event."""

    number: int
    events: list[Any] = field(default_factory=list)

    @property
    def asked(self) -> dict[str, Any]:
        key = {"Idempotency-Key": f"reader {self.number}"}
        return {"input": script(tokens=_TOKENS, rate=40), "stream": True, "extra_headers": key}

    @property
    def response_id(self) -> str:
        response_id: str = self.events[0].response.id
        return response_id

    async def begin(self, client: AsyncOpenAI) -> None:
        """Until the server is gone."""
        with suppress(openai.APIConnectionError, httpx2.TransportError):
            async for event in await client.responses.create(**self.asked):
                self.events.append(event)

    async def go_on(self, client: AsyncOpenAI) -> None:
        after = self.events[-1].sequence_number
        rest = await client.responses.retrieve(self.response_id, stream=True, starting_after=after)
        self.events += [event async for event in rest]


async def test_streams_and_keys_outlive_a_killed_server(own_server: ApiServer, endpoint: ModelEndpoint) -> None:
    readers = [Reader(number) for number in range(_STREAMS)]
    async with own_server.async_client() as client, asyncio.timeout(60), asyncio.TaskGroup() as group:
        for reader in readers:
            group.create_task(reader.begin(client))
        while min(len(reader.events) for reader in readers) < 8:  # noqa: ASYNC110 - ten readers, each at its own pace
            await asyncio.sleep(0.01)
        own_server.kill()
    assert all(reader.events[-1].type == "response.output_text.delta" for reader in readers)

    own_server.start()
    async with own_server.async_client() as client, asyncio.timeout(60):
        await asyncio.gather(*(reader.go_on(client) for reader in readers))
        before = endpoint.stats()["requests"]
        again = [[event async for event in await client.responses.create(**reader.asked)] for reader in readers]
        finals = [await client.responses.retrieve(reader.response_id) for reader in readers]

    for reader, replay, final in zip(readers, again, finals, strict=True):
        assert [event.sequence_number for event in reader.events] == list(range(len(reader.events)))
        assert reader.events[-1].type == "response.completed"
        assert reader.events == replay
        assert (final.status, final.output_text) == ("completed", _WORDS)
        assert reader.events[-1].response == final
    assert endpoint.stats()["requests"] == before


def test_a_response_with_calls_for_the_server_and_the_client_goes_on_after_a_kill(
    own_server: ApiServer, endpoint: ModelEndpoint
) -> None:
    weather: Any = {"type": "function", "name": "weather", "parameters": {"type": "object"}, "strict": False}
    slow = {"name": "terminal", "id": "call_ours", "arguments": {"command": "sleep 10"}}
    words = script(calls=[{"name": "weather", "id": "call_7", "arguments": {}}, slow])
    with own_server.client() as client:
        asked: Any = {"input": words, "tools": [weather], "background": True, "conversation": "killed"}
        made = client.responses.create(**asked)
        until(lambda: len(client.responses.retrieve(made.id).output) >= 2)
    calls_before = endpoint.stats()["requests"]

    own_server.kill()
    own_server.start()

    with own_server.client() as client:
        until(lambda: client.responses.retrieve(made.id).status == "completed")
        assert endpoint.stats()["requests"] == calls_before
        result: Any = {"type": "function_call_output", "call_id": "call_7", "output": "rain"}
        answered = client.responses.create(input=[result], conversation="killed")

    assert answered.output_text == "token0 token1 token2 "
    results = {m["tool_call_id"]: m["content"] for m in endpoint.requests()[-1]["messages"] if m["role"] == "tool"}
    assert results["call_7"] == "rain"
    assert "interrupted" in results["call_ours"]


def test_a_conversation_is_busy_after_a_kill_until_its_response_has_completed(own_server: ApiServer) -> None:
    asked: Any = {"input": script(tokens=60, rate=25), "background": True, "conversation": "killed"}
    key: Any = {"extra_headers": {"Idempotency-Key": "k"}}
    with own_server.client() as client:
        made = client.responses.create(**asked, **key)
        until(lambda: client.responses.retrieve(made.id).output_text != "")

    own_server.kill()
    own_server.start()

    with own_server.client() as client:
        with pytest.raises(openai.ConflictError):
            client.responses.create(input="And?", conversation="killed")
        assert client.responses.create(**asked, **key).id == made.id
        client.responses.cancel(made.id)
        assert client.responses.create(input="And?", conversation="killed").status == "completed"
