"""The output of a response, as it grows: its items, and the events that tell of them."""

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

# An event of the stream without its number: its type and its data.
UnnumberedEvent = tuple[str, dict[str, Any]]

# The words of one step make no more items than this: reasoning, the message, and reasoning that comes after its
# first word.
ITEMS_OF_WORDS = 3


@dataclass(slots=True)
class _Base:
    """How things stood before the words that are being said, and which items these have grown since."""

    step: int
    items: int
    count: int
    places: dict[str, int]
    # For each word the item that it went into.
    grown: list[TextItem] = field(default_factory=list)


class ResponseOutput:
    """Of each step and attempt there is one message, however often reasoning comes in between: a client may want to
    parse it as a whole.
    """

    def __init__(self, turn_rest: str) -> None:
        """`turn_rest` is what follows the prefix in the turn's id."""
        self._turn_rest = turn_rest
        self._count = 0
        self._items: list[GrowingItem] = []
        # The step that the two below belong to, if they are open.
        self._step = 0
        self._message: MessageItem | None = None
        self._reasoning: ReasoningItem | None = None
        # By call id: the call, and its number in its step.
        self._calls: dict[str, tuple[CallItem, int]] = {}
        # By call id: the calls that the server runs now.
        self._running: dict[str, ServerCallItem] = {}
        # How many items of a kind a step has had so far.
        self._places: dict[tuple[str, int], int] = {}
        self._base: _Base | None = None

    def data(self) -> list[OutputItem]:
        # Reasoning that came after the first word is still told before the message that it led to: what a model has
        # to say comes last.
        ordered = sorted(self._items, key=lambda item: (item.step, not isinstance(item, ReasoningItem)))
        return [item.data() for item in ordered]

    def enter(self, step: int) -> Iterator[UnnumberedEvent]:
        """What is said from now on belongs to this step."""
        if step != self._step:
            yield from self.finish_texts(COMPLETED)
            self._step = step

    def say(self, kind: str, text: str) -> tuple[TextItem, list[UnnumberedEvent]]:
        """The item that this piece of the current step goes into, and what is to be told before."""
        told: list[UnnumberedEvent] = []
        item = self._message if kind == TOKEN else self._reasoning
        if item is None:
            told = list(self._open_message() if kind == TOKEN else self._open_reasoning())
            item = self._message if kind == TOKEN else self._reasoning
            assert item is not None
        item.pieces.append(text)
        if self._base is not None:
            self._base.grown.append(item)
        return item, told

    def begin_words(self) -> None:
        """Words of the current step follow, which are not in the log yet and may never be."""
        places = {prefix: self._places.get((prefix, self._step), 0) for prefix in ("msg", "rs")}
        self._base = _Base(self._step, len(self._items), self._count, places)

    def end_words(self) -> None:
        """The log has them all."""
        self._base = None

    def lose_words(self, kept: int) -> list[tuple[int, UnnumberedEvent]]:
        """Of the words since they began the log has the first `kept` alone; how many more there were is not known.
        Close what is open of them, without saying what is in it; each such event has the number of its item among
        theirs. What follows is numbered as if they had made all the items that words can make.
        """
        base = self._base
        assert base is not None
        closed = [
            (item.index - base.count, _bare(item)) for item in (self._message, self._reasoning) if item is not None
        ]
        self._message = self._reasoning = self._base = None
        self._items[base.items :] = _kept(self._items[base.items :], base.grown, kept)
        self._count = base.count + ITEMS_OF_WORDS
        for prefix, place in base.places.items():
            self._places[prefix, base.step] = place + ITEMS_OF_WORDS
        return sorted(closed, key=lambda numbered: numbered[0])

    def serve(self, step: int, call_id: str, name: str, arguments: str) -> Iterator[UnnumberedEvent]:
        """A call that the server runs; its item stays open until there is a result."""
        yield from self.finish_texts(COMPLETED)
        item_id = f"mcp_{self._turn_rest}_{step}_{self._next_place('fc', step)}"
        item = ServerCallItem(item_id, self._count, step, name=name)
        self._running[call_id] = item
        yield self._add(item)
        yield "response.mcp_call.in_progress", item.place
        item.arguments = json_arguments(arguments)
        yield "response.mcp_call_arguments.delta", item.place | {"delta": item.arguments}
        yield "response.mcp_call_arguments.done", item.place | {"arguments": item.arguments}

    def call(self, step: int, call_id: str, name: str, arguments: str) -> Iterator[UnnumberedEvent]:
        yield from self.finish_texts(COMPLETED)
        number = self._next_place("fc", step)
        item = CallItem(f"fc_{self._turn_rest}_{step}_{number}", self._count, step, call_id=call_id, name=name)
        self._calls[call_id] = (item, number)
        yield self._add(item)
        place = {"item_id": item.id, "output_index": item.index}
        item.arguments = arguments
        yield "response.function_call_arguments.delta", place | {"delta": arguments}
        yield "response.function_call_arguments.done", place | {"name": name, "arguments": arguments}
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
        """What was streamed of this step is void: it is closed, and is no part of the output any more."""
        if step == self._step:
            yield from self.finish(INCOMPLETE)
        self._items = [item for item in self._items if item.step != step]

    def finish(self, status: str) -> Iterator[UnnumberedEvent]:
        """Close what is open. A call that has no result by now was cut off, whatever became of the rest."""
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
        yield "response.content_part.added", item.place | {"part": item.part()}

    def _add(self, item: GrowingItem) -> UnnumberedEvent:
        self._items.append(item)
        self._count += 1
        return "response.output_item.added", {"output_index": item.index, "item": item.data()}

    def _new_id(self, prefix: str) -> str:
        return f"{prefix}_{self._turn_rest}_{self._step}_{self._next_place(prefix, self._step)}"

    def _next_place(self, prefix: str, step: int) -> int:
        place = self._places.get((prefix, step), 0)
        self._places[prefix, step] = place + 1
        return place


def _kept(items: Sequence[GrowingItem], grown: Sequence[TextItem], count: int) -> list[GrowingItem]:
    """The items of words as the first `count` of these have left them."""
    for item in reversed(grown[count:]):
        item.pieces.pop()
    kept = [item for item in items if isinstance(item, TextItem) and item.pieces]
    for item in kept:
        item.status = INCOMPLETE
    if len(kept) > 1 and isinstance(kept[0], ReasoningItem):
        # It was done when the message began.
        kept[0].status = COMPLETED
    return [*kept]


def _close(item: TextItem, status: str) -> Iterator[UnnumberedEvent]:
    yield item.done_type, item.place | {"text": item.text} | item.extra
    yield "response.content_part.done", item.place | {"part": item.part()}
    yield _done(item, status)


def _close_call(item: ServerCallItem, text: str, *, is_error: bool) -> Iterator[UnnumberedEvent]:
    item.finish(text, is_error=is_error)
    yield f"response.mcp_call.{item.status}", item.place
    yield _done(item, item.status)


def _done(item: GrowingItem, status: str) -> UnnumberedEvent:
    item.status = status
    return "response.output_item.done", {"output_index": item.index, "item": item.data()}


def _bare(item: TextItem) -> UnnumberedEvent:
    """How far it came is not known: it says nothing of that."""
    type_, data = _done(item, INCOMPLETE)
    return type_, data | {"item": msgspec.structs.replace(data["item"], content=[])}
