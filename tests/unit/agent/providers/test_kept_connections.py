"""Connections to an endpoint, from one answer to the next."""

import asyncio
from contextlib import aclosing

import pytest

from tests.patience import PATIENCE
from tests.unit.agent.providers.http.peer import Line, serving
from tests.wires.chat import ChatServer
from tests.wires.messages import MessagesServer
from tests.wires.responses import ResponsesServer
from tests.wires.script import Script
from tests.wires.wire import WireServer
from wakeful.agent.providers.base import Finished, ModelRequest, Provider
from wakeful.agent.providers.endpoint_settings import EndpointSettings, Wire
from wakeful.agent.providers.http import idle_connections
from wakeful.agent.providers.registry import ProviderRegistry, ProviderSettings
from wakeful.model.journal.message import UserMessage

WIRES: dict[Wire, WireServer] = {
    Wire.OPENAI: ChatServer(),
    Wire.ANTHROPIC: MessagesServer(),
    Wire.RESPONSES: ResponsesServer(),
}
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
ASKED = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "input": [{"role": "user", "content": "Hi"}]}


def events_of(wire: WireServer) -> bytes:
    script = Script(tokens=2)
    return wire.opening(script, ASKED) + b"".join(wire.tokens(script, ASKED)) + wire.ending(script, ASKED)


async def ask(provider: Provider, heard: asyncio.Event) -> None:
    """Ask as the agent does, which stops listening when it has the answer."""
    async with aclosing(provider.stream(ModelRequest("m", "", [UserMessage("Hi")], ()))) as parts:
        async for part in parts:
            heard.set()
            if isinstance(part, Finished):
                return


async def answer(line: Line, events: bytes, heard: asyncio.Event) -> None:
    """Say the events, and the end of the body only when the client has heard some of them."""
    await line.say(HEAD + b"%x\r\n%b\r\n" % (len(events), events))
    await heard.wait()
    heard.clear()
    await line.say(b"0\r\n\r\n")


@pytest.mark.parametrize("wire", list(Wire))
async def test_a_connection_is_kept_although_the_end_of_the_body_comes_after_the_answer(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle_connections, "_KEPT_SECONDS", 10 * PATIENCE)
    heard, gone = asyncio.Event(), asyncio.Event()
    events = events_of(WIRES[wire])

    async def script(line: Line) -> None:
        while await line.request():
            await answer(line, events, heard)
        gone.set()

    async with serving(script) as peer, asyncio.timeout(PATIENCE):
        registry = ProviderRegistry(ProviderSettings({"own": EndpointSettings(peer.url, "sk-key", "own", wire)}))
        provider, _ = registry.resolve("own:m")
        await ask(provider, heard)
        await ask(provider, heard)
        assert (len(peer.requests), peer.connections) == (2, 1)

        await registry.close()
        await gone.wait()


async def test_an_answer_that_goes_on_after_a_pause_keeps_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_connections, "_KEPT_SECONDS", 10 * PATIENCE)
    heard = asyncio.Event()
    whole = events_of(WIRES[Wire.ANTHROPIC])
    answers = iter([whole.replace(b"end_turn", b"pause_turn"), whole])

    async def script(line: Line) -> None:
        while await line.request():
            await answer(line, next(answers), heard)

    async with serving(script) as peer, asyncio.timeout(PATIENCE):
        settings = EndpointSettings(peer.url, "sk-key", "own", Wire.ANTHROPIC)
        registry = ProviderRegistry(ProviderSettings({"own": settings}))
        provider, _ = registry.resolve("own:m")
        await ask(provider, heard)
        await registry.close()
    assert (len(peer.requests), peer.connections) == (2, 1)
