"""The provider for OpenAI's Responses API and copies of it. Nothing is stored there: a session is its own history."""

from collections.abc import AsyncGenerator

from wakeful.agent.providers.base import AnswerPart, ModelRequest, paid_for
from wakeful.agent.providers.chunk_stream import ChunkStream
from wakeful.agent.providers.endpoint_client import Attempt, EndpointClient
from wakeful.agent.providers.endpoint_settings import EndpointSettings
from wakeful.agent.providers.responses.dialect import ReasoningDialect
from wakeful.agent.providers.responses.request_body import responses_body
from wakeful.agent.providers.responses.response_builder import ResponseBuilder
from wakeful.errors import ModelError


class OpenAIResponses:
    """A Provider. It keeps connections open between requests; `close` closes them."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self._client = EndpointClient(settings, "/responses")
        # By model.
        self._dialects: dict[str, ReasoningDialect] = {}

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        errors = self._client.errors
        answer = ResponseBuilder(errors, self._settings.name)
        try:
            async with self._client.post(_ResponsesAttempt(self._settings, request, self._dialects)) as response:
                events = ChunkStream(response, errors)
                while not (events.has_ended or answer.has_ended):
                    for event in await events.next():
                        for part in answer.add(event):
                            yield part
                answer.require_end()
                await response.drain()
                yield answer.finish()
        except ModelError:
            for part in paid_for(answer.usage):
                yield part
            raise

    async def close(self) -> None:
        await self._client.close()


class _ResponsesAttempt(Attempt):
    """A request that is sent again without what the model refuses, or without reasoning that cannot be verified."""

    def __init__(
        self, settings: EndpointSettings, request: ModelRequest, dialects: dict[str, ReasoningDialect]
    ) -> None:
        super().__init__(settings, request)
        self._dialects = dialects
        # Of this request: a concurrent one may change those of the provider.
        self._dialect = ReasoningDialect()

    def body(self) -> bytes:
        self._dialect = self._dialects.get(self._request.model, ReasoningDialect())
        return responses_body(self._request, self._dialect, self._settings)

    def relents(self, status: int, words: str) -> bool:
        if status != 400:
            return False
        if "invalid_encrypted_content" in words:
            return self._drop_native()
        learnt = self._dialect.after_refusal(words.lower())
        if learnt == self._dialect:
            return False
        self._dialects[self._request.model] = learnt
        return True
