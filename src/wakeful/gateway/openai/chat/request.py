"""The body of POST /v1/chat/completions: its declaration, and the request that is made of it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from operator import not_
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from wakeful.gateway.openai.chat.messages import ChatMessage, chat_inputs
from wakeful.gateway.openai.fields.answer_format import ChatFormat, format_option
from wakeful.gateway.openai.fields.client_tools import ChatTools, client_tools
from wakeful.gateway.openai.fields.common_fields import (
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
from wakeful.gateway.openai.fields.tool_choice import ChatToolChoice, require_tools, tool_choice
from wakeful.gateway.openai.items.inputs import Input
from wakeful.model.api.request import CHAT, TurnRequest
from wakeful.wire.declared import Incoming, says, words
from wakeful.wire.reading import read

_LARGEST_SEED = 2**63 - 1

_Penalty: TypeAlias = Annotated[float, Meta(ge=-2, le=2)]
_Bias: TypeAlias = Annotated[float, Meta(ge=-100, le=100)]
_OLDER = says("{} belongs to an older API: use tools and tool_choice.")


class ChatStreamOptions(Incoming):
    include_usage: bool = False


class ChatBody(Incoming):
    messages: Annotated[list[ChatMessage], Meta(min_length=1), says("{} must be a list with at least one message.")]
    model: RequestedModel = ""
    stream: bool = False
    stream_options: ChatStreamOptions = ChatStreamOptions()
    tools: ChatTools | None = None
    tool_choice: ChatToolChoice = "auto"
    parallel_tool_calls: bool = True
    response_format: ChatFormat | None = None
    temperature: Temperature | None = None
    top_p: TopP | None = None
    presence_penalty: _Penalty | None = None
    frequency_penalty: _Penalty | None = None
    max_tokens: Tokens | None = None
    max_completion_tokens: Tokens | None = None
    seed: Annotated[int | None, Meta(ge=-_LARGEST_SEED, le=_LARGEST_SEED)] = None
    stop: Annotated[
        str | Annotated[list[str], Meta(max_length=64)] | None,
        says("{} must be a text or at most 64 of them.", covers_inside=True),
    ] = None
    logit_bias: dict[str, _Bias | None] | None = None
    reasoning_effort: ReasoningEffort | None = None
    # What this server cannot do is refused: an answer without it would look right and be wrong.
    n: Annotated[
        int, Meta(ge=1, le=1), words("A turn has one answer."), says("{} must be 1: a turn has one answer.")
    ] = 1
    logprobs: Annotated[
        bool,
        Meta(extra_json_schema={"enum": [False]}),
        words("Log probabilities are not returned."),
        says("{} must be false: log probabilities are not returned.", check=not_),
    ] = False
    top_logprobs: NoLogprobs = 0
    modalities: Annotated[
        list[Literal["text"]] | None,
        words("Answers are text only."),
        says('{} must be ["text"]: the server makes no audio.', covers_inside=True),
    ] = None
    functions: Annotated[None, words("Use `tools`."), _OLDER] = None
    function_call: Annotated[None, words("Use `tool_choice`."), _OLDER] = None
    store: Annotated[bool, words("Accepted and ignored: chat completions are not kept.")] = False
    metadata: Metadata | None = None
    user: LongText | None = None
    prompt_cache_key: LongText | None = None
    safety_identifier: LongText | None = None
    service_tier: ServiceTier = "auto"


@dataclass(frozen=True, slots=True)
class ChatRequest:
    inputs: list[Input]
    model: str
    is_streamed: bool
    includes_usage: bool
    turn: TurnRequest


def read_chat_request(body: Mapping[str, Any], server_tools: Collection[str]) -> ChatRequest:
    """Raises InvalidRequest and ApiError."""
    given = read(ChatBody, body)
    choice = tool_choice(given.tool_choice)
    turn = TurnRequest(
        kind=CHAT,
        tools=client_tools([tool.function for tool in given.tools or ()], nested=".function"),
        options=_options(given) | choice.option,
        echo={name: body[name] for name in ("model", "metadata", "user") if name in body},
        allowed_tools=choice.allowed,
    )
    require_tools(turn, server_tools)
    return ChatRequest(chat_inputs(given.messages), given.model, given.stream, given.stream_options.include_usage, turn)


def in_session(asked: ChatRequest) -> ChatRequest:
    """Return the request of a client that continues a session, whose context may be summed up."""
    return replace(asked, turn=replace(asked.turn, echo={**asked.turn.echo, "truncation": "auto"}))


def _options(given: ChatBody) -> dict[str, Any]:
    """Return the options that are passed on to the model's endpoint."""
    bias = given.logit_bias
    options: dict[str, Any] = {
        "temperature": given.temperature,
        "top_p": given.top_p,
        "presence_penalty": given.presence_penalty,
        "frequency_penalty": given.frequency_penalty,
        "max_tokens": given.max_tokens,
        "max_completion_tokens": given.max_completion_tokens,
        "seed": given.seed,
        "reasoning_effort": given.reasoning_effort,
        # An empty text is a stop sequence; an empty list has none.
        "stop": None if given.stop == [] else given.stop,
        "logit_bias": None if bias is None else {token: weight for token, weight in bias.items() if weight is not None},
        "response_format": format_option(given.response_format),
        "parallel_tool_calls": None if given.parallel_tool_calls else False,
    }
    return {name: value for name, value in options.items() if value is not None}
