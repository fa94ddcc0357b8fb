"""A model that does what people ask for in chats: it starts their jobs, and answers each message and each notice."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from tests.endpoint import Endpoint, Script
from tests.wires.wire import WireServer

# What a person writes: the number of the request, and the commands to start.
_ASKED = re.compile(r"ask-(\d+) run (\[.*\])")
JOB = re.compile(r"job-\d+")


def ask_text(number: int, commands: Sequence[str] = ()) -> str:
    return f"ask-{number} run {orjson.dumps(commands).decode()}"


def answer_text(number: int) -> str:
    """Long enough to be shown while it is written."""
    return f"answer to ask-{number} in so many words that people see them grow"


def heard_text(job: str) -> str:
    return f"heard of {job}"


class ChattyModel(Endpoint):
    """`rate`: words a second."""

    def __init__(self, rate: float = 0.0) -> None:
        super().__init__(Script(rate=rate), keep_bodies=False)

    def take(self, wire: WireServer, headers: dict[str, str], body: bytes) -> tuple[Script, dict[str, Any]]:
        script, request = super().take(wire, headers, body)
        open_part = _since_last_answer(request["messages"])
        if calls := _calls(open_part):
            return replace(script, calls=calls), request
        return replace(script, text=_words(open_part)), request


def _since_last_answer(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    answers = [n for n, one in enumerate(messages) if one["role"] == "assistant" and not one.get("tool_calls")]
    return messages[answers[-1] + 1 :] if answers else messages


def _calls(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return calls for what was asked and not begun."""
    begun = [n for n, one in enumerate(messages) if one["role"] == "assistant"]
    asked = [_ASKED.search(_said(one)) for one in messages[begun[-1] + 1 if begun else 0 :]]
    commands = [command for found in asked if found for command in orjson.loads(found[2])]
    return [
        {"name": "terminal", "arguments": {"command": command, "background": True, "notify_on_complete": True}}
        for command in commands
    ]


def _words(messages: Sequence[Mapping[str, Any]]) -> str:
    words = []
    for said in map(_said, messages):
        if found := _ASKED.search(said):
            words.append(answer_text(int(found[1])))
        elif found := JOB.search(said):
            words.append(heard_text(found[0]))
    return "; ".join(words) or "ok"


def _said(message: Mapping[str, Any]) -> str:
    content = message["content"]
    return content if message["role"] == "user" and isinstance(content, str) else ""
