"""The provider for Anthropic's Messages API and copies of it."""

import re
from collections.abc import AsyncGenerator
from dataclasses import replace

from wakeful.agent.providers.anthropic.message_builder import MessageBuilder
from wakeful.agent.providers.anthropic.options import DEFAULT_OUTPUT
from wakeful.agent.providers.anthropic.request_body import messages_body
from wakeful.agent.providers.base import AnswerPart, ModelRequest, paid_for
from wakeful.agent.providers.chunk_stream import ChunkStream
from wakeful.agent.providers.endpoint_client import Attempt, EndpointClient
from wakeful.agent.providers.endpoint_settings import EndpointSettings
from wakeful.errors import ModelError

# How many times an answer may pause while the provider runs its own tools.
_MOST_PAUSES = 10
_TOO_MUCH_OUTPUT = re.compile(r"max_tokens: \d+ > (\d+)")
_BAD_SIGNATURE = re.compile(r"signature|thinking.{1,80}cannot be modified", re.IGNORECASE)


class AnthropicMessages:
    """A Provider. It keeps connections open between requests; `close` closes them."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self._client = EndpointClient(settings, "/v1/messages")
        # The most tokens that each model may write, learnt from refusals.
        self._output_limits: dict[str, int] = {}

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        errors = self._client.errors
        answer = MessageBuilder(errors, self._settings.name)
        asked = request
        try:
            for _ in range(_MOST_PAUSES):
                async with self._client.post(_MessagesAttempt(self._settings, asked, self._output_limits)) as response:
                    events = ChunkStream(response, errors)
                    while not (events.has_ended or answer.has_ended):
                        for event in await events.next():
                            for part in answer.add(event):
                                yield part
                    answer.require_end()
                    await response.drain()
                    if not answer.is_paused:
                        yield answer.finish()
                        return
                asked = replace(request, messages=[*request.messages, answer.go_on()])
            raise errors.broken()
        except ModelError:
            for part in paid_for(answer.usage):
                yield part
            raise

    async def close(self) -> None:
        await self._client.close()


class _MessagesAttempt(Attempt):
    """A request that is sent again with less output, or without thinking that the endpoint did not sign."""

    def __init__(self, settings: EndpointSettings, request: ModelRequest, limits: dict[str, int]) -> None:
        super().__init__(settings, request)
        self._limits = limits
        # Of this request: a concurrent one may change those of the provider.
        self._limit = DEFAULT_OUTPUT

    def body(self) -> bytes:
        self._limit = self._limits.get(self._request.model, self._request.max_output or DEFAULT_OUTPUT)
        return messages_body(self._request, self._settings, self._limit)

    def relents(self, status: int, words: str) -> bool:
        if status != 400:
            return False
        if named := _TOO_MUCH_OUTPUT.search(words):
            self._limits[self._request.model] = limit = int(named[1])
            return limit != self._limit
        return bool(_BAD_SIGNATURE.search(words)) and self._drop_native()
