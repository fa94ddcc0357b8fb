"""Asks a provider for one answer, as the agent does."""

from typing import Any

from tests.endpoint import Script
from tests.wires.wire import named_event
from wakeful.agent.providers.base import AnswerPart, Finished, ModelRequest, Provider


async def parts_of(provider: Provider, request: ModelRequest) -> list[AnswerPart]:
    return [part async for part in provider.stream(request)]


async def answer_of(provider: Provider, request: ModelRequest) -> Finished:
    last = (await parts_of(provider, request))[-1]
    assert isinstance(last, Finished)
    return last


def sends(*events: tuple[str, dict[str, Any]]) -> Script:
    """Return the script of an endpoint that sends these events and nothing else."""
    return Script(raw=b"".join(named_event(name, data) for name, data in events))
