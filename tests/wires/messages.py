"""A scripted endpoint's side of Anthropic's Messages API, version 2026-10-21."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

import orjson

from tests.wires.script import Script
from tests.wires.wire import Refused, Request, halves, named_event

VERSION = "2026-10-21"
OLD_VERSION = "2023-06-01"
_REFUSED_FIELDS = ("temperature", "top_p", "top_k")
_MOST_MARKS = 4
_STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


class MessagesServer:
    route = "/v1/messages"

    def check(self, headers: Mapping[str, str], request: Request) -> None:
        if "x-api-key" not in headers and "authorization" not in headers:
            raise Refused(401, type="authentication_error", message="x-api-key header is required")
        if headers.get("anthropic-version") not in (VERSION, OLD_VERSION):
            raise _invalid("anthropic-version: is not a valid version")
        for field in _REFUSED_FIELDS:
            if field in request and headers["anthropic-version"] == VERSION:
                raise _invalid(f"{field}: Extra inputs are not permitted")
        if not isinstance(request.get("max_tokens"), int):
            raise _invalid("max_tokens: Field required")
        if orjson.dumps(request).count(b'"cache_control"') > _MOST_MARKS:
            raise _invalid("A maximum of 4 blocks with cache_control may be provided.")
        _check_messages(request["messages"])

    def last_words(self, request: Request) -> str:
        texts = [str(block["text"]) for block in _user_blocks(request) if block["type"] == "text"]
        return texts[-1] if texts else ""

    def error_body(self, error: Mapping[str, Any]) -> bytes:
        return orjson.dumps(_failure(error))

    def error_event(self, error: Mapping[str, Any]) -> bytes:
        return b"event: error\ndata: %b\n\n" % orjson.dumps(_failure(error))

    def opening(self, script: Script, request: Request) -> bytes:
        usage = {
            "input_tokens": 3,
            "cache_creation_input_tokens": 5,
            "cache_read_input_tokens": 2,
            "output_tokens": 1,
        }
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }
        return named_event("message_start", {"message": message}) + named_event("ping", {})

    def tokens(self, script: Script, request: Request) -> Iterator[bytes]:
        index = 0
        for thought in _thoughts(script):
            yield from _thinking(index, thought)
            index += 1
        if script.hidden_reasoning:
            block = {"type": "redacted_thinking", "data": signature("nobody may read this")}
            yield _start(index, block) + _stop(index)
            index += 1
        if _is_calling(script, request):
            for number, call in enumerate(script.calls):
                yield from _call(index + number, call, turn=len(request["messages"]))
        else:
            yield from _text(index, script)

    def ending(self, script: Script, request: Request) -> bytes:
        calls = _is_calling(script, request) and script.finish_reason == "stop"
        reason = "tool_use" if calls else _STOP_REASONS.get(script.finish_reason, script.finish_reason)
        delta: dict[str, Any] = {"stop_reason": reason, "stop_sequence": None}
        if reason == "refusal":
            delta["stop_details"] = {"type": "refusal", "category": "cyber", "explanation": "It looks like an attack."}
        details = {"thinking_tokens": script.reasoning_tokens}
        usage = {"output_tokens": script.size, "output_tokens_details": details}
        return named_event("message_delta", {"delta": delta, "usage": usage}) + named_event("message_stop", {})


def signature(thought: str) -> str:
    """Sign a thought as the API does: it takes no other back."""
    return "sig-" + sha256(thought.encode()).hexdigest()[:16]


def _thoughts(script: Script) -> list[list[str]]:
    words = [f"thought{number} " for number in range(script.reasoning_tokens)]
    return [words] if words else []


def _thinking(index: int, words: list[str]) -> Iterator[bytes]:
    start = _start(index, {"type": "thinking", "thinking": "", "signature": ""})
    end = _delta(index, {"type": "signature_delta", "signature": signature("".join(words))}) + _stop(index)
    for number, word in enumerate(words):
        event = _delta(index, {"type": "thinking_delta", "thinking": word})
        yield (b"" if number else start) + event + (end if number == len(words) - 1 else b"")


def _text(index: int, script: Script) -> Iterator[bytes]:
    yield _start(index, {"type": "text", "text": ""})
    if script.text is not None:
        for word in script.words:
            yield _delta(index, {"type": "text_delta", "text": word})
    else:
        # The hot path of benchmarks: one JSON text, cut in two, instead of one dumps for each token.
        before, after = _delta(index, {"type": "text_delta", "text": "@"}).split(b"@")
        for number in range(script.tokens):
            yield b"%btoken%d %b" % (before, number, after)
    yield _stop(index)


def _call(index: int, call: Mapping[str, Any], *, turn: int) -> Iterator[bytes]:
    block = {"type": "tool_use", "id": call.get("id", f"toolu_{turn}_{index}"), "name": call["name"], "input": {}}
    yield _start(index, block)
    for piece in halves(call["arguments"]):
        yield _delta(index, {"type": "input_json_delta", "partial_json": piece})
    yield _stop(index)


def _start(index: int, block: Mapping[str, Any]) -> bytes:
    return named_event("content_block_start", {"index": index, "content_block": block})


def _delta(index: int, delta: Mapping[str, Any]) -> bytes:
    return named_event("content_block_delta", {"index": index, "delta": delta})


def _stop(index: int) -> bytes:
    return named_event("content_block_stop", {"index": index})


def _failure(error: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "error", "error": {"type": "api_error", **error}, "request_id": "req_1"}


def _invalid(message: str) -> Refused:
    return Refused(400, type="invalid_request_error", message=message)


def _user_blocks(request: Request) -> list[Mapping[str, Any]]:
    return [block for message in request["messages"] if message["role"] == "user" for block in _blocks(message)]


def _blocks(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _is_calling(script: Script, request: Request) -> bool:
    last = _blocks(request["messages"][-1])
    return bool(script.calls) and not any(block["type"] == "tool_result" for block in last)


def _check_messages(messages: list[Mapping[str, Any]]) -> None:
    if messages[0]["role"] != "user":
        raise _invalid("messages: first message must use the user role")
    open_calls: list[str] = []
    for number, message in enumerate(messages):
        blocks = _blocks(message)
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if results != open_calls:
            raise _invalid(
                f"messages.{number}: `tool_use` ids were found without `tool_result` blocks immediately after"
            )
        open_calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        for block in blocks:
            _check_block(number, block)


def _check_block(number: int, block: Mapping[str, Any]) -> None:
    if block["type"] == "text" and not block["text"].strip():
        raise _invalid(f"messages.{number}: text content blocks must contain non-whitespace text")
    if block["type"] == "thinking" and block["signature"] != signature(block["thinking"]):
        raise _invalid(f"messages.{number}: Invalid `signature` in `thinking` block")
    if block["type"] == "image" and block["source"]["type"] == "base64" and "," in block["source"]["data"]:
        raise _invalid(f"messages.{number}: image.source.base64: invalid base64 data")
