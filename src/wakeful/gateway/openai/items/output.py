"""The output of a response as it grows: its items, and the stream events that they make."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from wakeful.gateway.openai.items.objects import OutputItem
from wakeful.gateway.openai.items.output_items import (
    COMPLETED,
    INCOMPLETE,
    CallItem,
    GrowingItem,
    MessageItem,
    ReasoningItem,
    ResultItem,
    ServerCallItem,
    TextItem,
    json_arguments,
)
from wakeful.model.words import TOKEN

# The type and the data of a stream event that has no number yet.
UnnumberedEvent = tuple[str, dict[str, Any]]

# The words of one step make at most these items: reasoning, the message, and reasoning after the message's first word.
ITEMS_OF_WORDS = 3


@dataclass(slots=True)
class _Base:
    """The state before the words that the log does not have yet, and the items that those went into."""

    step: int
    items: int
    count: int
    # By prefix: how many items of the kind the step had.
    numbers: dict[str, int]
    # For each word the item that it went into.
    grown: list[TextItem] = field(default_factory=list)


class ResponseOutput:
    """An attempt of a step makes one message, even if reasoning interrupts it: a client may want to parse the whole."""

    def __init__(self, turn_rest: str) -> None:
        """`turn_rest` is the turn's id without its prefix."""
        self._turn_rest = turn_rest
        self._count = 0
        self._items: list[GrowingItem] = []
        # The step of the open message and reasoning.
        self._step = 0
        self._message: MessageItem | None = None
        self._reasoning: ReasoningItem | None = None
        # By call id: the call, and its number in its step.
        self._calls: dict[str, tuple[CallItem, int]] = {}
        # By call id: the calls that the server is running.
        self._running: dict[str, ServerCallItem] = {}
        # By prefix and step: how many items of the kind the step has had.
        self._numbers: dict[tuple[str, int], int] = {}
        self._base: _Base | None = None

    def data(self) -> list[OutputItem]:
        # Reasoning is listed before its step's message, even if it came after the message's first word.
        ordered = sorted(self._items, key=lambda item: (item.step, not isinstance(item, ReasoningItem)))
        return [item.data() for item in ordered]

    def enter(self, step: int) -> Iterator[UnnumberedEvent]:
        """Begin this step, unless it is the current one; close the texts of the one before."""
        if step != self._step:
            yield from self.finish_texts(COMPLETED)
            self._step = step

    def say(self, kind: str, text: str) -> tuple[TextItem, list[UnnumberedEvent]]:
        """Add a piece of text to the current step. Return its item, and the events to send before its delta."""
        before: list[UnnumberedEvent] = []
        item = self._message if kind == TOKEN else self._reasoning
        if item is None:
            before = list(self._open_message() if kind == TOKEN else self._open_reasoning())
            item = self._message if kind == TOKEN else self._reasoning
            assert item is not None
        item.pieces.append(text)
        if self._base is not None:
            self._base.grown.append(item)
        return item, before

    def begin_words(self) -> None:
        """Prepare for words of the current step that the log does not have yet and may never have."""
        numbers = {prefix: self._numbers.get((prefix, self._step), 0) for prefix in ("msg", "rs")}
        self._base = _Base(self._step, len(self._items), self._count, numbers)

    def end_words(self) -> None:
        """Note that the log has all of the words."""
        self._base = None

    def lose_words(self, kept: int) -> list[tuple[int, UnnumberedEvent]]:
        """Drop all words since `begin_words` except the first `kept`, which the log has. How many words there were is
        unknown, so later items are numbered as if the words had made all the items that they can.

        Return the events that close the open items, without their content, each with the index of its item among those
        of the words.
        """
        base = self._base
        assert base is not None
        closed = [
            (item.index - base.count, _done_without_content(item))
            for item in (self._message, self._reasoning)
            if item is not None
        ]
        self._message = self._reasoning = self._base = None
        self._items[base.items :] = _kept(self._items[base.items :], base.grown, kept)
        self._count = base.count + ITEMS_OF_WORDS
        for prefix, number in base.numbers.items():
            self._numbers[prefix, base.step] = number + ITEMS_OF_WORDS
        return sorted(closed, key=lambda indexed: indexed[0])

    def serve(self, step: int, call_id: str, name: str, arguments: str) -> Iterator[UnnumberedEvent]:
        """Add a call that the server runs. Its item stays open until the result comes."""
        yield from self.finish_texts(COMPLETED)
        item_id = f"mcp_{self._turn_rest}_{step}_{self._next_number('fc', step)}"
        item = ServerCallItem(item_id, self._count, step, name=name)
        self._running[call_id] = item
        yield self._add(item)
        yield "response.mcp_call.in_progress", item.location
        item.arguments = json_arguments(arguments)
        yield "response.mcp_call_arguments.delta", item.location | {"delta": item.arguments}
        yield "response.mcp_call_arguments.done", item.location | {"arguments": item.arguments}

    def call(self, step: int, call_id: str, name: str, arguments: str) -> Iterator[UnnumberedEvent]:
        """Add a call whose result, if there is one, becomes a separate item."""
        yield from self.finish_texts(COMPLETED)
        number = self._next_number("fc", step)
        item = CallItem(f"fc_{self._turn_rest}_{step}_{number}", self._count, step, call_id=call_id, name=name)
        self._calls[call_id] = (item, number)
        yield self._add(item)
        item.arguments = arguments
        yield "response.function_call_arguments.delta", item.location | {"delta": arguments}
        yield "response.function_call_arguments.done", item.location | {"name": name, "arguments": arguments}
        yield _done(item, COMPLETED)

    def result(self, call_id: str, text: str, *, is_error: bool) -> Iterator[UnnumberedEvent]:
        served = self._running.pop(call_id, None)
        return self._pair(call_id, text) if served is None else _close_call(served, text, is_error=is_error)

    def _pair(self, call_id: str, text: str) -> Iterator[UnnumberedEvent]:
        call, number = self._calls[call_id]
        item_id = f"fco_{self._turn_rest}_{call.step}_{number}"
        item = ResultItem(item_id, self._count, call.step, call_id=call_id, output=text)
        yield self._add(item)
        yield _done(item, COMPLETED)

    def abandon(self, step: int) -> Iterator[UnnumberedEvent]:
        """Close what was streamed of this step, and remove it from the output."""
        if step == self._step:
            yield from self.finish(INCOMPLETE)
        self._items = [item for item in self._items if item.step != step]

    def finish(self, status: str) -> Iterator[UnnumberedEvent]:
        """Close all open items. Calls without a result are incomplete, whatever the status of the rest."""
        yield from self.finish_texts(status)
        for item in self._running.values():
            yield _done(item, INCOMPLETE)
        self._running.clear()

    def finish_texts(self, status: str) -> Iterator[UnnumberedEvent]:
        yield from self._finish_reasoning(status)
        if self._message is not None:
            yield from _close(self._message, status)
            self._message = None

    def _finish_reasoning(self, status: str) -> Iterator[UnnumberedEvent]:
        if self._reasoning is not None:
            yield from _close(self._reasoning, status)
            self._reasoning = None

    def _open_message(self) -> Iterator[UnnumberedEvent]:
        yield from self._finish_reasoning(COMPLETED)
        self._message = MessageItem(self._new_id("msg"), self._count, self._step)
        yield from self._open(self._message)

    def _open_reasoning(self) -> Iterator[UnnumberedEvent]:
        self._reasoning = ReasoningItem(self._new_id("rs"), self._count, self._step)
        yield from self._open(self._reasoning)

    def _open(self, item: TextItem) -> Iterator[UnnumberedEvent]:
        yield self._add(item)
        yield "response.content_part.added", item.location | {"part": item.part()}

    def _add(self, item: GrowingItem) -> UnnumberedEvent:
        self._items.append(item)
        self._count += 1
        return "response.output_item.added", {"output_index": item.index, "item": item.data()}

    def _new_id(self, prefix: str) -> str:
        return f"{prefix}_{self._turn_rest}_{self._step}_{self._next_number(prefix, self._step)}"

    def _next_number(self, prefix: str, step: int) -> int:
        number = self._numbers.get((prefix, step), 0)
        self._numbers[prefix, step] = number + 1
        return number


def _kept(items: Sequence[GrowingItem], grown: Sequence[TextItem], count: int) -> list[GrowingItem]:
    """Return the items as the first `count` words left them, without those that they did not reach."""
    for item in reversed(grown[count:]):
        item.pieces.pop()
    kept = [item for item in items if isinstance(item, TextItem) and item.pieces]
    for item in kept:
        item.status = INCOMPLETE
    if len(kept) > 1 and isinstance(kept[0], ReasoningItem):
        # The reasoning was closed when the message began.
        kept[0].status = COMPLETED
    return [*kept]


def _close(item: TextItem, status: str) -> Iterator[UnnumberedEvent]:
    yield item.done_type, item.location | {"text": item.text} | item.extra
    yield "response.content_part.done", item.location | {"part": item.part()}
    yield _done(item, status)


def _close_call(item: ServerCallItem, text: str, *, is_error: bool) -> Iterator[UnnumberedEvent]:
    item.finish(text, is_error=is_error)
    yield f"response.mcp_call.{item.status}", item.location
    yield _done(item, item.status)


def _done(item: GrowingItem, status: str) -> UnnumberedEvent:
    item.status = status
    return "response.output_item.done", {"output_index": item.index, "item": item.data()}


def _done_without_content(item: TextItem) -> UnnumberedEvent:
    """Return the event that closes an item without its content, because how much of that was shown is unknown."""
    type_, data = _done(item, INCOMPLETE)
    return type_, data | {"item": msgspec.structs.replace(data["item"], content=[])}
