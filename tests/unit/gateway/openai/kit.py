"""Short builders for logs of turns, and the official SDK as a reader of their streams."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, get_args

import httpx2
import orjson
from openai import OpenAI
from openai.types.responses import ResponseStreamEvent

from wakeful.gateway.openai.frames import DONE, NumberedFrame
from wakeful.gateway.openai.responses.projection import ResponseProjection
from wakeful.gateway.openai.responses.response import ResponseFacts
from wakeful.model import event as events
from wakeful.model.api.request import FUNCTION_CALL
from wakeful.model.event import Event, NewEvent, StreamItem, spoken
from wakeful.model.words import Word, WordsEnd, WordsHead

REST = "0190a1b2c3d4"
TURN = f"turn_{REST}"
FACTS = ResponseFacts(f"resp_{REST}", "wakeful", 1_700_000_000)
ENDED_AT = 1_700_000_009.5
TERMINAL = {"response.completed", "response.failed", "response.cancelled", "response.incomplete"}


def token(text: str, step: int = 1) -> NewEvent:
    return NewEvent.of(events.TOKEN, {"step": step, "text": text})


def reasoning(text: str, step: int = 1) -> NewEvent:
    return NewEvent.of(events.REASONING, {"step": step, "text": text})


def abandoned(step: int = 1) -> NewEvent:
    return NewEvent.of(events.STEP_ABANDONED, {"step": step})


def tool(
    call_id: str, step: int = 1, *, name: str = "terminal", arguments: str = '{"a":1}', client: bool = False
) -> NewEvent:
    data = {"step": step, "call_id": call_id, "name": name, "arguments": arguments}
    return NewEvent.of(events.TOOL, data | ({"client": True} if client else {}))


def result(call_id: str, text: str = "ok", step: int = 1, *, is_error: bool | None = None) -> NewEvent:
    """`is_error` is None in logs of older versions, which do not have it."""
    data = {"step": step, "call_id": call_id, "result": text, "seconds": 0.5}
    return NewEvent.of(events.TOOL_COMPLETE, data if is_error is None else data | {"is_error": is_error})


def usage(step: int = 1, *, tokens: tuple[int, int, int, int] = (10, 5, 4, 2)) -> NewEvent:
    names = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")
    return NewEvent.of(events.USAGE, {"step": step, "usage": dict(zip(names, tokens, strict=True))})


def done(incomplete: str | None = None) -> NewEvent:
    return NewEvent.of(events.DONE, {} if incomplete is None else {"incomplete": incomplete})


def failed(code: str = "model_unavailable", message: str = "The model endpoint failed.") -> NewEvent:
    return NewEvent.of(events.FAILED, {"code": code, "message": message})


def cancelled() -> NewEvent:
    return NewEvent.of(events.CANCELLED, {"code": "stopped", "message": "The turn was stopped."})


def log(*new_events: NewEvent) -> list[Event]:
    """Return the log of a turn that a message opened, with these events after it."""
    opened = [
        NewEvent.of(events.TURN_STARTED, {"turn_id": TURN, "session_id": "s", "source": "user", "parent": None}),
        NewEvent.of(events.MESSAGE, {"message_id": "m", "source": "user", "content": "Hi"}),
    ]
    return [
        Event("s", number + 7, TURN, number, new.kind, new.payload, ENDED_AT)
        for number, new in enumerate([*opened, *new_events], start=1)
    ]


def with_words(turn_log: Iterable[Event]) -> list[StreamItem]:
    """Return the log in its present form, in which words are not events."""
    items: list[StreamItem] = []
    words: list[Word] = []
    base = 0
    for event in turn_log:
        if (piece := spoken(event)) is not None:
            kind, step, text = piece
            words.append(Word(WordsHead("s", TURN, step, base), len(words) + 1, kind, text))
            continue
        ends = WordsEnd(words[0].head.step, base, len(words)) if words else None
        items += [*words, replace(event, ends=ends)]
        words, base = [], event.session_seq
    return [*items, *words]


def fold(turn_log: Iterable[StreamItem], projection: ResponseProjection | None = None) -> list[NumberedFrame]:
    projection = projection or ResponseProjection(FACTS, {})
    return [frame for item in turn_log for frame in projection.feed(item)]


def with_pairs() -> ResponseProjection:
    """Return a projection that shows the server's calls as pairs of call and output."""
    return ResponseProjection(replace(FACTS, tool_items=FUNCTION_CALL), {})


def data_of(frame: NumberedFrame) -> dict[str, Any]:
    data: dict[str, Any] = orjson.loads(frame.data)
    return data


def last_response(frames: list[NumberedFrame]) -> dict[str, Any]:
    response: dict[str, Any] = data_of(frames[-1])["response"]
    return response


def types_of(frames: Iterable[NumberedFrame]) -> list[str]:
    return [frame.type.removeprefix("response.") for frame in frames]


def check_types(frames: Iterable[NumberedFrame]) -> None:
    """Validate every frame against the SDK's type for it, which the SDK itself never does."""
    for frame in frames:
        # OpenAI does not have this one.
        if frame.type != "response.cancelled":
            _EVENT_TYPES[frame.type].model_validate(data_of(frame))


def stream_body(frames: Iterable[NumberedFrame]) -> bytes:
    return b"".join(frame.wire for frame in frames) + DONE


@contextmanager
def sdk(body: bytes) -> Iterator[OpenAI]:
    """Yield the official client; every request of it gets this stream as its answer."""
    headers = {"content-type": "text/event-stream"}
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, headers=headers, content=body))
    with httpx2.Client(transport=transport) as http_client:
        yield OpenAI(api_key="k", base_url="http://test/v1", http_client=http_client, max_retries=0)


# By the type of the event.
_EVENT_TYPES: dict[str, Any] = {
    get_args(kind.model_fields["type"].annotation)[0]: kind for kind in get_args(get_args(ResponseStreamEvent)[0])
}
