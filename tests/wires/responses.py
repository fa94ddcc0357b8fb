"""A scripted endpoint's side of OpenAI's Responses API."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import count
from typing import Any

import orjson

from tests.wires.script import Script
from tests.wires.wire import Refused, Request, halves, named_event

_ENDS = {"length": "max_output_tokens", "content_filter": "content_filter"}


class ResponsesServer:
    route = "/responses"

    def check(self, headers: Mapping[str, str], request: Request) -> None:
        if request.get("store", True):
            raise _invalid("This server keeps nothing: store must be false.", "store")
        called: set[str] = set()
        for number, item in enumerate(_items(request)):
            where = f"input[{number}]"
            if item.get("type") == "reasoning" and item.get("encrypted_content") != sealed(item["id"]):
                raise _invalid("The encrypted content could not be verified.", where, "invalid_encrypted_content")
            if item.get("type") == "function_call":
                called.add(item["call_id"])
            if item.get("type") == "function_call_output" and item["call_id"] not in called:
                raise _invalid(f"No tool call found for function call output with call_id {item['call_id']}.", where)

    def last_words(self, request: Request) -> str:
        words = [item["content"] for item in _items(request) if item.get("role") == "user"]
        return words[-1] if words and isinstance(words[-1], str) else ""

    def error_body(self, error: Mapping[str, Any]) -> bytes:
        return orjson.dumps({"error": error})

    def error_event(self, error: Mapping[str, Any]) -> bytes:
        complaint = {name: value for name, value in error.items() if name != "type"}
        return named_event("error", {"code": "server_error", "param": None, **complaint, "sequence_number": 1})

    def opening(self, script: Script, request: Request) -> bytes:
        begun = {"response": _response(request, "in_progress"), "sequence_number": 0}
        return named_event("response.created", begun) + named_event("response.in_progress", begun)

    def tokens(self, script: Script, request: Request) -> Iterator[bytes]:
        output = count()
        if script.reasoning_tokens or script.hidden_reasoning:
            yield from _reasoning(next(output), script, len(_items(request)))
        if _is_calling(script, request):
            for call in script.calls:
                yield from _call(next(output), call, turn=len(_items(request)))
        else:
            yield from _message(next(output), script)

    def ending(self, script: Script, request: Request) -> bytes:
        usage = {
            "input_tokens": 7,
            "input_tokens_details": {"cached_tokens": 2, "cache_write_tokens": 5},
            "output_tokens": script.size,
            "output_tokens_details": {"reasoning_tokens": script.reasoning_tokens},
            "total_tokens": 7 + script.size,
        }
        status = "completed" if script.finish_reason == "stop" else "incomplete"
        response = _response(request, status) | {"usage": usage}
        if status == "incomplete":
            response["incomplete_details"] = {"reason": _ENDS.get(script.finish_reason, script.finish_reason)}
        return named_event(f"response.{status}", {"response": response, "sequence_number": 99})


def sealed(item_id: str) -> str:
    """Encrypt reasoning as the API does: it takes no other back."""
    return "enc-" + sha256(item_id.encode()).hexdigest()[:16]


def _reasoning(index: int, script: Script, turn: int) -> Iterator[bytes]:
    item: dict[str, Any] = {"id": f"rs_{turn}", "type": "reasoning", "summary": []}
    yield _item_event("added", index, item)
    place = {"item_id": item["id"], "output_index": index, "summary_index": 0, "sequence_number": 2}
    words = [f"thought{number} " for number in range(script.reasoning_tokens)]
    if words:
        part = {"type": "summary_text", "text": ""}
        yield named_event("response.reasoning_summary_part.added", {**place, "part": part})
    for word in words:
        yield named_event("response.reasoning_summary_text.delta", {**place, "delta": word})
    summary = [{"type": "summary_text", "text": "".join(words)}] if words else []
    yield _item_event("done", index, item | {"summary": summary, "encrypted_content": sealed(item["id"])})


def _message(index: int, script: Script) -> Iterator[bytes]:
    words = script.words if script.text is not None else [f"token{number} " for number in range(script.tokens)]
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    place = {"item_id": "msg_1", "output_index": index, "content_index": 0, "sequence_number": 3}
    empty = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    yield _item_event("added", index, item) + named_event("response.content_part.added", {**place, "part": empty})
    # The hot path of benchmarks: one JSON text, cut in two, instead of one dumps for each token.
    before, after = named_event("response.output_text.delta", {**place, "delta": "@@", "logprobs": []}).split(b"@@")
    for word in words:
        yield before + orjson.dumps(word)[1:-1] + after
    text = "".join(words)
    whole = {**place, "text": text, "logprobs": []}
    done = item | {"status": "completed", "content": [empty | {"text": text}]}
    yield named_event("response.output_text.done", whole) + _item_event("done", index, done)


def _call(index: int, call: Mapping[str, Any], *, turn: int) -> Iterator[bytes]:
    item = {
        "id": f"fc_{turn}_{index}",
        "type": "function_call",
        "status": "in_progress",
        "call_id": call.get("id", f"call_{turn}_{index}"),
        "name": call["name"],
        "arguments": "",
    }
    place = {"item_id": item["id"], "output_index": index, "sequence_number": 4}
    yield _item_event("added", index, item)
    pieces = halves(call["arguments"])
    for piece in pieces:
        yield named_event("response.function_call_arguments.delta", {**place, "delta": piece})
    arguments = "".join(pieces)
    done = {**place, "name": call["name"], "arguments": arguments}
    ended = _item_event("done", index, item | {"status": "completed", "arguments": arguments})
    yield named_event("response.function_call_arguments.done", done) + ended


def _item_event(what: str, index: int, item: Mapping[str, Any]) -> bytes:
    return named_event(f"response.output_item.{what}", {"output_index": index, "item": item, "sequence_number": 5})


def _response(request: Request, status: str) -> dict[str, Any]:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": status,
        "model": request["model"],
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "temperature": None,
        "top_p": None,
        "usage": None,
    }


def _items(request: Request) -> list[Mapping[str, Any]]:
    given = request["input"]
    return [{"role": "user", "content": given}] if isinstance(given, str) else given


def _is_calling(script: Script, request: Request) -> bool:
    return bool(script.calls) and _items(request)[-1].get("type") != "function_call_output"


def _invalid(message: str, param: str, code: str | None = None) -> Refused:
    return Refused(400, type="invalid_request_error", message=message, param=param, code=code)
