"""The provider for any OpenAI-compatible chat-completions endpoint."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

from wakeful.agent.providers.base import AnswerPart, ModelRequest, paid_for
from wakeful.agent.providers.chunk_stream import ChunkStream
from wakeful.agent.providers.endpoint_client import Attempt, EndpointClient
from wakeful.agent.providers.endpoint_settings import EndpointSettings
from wakeful.agent.providers.openai.answer_builder import AnswerBuilder
from wakeful.agent.providers.openai.dialect import Dialect, refuses_tools
from wakeful.agent.providers.openai.request_body import request_body
from wakeful.errors import ModelError
from wakeful.model.journal.message import AssistantMessage

# How long to wait for usage and [DONE] after the model has said that it is done.
_LAST_WORDS_SECONDS = 5.0

logger = logging.getLogger(__name__)


class OpenAICompatible:
    """A Provider. It keeps connections open between requests; `close` closes them."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self._client = EndpointClient(settings, "/chat/completions")
        self._errors = self._client.errors
        # What the endpoint has refused so far, learnt by its requests.
        self.dialect = Dialect()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        name, taken = self._settings.name, _call_ids(request)
        answer = AnswerBuilder(self._errors, name, taken_ids=taken, tools=request.tools)
        try:
            async with self._client.post(_ChatAttempt(self, self._settings, request)) as response:
                chunks = ChunkStream(response, self._errors)
                while not chunks.has_ended:
                    for chunk in await (_last_words(chunks) if answer.is_finished else chunks.next()):
                        for part in answer.add(chunk):
                            yield part
                self._require_end(chunks, answer)
                await response.drain()
                for part in answer.finish():
                    yield part
        except ModelError:
            for part in paid_for(answer.usage):
                yield part
            raise

    async def close(self) -> None:
        await self._client.close()

    def _require_end(self, chunks: ChunkStream, answer: AnswerBuilder) -> None:
        if chunks.is_empty:
            raise self._errors.incompatible()
        if not answer.is_finished and (answer.is_empty or not chunks.is_done):
            raise self._errors.broken()


class _ChatAttempt(Attempt):
    """A request that is sent again without what the endpoint refuses. Only the dialect is remembered by the provider:
    the endpoint may support tools later.
    """

    def __init__(self, provider: OpenAICompatible, settings: EndpointSettings, request: ModelRequest) -> None:
        super().__init__(settings, request)
        self._provider = provider
        # Of this request: a concurrent one may change the provider's.
        self._dialect = provider.dialect

    def body(self) -> bytes:
        self._dialect = self._provider.dialect
        return request_body(self._request, self._dialect, self._settings)

    def relents(self, status: int, words: str) -> bool:
        if _may_go_without_tools(self._request) and refuses_tools(status, words):
            logger.warning("the model %s does not support tools; asking it without them", self._request.model)
            self._request = replace(self._request, tools=())
            return True
        learnt = self._dialect.after_refusal(status, words)
        if learnt == self._dialect:
            return False
        self._provider.dialect = learnt
        return True


async def _last_words(chunks: ChunkStream) -> list[dict[str, Any]]:
    try:
        async with asyncio.timeout(_LAST_WORDS_SECONDS):
            return await chunks.next()
    except (ModelError, TimeoutError):
        # The answer is complete without them.
        chunks.has_ended = True
        return []


def _may_go_without_tools(request: ModelRequest) -> bool:
    """Return false if the client demands a call: leaving the tools out would ignore that."""
    return bool(request.tools) and "tool_choice" not in request.options


def _call_ids(request: ModelRequest) -> set[str]:
    answers = (message for message in request.messages if isinstance(message, AssistantMessage))
    return {call.id for answer in answers for call in answer.calls}
