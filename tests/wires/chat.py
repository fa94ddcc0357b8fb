"""A scripted endpoint's side of chat completions."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from tests.wires.script import Script
from tests.wires.wire import Request, halves

_PICTURES = "[{'type': 'text', 'text': '[The pictures of the results"


class ChatServer:
    route = "/chat/completions"

    def check(self, headers: Mapping[str, str], request: Request) -> None:
        """Take everything: endpoints differ in what they refuse."""

    def last_words(self, request: Request) -> str:
        words = [message["content"] for message in request["messages"] if message["role"] == "user"]
        return words[-1] if words and isinstance(words[-1], str) else ""

    def error_body(self, error: Mapping[str, Any]) -> bytes:
        return orjson.dumps({"error": error})

    def error_event(self, error: Mapping[str, Any]) -> bytes:
        return _data(orjson.dumps({"error": error}))

    def opening(self, script: Script, request: Request) -> bytes:
        return b""

    def tokens(self, script: Script, request: Request) -> Iterator[bytes]:
        for number in range(script.reasoning_tokens):
            yield _chunk({"reasoning_content": f"thought{number} "})
        if _is_calling(script, request):
            for index, call in enumerate(script.calls):
                yield from _call_deltas(index, call, turn=len(request["messages"]))
        elif script.text is not None:
            for word in script.words:
                yield _chunk({"content": word})
        else:
            # The hot path of benchmarks: one JSON text, cut in two, instead of one dumps for each token.
            before, after = _chunk({"content": "@"}).split(b"@")
            for number in range(script.tokens):
                yield b"%btoken%d %b" % (before, number, after)

    def ending(self, script: Script, request: Request) -> bytes:
        calls = _is_calling(script, request) and script.finish_reason == "stop"
        last = _chunk({}, "tool_calls" if calls else script.finish_reason)
        wants_usage = request.get("stream_options", {}).get("include_usage")
        return last + (_usage_chunk(script, script.read(request)) if wants_usage else b"") + _data(b"[DONE]")


def _is_calling(script: Script, request: Request) -> bool:
    # The pictures of results come after them, as a message of the user.
    results = [message for message in request["messages"] if not str(message["content"]).startswith(_PICTURES)]
    return bool(script.calls) and results[-1]["role"] != "tool"


def _call_deltas(index: int, call: Mapping[str, Any], *, turn: int) -> Iterator[bytes]:
    function = {"name": call["name"], "arguments": ""}
    begun = {"index": index, "id": call.get("id", f"call_{turn}_{index}"), "type": "function", "function": function}
    extra = {"extra_content": call["extra_content"]} if "extra_content" in call else {}
    yield _chunk({"tool_calls": [begun | extra]})
    for piece in halves(call["arguments"]):
        yield _chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})


def _chunk(delta: Mapping[str, Any], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return _data(orjson.dumps(_frame() | {"choices": [choice]}))


def _usage_chunk(script: Script, read: int) -> bytes:
    usage = {
        "prompt_tokens": read,
        "completion_tokens": script.size,
        "total_tokens": read + script.size,
        "prompt_tokens_details": {"cached_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": script.reasoning_tokens},
    }
    return _data(orjson.dumps(_frame() | {"choices": [], "usage": usage}))


def _frame() -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}


def _data(payload: bytes) -> bytes:
    return b"data: %b\n\n" % payload
