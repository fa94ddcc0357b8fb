"""Whatever an endpoint streams, a builder makes an answer of it or raises a ModelError; nothing else gets out."""

import random
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from tests.wires.chat import ChatServer
from tests.wires.messages import MessagesServer
from tests.wires.responses import ResponsesServer
from tests.wires.script import Script
from tests.wires.wire import WireServer
from wakeful.agent.providers.anthropic.message_builder import MessageBuilder
from wakeful.agent.providers.base import Finished
from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.openai.answer_builder import AnswerBuilder
from wakeful.agent.providers.responses.response_builder import ResponseBuilder
from wakeful.errors import ModelError
from wakeful.model.journal.message import Usage

Builder = AnswerBuilder | MessageBuilder | ResponseBuilder

ERRORS = EndpointErrors("http://localhost", secret="secret")
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "input": [{"role": "user", "content": "hi"}]}
SCRIPTS = (
    Script(tokens=2, reasoning_tokens=2),
    Script(text="a b", hidden_reasoning=True),
    Script(calls=[{"name": "look", "arguments": {"at": 1}}, {"name": "wait", "arguments": {}}]),
    Script(calls=[{"name": "look", "arguments": '{"at'}], finish_reason="length"),
)
ODD: tuple[Any, ...] = (None, True, 0, -1, 1e300, 2**63, "", "x", [], [1], [None], {}, [{}], {"type": "text"})
ROUNDS = 400


@pytest.mark.parametrize(
    ("wire", "new_builder"),
    [
        (ChatServer(), lambda: AnswerBuilder(ERRORS, "p", taken_ids=())),
        (MessagesServer(), lambda: MessageBuilder(ERRORS, "p")),
        (ResponsesServer(), lambda: ResponseBuilder(ERRORS, "p")),
    ],
    ids=["openai", "anthropic", "responses"],
)
def test_an_odd_stream_is_an_answer_or_a_model_error(wire: WireServer, new_builder: Callable[[], Builder]) -> None:
    chance = random.Random(14)
    streams = [_events(wire, script) for script in SCRIPTS]
    for _ in range(ROUNDS):
        rate = chance.choice([0.02, 0.1])
        mutated = [_mutated(event, chance, rate) for event in chance.choice(streams)]
        try:
            answer = _build(new_builder(), [event for event in mutated if isinstance(event, dict)])
        except ModelError:
            continue
        _check(answer)


def _events(wire: WireServer, script: Script) -> list[dict[str, Any]]:
    stream = wire.opening(script, REQUEST) + b"".join(wire.tokens(script, REQUEST)) + wire.ending(script, REQUEST)
    lines = [line.removeprefix(b"data: ") for line in stream.splitlines() if line.startswith(b"data: {")]
    return [orjson.loads(line) for line in lines]


def _mutated(value: Any, chance: random.Random, rate: float) -> Any:
    if chance.random() < rate:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {name: _mutated(part, chance, rate) for name, part in value.items() if chance.random() > rate / 2}
    return [_mutated(part, chance, rate) for part in value] if isinstance(value, list) else value


def _build(builder: Builder, events: list[dict[str, Any]]) -> Finished:
    for event in events:
        builder.add(event)
    made = builder.finish()
    last = made if isinstance(made, Finished) else made[-1]
    assert isinstance(last, Finished)
    return last


def _check(answer: Finished) -> None:
    """The journal can store it, and the day's spend too."""
    orjson.dumps(answer.message)
    counts = [getattr(answer.usage, name) for name in Usage.__dataclass_fields__]
    assert all(0 <= count < 2**40 for count in counts)
    assert all(isinstance(part, str) for call in answer.message.calls for part in (call.id, call.name, call.arguments))
