"""The loop's own decisions about a model that cannot answer."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from wakeful.agent.loop import Loop
from wakeful.agent.providers.base import ModelRequest, Part, Provider
from wakeful.agent.settings import AgentSettings
from wakeful.errors import ConfigError, ModelError
from wakeful.model.fact import Brief, Fact
from wakeful.model.message import Message, UserMessage
from wakeful.model.session import Address
from wakeful.model.turn import Door, Turn, TurnStatus


class Refusing:
    def __init__(self, error: ModelError) -> None:
        self.error = error
        self.requests = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Part, None]:
        self.requests += 1
        raise self.error
        yield

    async def close(self) -> None: ...


async def nothing_new(step: int, index: int) -> Sequence[Message]:
    return []


def brief() -> Brief:
    turn = Turn(
        id="turn_1",
        session_id="ses_1",
        parent=None,
        door=Door("ask", async_delivery=False),
        address=Address("ask"),
        source="user",
        is_wakeup=False,
        model="gone:model",
        status=TurnStatus.RUNNING,
        node="node_1",
        epoch=1,
    )
    return Brief(turn, [UserMessage("hi")], 0, [], False, 0, nothing_new)


async def test_a_model_that_the_settings_no_longer_know_fails_the_turn_with_a_sentence() -> None:
    def find(name: str) -> tuple[Provider, str]:
        raise ConfigError(f"The model {name!r} names an unknown provider.")

    loop = Loop(find, [], AgentSettings(Path()))

    with pytest.raises(ModelError, match="names an unknown provider") as caught:
        await facts_of(loop)

    assert (caught.value.code, caught.value.passing) == ("model_not_found", False)


async def test_an_endpoint_that_asks_for_a_longer_wait_than_there_is_time_is_not_tried_again() -> None:
    model = Refusing(ModelError("Later.", code="model_rate_limited", passing=True, retry_after=60.0))
    loop = Loop(lambda name: (model, name), [], AgentSettings(Path(), model_retry_seconds=15.0))

    with pytest.raises(ModelError, match=r"Later\."):
        await facts_of(loop)

    assert model.requests == 1


async def facts_of(loop: Loop) -> list[Fact]:
    return [fact async for fact in loop.run(brief())]
