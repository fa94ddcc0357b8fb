"""The items of a response's output while they grow."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import orjson

from wakeful.gateway.openai.frames import DeltaForm
from wakeful.gateway.openai.items.objects import (
    ErrorText,
    FunctionCall,
    FunctionOutput,
    OutputItem,
    OutputMessage,
    OutputPart,
    OutputText,
    Reasoning,
    ReasoningText,
    ServerCall,
    ToolError,
)
from wakeful.model.tools.failure import failure_sentence

IN_PROGRESS = "in_progress"
COMPLETED = "completed"
INCOMPLETE = "incomplete"
FAILED = "failed"

# The server's name in its calls, for clients that use several servers.
SERVER_LABEL = "wakeful"


@dataclass(slots=True)
class GrowingItem(ABC):
    # Made of the turn, the step and the item's number in it, so every replay gives the same id.
    id: str
    # The item's index in the stream. Abandoned items keep theirs, so the index in the output may be lower.
    index: int
    step: int
    status: str = IN_PROGRESS

    @property
    def location(self) -> dict[str, Any]:
        """The fields of an event that say which item it is about."""
        return {"item_id": self.id, "output_index": self.index}

    @abstractmethod
    def data(self) -> OutputItem: ...


@dataclass(slots=True)
class TextItem(GrowingItem):
    """An item with one content part, whose text grows."""

    delta_type: ClassVar[str]
    done_type: ClassVar[str]
    # Further fields that the SDK requires in the events of the text.
    extra: ClassVar[dict[str, Any]]

    pieces: list[str] = field(default_factory=list)
    delta: DeltaForm = field(init=False)

    def __post_init__(self) -> None:
        self.delta = DeltaForm(self.delta_type, self.location, self.extra)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def location(self) -> dict[str, Any]:
        return {"item_id": self.id, "output_index": self.index, "content_index": 0}

    @abstractmethod
    def part(self) -> OutputPart: ...


@dataclass(slots=True)
class MessageItem(TextItem):
    delta_type = "response.output_text.delta"
    done_type = "response.output_text.done"
    extra: ClassVar[dict[str, Any]] = {"logprobs": []}

    def part(self) -> OutputText:
        return OutputText(text=self.text)

    def data(self) -> OutputMessage:
        return OutputMessage(id=self.id, status=self.status, content=[self.part()] if self.pieces else [])


@dataclass(slots=True)
class ReasoningItem(TextItem):
    delta_type = "response.reasoning_text.delta"
    done_type = "response.reasoning_text.done"
    extra: ClassVar[dict[str, Any]] = {}

    def part(self) -> ReasoningText:
        return ReasoningText(text=self.text)

    def data(self) -> Reasoning:
        return Reasoning(id=self.id, status=self.status, content=[self.part()] if self.pieces else [])


@dataclass(slots=True, kw_only=True)
class CallItem(GrowingItem):
    call_id: str
    name: str
    # All of the JSON text; empty until the item is done.
    arguments: str = ""

    def data(self) -> FunctionCall:
        return FunctionCall(
            id=self.id, status=self.status, call_id=self.call_id, name=self.name, arguments=self.arguments
        )


@dataclass(slots=True, kw_only=True)
class ServerCallItem(GrowingItem):
    """A call that the server runs, with its result."""

    name: str
    server_label: str = SERVER_LABEL
    # All of the JSON text; empty when the item is added.
    arguments: str = ""
    output: str | None = None
    # Why it failed, in a sentence.
    error: str | None = None

    def finish(self, text: str, *, is_error: bool) -> None:
        """`text` is the result as the model reads it."""
        self.status = FAILED if is_error else COMPLETED
        if is_error:
            self.error = failure_sentence(text)
        else:
            self.output = text

    def data(self) -> ServerCall:
        return ServerCall(
            id=self.id,
            status=self.status,
            server_label=self.server_label,
            name=self.name,
            arguments=self.arguments,
            output=self.output,
            error=None if self.error is None else ToolError(content=[ErrorText(text=self.error)]),
        )


@dataclass(slots=True, kw_only=True)
class ResultItem(GrowingItem):
    call_id: str
    output: str

    def data(self) -> FunctionOutput:
        return FunctionOutput(id=self.id, status=self.status, call_id=self.call_id, output=self.output)


def json_arguments(written: str) -> str:
    """Return the arguments as a JSON object: a model may write anything, and clients parse it in the server's calls."""
    try:
        is_object = isinstance(orjson.loads(written or "{}"), dict)
    except orjson.JSONDecodeError:
        is_object = False
    return (written or "{}") if is_object else orjson.dumps({"invalid_json": written}).decode()
