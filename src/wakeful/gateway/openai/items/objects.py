"""The items that clients see: what a model was sent, what it wrote, and what it called."""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import field

from wakeful.gateway.openai.items.input_items import JsonText
from wakeful.wire.declared import Outgoing, among, words

_Status: TypeAlias = Annotated[str, among(("in_progress", "completed", "incomplete"))]


class InputText(Outgoing):
    type: Literal["input_text"] = "input_text"
    text: str


class OutputText(Outgoing):
    type: Literal["output_text"] = "output_text"
    text: str
    annotations: list[Any] = field(default_factory=list)
    logprobs: list[Any] = field(default_factory=list)


class InputImage(Outgoing):
    type: Literal["input_image"] = "input_image"
    image_url: str
    detail: str = "auto"


class ReasoningText(Outgoing):
    type: Literal["reasoning_text"] = "reasoning_text"
    text: str


class OutputMessage(Outgoing):
    id: str
    type: Literal["message"] = "message"
    role: Literal["assistant"] = "assistant"
    status: _Status
    content: list[OutputText]


class Reasoning(Outgoing):
    id: str
    type: Literal["reasoning"] = "reasoning"
    status: _Status
    summary: list[Any] = field(default_factory=list)
    content: list[ReasoningText]
    encrypted_content: None = None


class ErrorText(Outgoing):
    type: Literal["text"] = "text"
    text: str


class ToolError(Outgoing):
    type: Literal["mcp_tool_execution_error"] = "mcp_tool_execution_error"
    content: list[ErrorText]


class ServerCall(Outgoing):
    """A call of one of the server's tools; with `output` when it has completed, with `error` when it failed."""

    id: str
    type: Literal["mcp_call"] = "mcp_call"
    status: Annotated[str, among(("in_progress", "completed", "incomplete", "failed"))]
    server_label: Annotated[str, words("`wakeful`.")]
    name: str
    arguments: JsonText
    output: str | None
    error: ToolError | None
    approval_request_id: None = None


class FunctionCall(Outgoing):
    """A call for the client to run."""

    id: str
    type: Literal["function_call"] = "function_call"
    status: _Status
    call_id: str
    name: str
    arguments: JsonText


class FunctionOutput(Outgoing):
    """The output of a call. The server's calls are such pairs if `tool_items` is set to `function_call`."""

    id: str
    type: Literal["function_call_output"] = "function_call_output"
    status: _Status
    call_id: str
    output: str


class RecordedMessage(Outgoing):
    id: str
    type: Literal["message"] = "message"
    role: Annotated[str, among(("assistant", "developer", "system", "user"))]
    status: _Status
    content: list[InputText | OutputText | InputImage]


OutputPart: TypeAlias = OutputText | ReasoningText
OutputItem: TypeAlias = OutputMessage | Reasoning | ServerCall | FunctionCall | FunctionOutput
ShownItem: TypeAlias = RecordedMessage | OutputItem


class ItemPage(Outgoing):
    object: Literal["list"] = "list"
    data: list[ShownItem]
    first_id: str | None
    last_id: str | None
    has_more: bool
