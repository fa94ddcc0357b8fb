"""The provider for any OpenAI-compatible chat-completions endpoint."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from wakeful.agent.providers.base import AnswerPart, ModelRequest
from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.endpoint_url import EndpointUrl
from wakeful.agent.providers.http.response import HttpResponse
from wakeful.agent.providers.http.transport import Transport, request_headers
from wakeful.agent.providers.openai.answer_builder import AnswerBuilder
from wakeful.agent.providers.openai.chunk_stream import ChunkStream, json_or_none
from wakeful.agent.providers.openai.dialect import Dialect, refuses_tools
from wakeful.agent.providers.openai.request_body import request_body
from wakeful.errors import ModelError
from wakeful.model.journal.message import AssistantMessage

# How long to wait for usage and [DONE] after the model has said that it is done.
_LAST_WORDS_SECONDS = 5.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    # Kept out of the repr: it may contain a password.
    base_url: str = field(default="https://api.openai.com/v1", repr=False)
    # Empty: no Authorization header is sent. Local endpoints need none.
    api_key: str = field(default="", repr=False)
    connect_timeout: float = 10.0
    # The longest silence between two chunks, and before the first.
    idle_timeout: float = 120.0


class OpenAICompatible:
    """A Provider. It keeps connections open between requests; `close` closes them."""

    def __init__(self, settings: EndpointSettings) -> None:
        key = settings.api_key.strip()
        url = EndpointUrl.under(settings.base_url, keep_userinfo=not key)
        self._errors = EndpointErrors(url.shown, secret=key)
        self._dialect = Dialect()
        self._transport = Transport(
            url.target,
            request_headers(key, {"content-type": "application/json", "accept": "text/event-stream"}),
            self._errors,
            connect_timeout=settings.connect_timeout,
            idle_timeout=settings.idle_timeout,
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        answer = AnswerBuilder(self._errors, taken_ids=_call_ids(request), tools=request.tools)
        async with self._ask(request) as response:
            chunks = ChunkStream(response, self._errors)
            while not chunks.has_ended:
                for chunk in await (_last_words(chunks) if answer.is_finished else chunks.next()):
                    for part in answer.add(chunk):
                        yield part
            self._require_end(chunks, answer)
            for part in answer.finish():
                yield part
            await response.drain()

    async def close(self) -> None:
        await self._transport.close()

    @asynccontextmanager
    async def _ask(self, request: ModelRequest) -> AsyncGenerator[HttpResponse, None]:
        """Yield the response to a request. If the endpoint refuses only the dialect or the tools, the request is sent
        again without them. Only the dialect is remembered: the endpoint may support tools later.
        """
        while True:
            dialect = self._dialect
            async with self._transport.ask("POST", request_body(request, dialect)) as response:
                if response.status == 200:
                    yield response
                    return
                body = await response.read_error()
                words = body.decode(errors="replace")
                if _may_go_without_tools(request) and refuses_tools(response.status, words):
                    logger.warning("the model %s does not support tools; asking it without them", request.model)
                    request = replace(request, tools=())
                    continue
                learnt = dialect.after_refusal(response.status, words)
                # Compare with the dialect of this request: a concurrent one may have changed self._dialect.
                if learnt == dialect:
                    raise self._errors.refused(response.status, json_or_none(body), response.retry_after)
                self._dialect = learnt

    def _require_end(self, chunks: ChunkStream, answer: AnswerBuilder) -> None:
        if chunks.is_empty:
            raise self._errors.incompatible()
        if not answer.is_finished and (answer.is_empty or not chunks.is_done):
            raise self._errors.broken()


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
