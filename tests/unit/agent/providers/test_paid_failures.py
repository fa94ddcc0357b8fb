"""An answer that fails is paid for as far as its endpoint has counted."""

from collections.abc import Callable

import pytest

from tests.endpoint import Endpoint, Script
from wakeful.agent.providers.anthropic.provider import AnthropicMessages
from wakeful.agent.providers.base import AnswerPart, ModelRequest, Provider, SpoiltAnswer
from wakeful.agent.providers.endpoint_settings import EndpointSettings, Wire
from wakeful.agent.providers.openai.provider import OpenAICompatible
from wakeful.agent.providers.responses.provider import OpenAIResponses
from wakeful.errors import ModelError
from wakeful.model.journal.message import UserMessage

PROVIDERS: dict[Wire, Callable[[EndpointSettings], Provider]] = {
    Wire.OPENAI: OpenAICompatible,
    Wire.ANTHROPIC: AnthropicMessages,
    Wire.RESPONSES: OpenAIResponses,
}
# All of its tokens went into reasoning; it was refused at the end.
CUT = Script(text="", tokens=0, reasoning_tokens=5, finish_reason="length")
FILTERED = Script(tokens=2, finish_reason="content_filter")


async def failed_parts(wire: Wire, script: Script) -> tuple[list[AnswerPart], ModelError]:
    async with Endpoint(script) as endpoint:
        url = endpoint.root if wire is Wire.ANTHROPIC else endpoint.url
        provider = PROVIDERS[wire](EndpointSettings(url, "sk-key", wire=wire))
        parts: list[AnswerPart] = []
        try:
            async for part in provider.stream(ModelRequest("m", "Be kind.", [UserMessage("Hi")], ())):
                parts.append(part)
        except ModelError as error:
            return parts, error
        finally:
            await provider.close()
    pytest.fail("The answer has not failed.")


@pytest.mark.parametrize("wire", list(Wire))
@pytest.mark.parametrize(("script", "code"), [(CUT, "output_limit"), (FILTERED, "content_filter")])
async def test_an_answer_that_is_of_no_use_has_been_counted(wire: Wire, script: Script, code: str) -> None:
    parts, error = await failed_parts(wire, script)

    last = parts[-1]
    assert isinstance(last, SpoiltAnswer)
    assert (error.code, last.usage.output_tokens) == (code, script.size)
    assert last.usage.input_tokens > 0


async def test_an_answer_that_breaks_off_has_been_read() -> None:
    parts, error = await failed_parts(Wire.ANTHROPIC, Script(tokens=5, break_after=2))

    assert isinstance(parts[-1], SpoiltAnswer)
    assert (error.code, parts[-1].usage.input_tokens) == ("model_stream_broken", 10)


@pytest.mark.parametrize("wire", list(Wire))
async def test_a_refused_request_costs_nothing(wire: Wire) -> None:
    parts, error = await failed_parts(wire, Script(status=402))

    assert (parts, error.code) == ([], "model_credit")
