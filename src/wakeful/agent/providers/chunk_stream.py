"""Reads the JSON chunks of one response as they arrive, until [DONE] or the end of the body."""

import json
from collections.abc import Mapping
from typing import Any

import orjson

from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.http.response import HttpResponse
from wakeful.agent.providers.sse import EventParser

_DONE = b"[DONE]"
# More than any answer has: the database could not store every number that JSON can.
_MOST_TOKENS = 1_000_000_000


class ChunkStream:
    def __init__(self, response: HttpResponse, errors: EndpointErrors) -> None:
        self._response = response
        self._errors = errors
        self._parser = EventParser()
        # `has_ended`: nothing more follows, for whatever reason. `is_done`: the endpoint sent [DONE].
        self.has_ended = False
        self.is_done = False
        self.is_empty = True

    async def next(self) -> list[dict[str, Any]]:
        """Return the chunks of the next read; there may be none."""
        if self._response.content_type == "application/json":
            return self._only(await self._response.read_whole())
        data = await self._response.read()
        if data:
            return self._decoded(self._parser.feed(data))
        self.has_ended = True
        # An event without its final blank line may be incomplete, and is then ignored.
        return self._decoded(self._parser.finish(), may_be_cut=True)

    def _only(self, body: bytes) -> list[dict[str, Any]]:
        self.has_ended = True
        chunk = json_or_none(body)
        if not isinstance(chunk, dict):
            raise self._errors.incompatible()
        self.is_empty = False
        return [chunk]

    def _decoded(self, events: list[bytes], *, may_be_cut: bool = False) -> list[dict[str, Any]]:
        """Return the JSON objects up to [DONE]. An event of blanks alone keeps the connection alive."""
        chunks = []
        for event in events:
            chunk = json_or_none(event)
            if isinstance(chunk, dict):
                self.is_empty = False
                chunks.append(chunk)
            elif words := event.strip():
                self.is_empty = False
                if words == _DONE:
                    self.has_ended = self.is_done = True
                    break
                if not may_be_cut:
                    raise self._errors.broken()
        return chunks


def json_or_none(data: bytes) -> Any:
    """Return the decoded JSON, None if the bytes are not JSON."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    # The standard library accepts half a surrogate pair, which some endpoints send.
    try:
        return json.loads(data.decode(errors="replace"))
    except (ValueError, RecursionError):
        return None


def object_in(holder: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object that an endpoint sent, an empty one if it is not there."""
    value = holder.get(name)
    return value if isinstance(value, dict) else {}


def text_in(holder: Mapping[str, Any], name: str) -> str:
    value = holder.get(name)
    return value if isinstance(value, str) else ""


def count_in(counts: object, name: str) -> int:
    """Return a number of tokens; 0 if it is not there or makes no sense."""
    count = counts.get(name) if isinstance(counts, dict) else None
    return count if isinstance(count, int) and 0 <= count <= _MOST_TOKENS else 0
