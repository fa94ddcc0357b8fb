"""The body of POST /v1/responses: its declaration, and the request that is made of it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from wakeful.gateway.openai.errors import ApiError, invalid
from wakeful.gateway.openai.fields.answer_format import ResponseFormat, format_option
from wakeful.gateway.openai.fields.client_tools import ResponseTools, client_tools
from wakeful.gateway.openai.fields.common_fields import (
    MANY,
    NO_NUL,
    LongText,
    Metadata,
    NoLogprobs,
    ReasoningEffort,
    RequestedModel,
    ServiceTier,
    Temperature,
    Tokens,
    TopP,
)
from wakeful.gateway.openai.fields.tool_choice import ResponseToolChoice, require_tools, tool_choice
from wakeful.gateway.openai.items.input_items import InputField
from wakeful.gateway.openai.items.inputs import Input, Reference, inputs_of
from wakeful.model.api.request import TurnRequest
from wakeful.wire.declared import Incoming, says, words
from wakeful.wire.reading import read

_Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=256, pattern=NO_NUL)]


class NamedConversation(Incoming):
    id: _Name


class TextOptions(Incoming):
    format: ResponseFormat | None = None
    verbosity: Literal["low", "medium", "high"] | None = None


class ReasoningOptions(Incoming):
    effort: ReasoningEffort | None = None
    summary: Annotated[
        Literal["auto", "concise", "detailed"] | None, words("Accepted and ignored: there are no summaries.")
    ] = None


class StreamOptions(Incoming):
    include_obfuscation: bool = False


class ResponseBody(Incoming):
    input: InputField
    model: RequestedModel = ""
    instructions: LongText = ""
    stream: bool = False
    store: Annotated[bool, words("true by default: the response survives its client and the server.")] = True
    background: Annotated[bool, words("Return at once; needs `store`.")] = False
    conversation: Annotated[
        _Name | NamedConversation | None,
        words("An id `conv_…`, or any name: its first use creates one. Not with `previous_response_id`."),
        says("{} must be an id or a name of 1 to 256 characters.", covers_inside=True),
    ] = None
    previous_response_id: Annotated[str, Meta(max_length=256), words("The completed response to continue from.")] = ""
    tools: ResponseTools | None = None
    tool_choice: ResponseToolChoice = "auto"
    parallel_tool_calls: bool = True
    text: TextOptions = TextOptions()
    reasoning: ReasoningOptions = ReasoningOptions()
    temperature: Temperature | None = None
    top_p: TopP | None = None
    top_logprobs: NoLogprobs = 0
    max_output_tokens: Tokens | None = None
    max_tool_calls: Annotated[
        int | None,
        Meta(ge=0, le=MANY),
        words("How many calls of the server's tools are run; with 0 the model does not get these tools."),
    ] = None
    truncation: Literal["auto", "disabled"] = "disabled"
    include: Annotated[list[str] | None, words("Accepted and ignored: nothing is added.")] = None
    prompt: Annotated[
        None,
        words("There are no prompt templates."),
        says("There are no prompt templates here: send instructions and input."),
    ] = None
    stream_options: StreamOptions | None = None
    metadata: Metadata | None = None
    user: LongText | None = None
    prompt_cache_key: LongText | None = None
    safety_identifier: LongText | None = None
    service_tier: ServiceTier = "auto"


@dataclass(frozen=True, slots=True)
class ResponseRequest:
    inputs: list[Input | Reference]
    # As the client wrote it; empty for the default.
    model: str
    # An id that begins with conv_, a name, or empty.
    conversation: str
    previous_response_id: str
    is_streamed: bool
    is_stored: bool
    is_background: bool
    turn: TurnRequest


def read_response_request(body: Mapping[str, Any], server_tools: Collection[str]) -> ResponseRequest:
    """Raises InvalidRequest and ApiError."""
    given = read(ResponseBody, body)
    request = ResponseRequest(
        inputs=inputs_of(given.input),
        model=given.model,
        conversation=_name(given.conversation),
        previous_response_id=given.previous_response_id,
        is_streamed=given.stream,
        is_stored=given.store,
        is_background=given.background,
        turn=_turn(given, body),
    )
    require_tools(request.turn, server_tools)
    if request.conversation and request.previous_response_id:
        message = "conversation and previous_response_id cannot both be given."
        raise invalid("previous_response_id", message, "mutually_exclusive_parameters")
    if request.is_background and not request.is_stored:
        raise ApiError(400, "background_requires_store", "A background response must be stored.", param="background")
    return request


def _name(conversation: str | NamedConversation | None) -> str:
    return conversation.id if isinstance(conversation, NamedConversation) else conversation or ""


def _turn(given: ResponseBody, body: Mapping[str, Any]) -> TurnRequest:
    choice = tool_choice(given.tool_choice)
    return TurnRequest(
        kind="response",
        instructions=given.instructions,
        tools=client_tools(given.tools or ()),
        options=_options(given) | choice.option,
        # Everything but the input, which is in the journal.
        echo={name: value for name, value in body.items() if name != "input"},
        allowed_tools=choice.allowed,
    )


def _options(given: ResponseBody) -> dict[str, Any]:
    """Return the options for the model's endpoint, under the names that it uses."""
    options: Mapping[str, Any] = {
        "temperature": given.temperature,
        "top_p": given.top_p,
        "max_tokens": given.max_output_tokens,
        "reasoning_effort": given.reasoning.effort,
        "response_format": format_option(given.text.format),
        "parallel_tool_calls": None if given.parallel_tool_calls else False,
    }
    return {name: value for name, value in options.items() if value is not None}
