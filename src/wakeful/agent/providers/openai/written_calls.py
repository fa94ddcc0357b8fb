"""Calls that a model has written into its text, in the form of its chat template.

Endpoints should take such calls out of the text. Small local servers often do not, or know another template than that
of the model which they run.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from wakeful.tools.base import ToolSpec

# What a call begins with: Hermes and Qwen, Qwen Coder, Mistral, Llama, DeepSeek.
_HERMES, _FUNCTION, _MISTRAL, _LLAMA = "<tool_call>", "<function=", "[TOOL_CALLS]", "<|python_tag|>"
# DeepSeek writes its tags with a wide bar and a low block.
_BAR, _GAP = "\uff5c", "\u2581"
_DEEPSEEK = f"<{_BAR}tool{_GAP}calls{_GAP}begin{_BAR}>"
MARKERS = (_HERMES, _FUNCTION, _MISTRAL, _LLAMA, _DEEPSEEK)
FENCE = "```"

_JSON = json.JSONDecoder()
_TAGGED = re.compile(r"<function=(?P<name>[^>\s]+)>(?P<body>.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=(?P<name>[^>\s]+)>\n?(?P<value>.*?)\n?</parameter>", re.DOTALL)
_NAMED = re.compile(r"(?P<name>[\w.-]+)(?:\[CALL_ID\]\w+)?\[ARGS\]")
_DEEPSEEK_CALL = re.compile(
    f"<{_BAR}tool{_GAP}call{_GAP}begin{_BAR}>(?:function<{_BAR}tool{_GAP}sep{_BAR}>)?(?P<name>[\\w.-]+)"
)


@dataclass(frozen=True, slots=True)
class WrittenCall:
    name: str
    # A JSON object.
    arguments: str


def marker_in(text: str, *, in_code: bool) -> int:
    """Return where a call begins, -1 if nowhere. A call that is shown in a code block is none; with `in_code` the text
    begins inside of one.
    """
    found = [at for marker in MARKERS if (at := text.find(marker)) >= 0]
    at = min(found, default=-1)
    return -1 if at >= 0 and (text.count(FENCE, 0, at) + in_code) % 2 else at


def written_calls(text: str, tools: Sequence[ToolSpec]) -> list[WrittenCall]:
    """Return the calls in a text that begins with a marker, or that is a call as a whole. Empty if it is not written
    wholly, or if a tool is not among those that were offered: then it is only text.
    """
    offered = {tool.name: tool for tool in tools}
    read = next((read for marker, read in _READERS.items() if text.startswith(marker)), _read_bare)
    try:
        calls = [WrittenCall(name, _encoded(offered[name], given)) for name, given in read(text)]
    except (ValueError, KeyError, TypeError):
        return []
    return calls


_Calls = Iterator[tuple[str, Any]]


def _read_hermes(text: str) -> _Calls:
    for piece in text.split(_HERMES)[1:]:
        piece = piece.strip()
        if piece.startswith(_FUNCTION):
            yield from _read_tagged(piece)
        else:
            yield _name_and_arguments(_JSON.raw_decode(piece)[0])


def _read_tagged(text: str) -> _Calls:
    for call in _TAGGED.finditer(text):
        body = call["body"].strip()
        if body.startswith("{"):
            yield call["name"], _JSON.raw_decode(body)[0]
        else:
            yield call["name"], {found["name"]: found["value"] for found in _PARAMETER.finditer(body)}


def _read_mistral(text: str) -> _Calls:
    for piece in text.split(_MISTRAL)[1:]:
        if named := _NAMED.match(piece.strip()):
            yield named["name"], _JSON.raw_decode(piece.strip(), named.end())[0]
        else:
            for call in _JSON.raw_decode(piece.strip())[0]:
                yield _name_and_arguments(call)


def _read_llama(text: str) -> _Calls:
    rest = text.removeprefix(_LLAMA)
    while rest := rest.lstrip("; \n"):
        call, end = _JSON.raw_decode(rest)
        yield _name_and_arguments(call)
        rest = rest[end:].removeprefix("<|eom_id|>").removeprefix("<|eot_id|>")


def _read_deepseek(text: str) -> _Calls:
    for call in _DEEPSEEK_CALL.finditer(text):
        yield call["name"], _JSON.raw_decode(text, text.index("{", call.end()))[0]


def _read_bare(text: str) -> _Calls:
    call = orjson.loads(text)
    # An object with other fields is the answer to a request for JSON.
    if set(call) in ({"name", "arguments"}, {"name", "parameters"}):
        yield _name_and_arguments(call)


_READERS: Mapping[str, Callable[[str], _Calls]] = {
    _HERMES: _read_hermes,
    _FUNCTION: _read_tagged,
    _MISTRAL: _read_mistral,
    _LLAMA: _read_llama,
    _DEEPSEEK: _read_deepseek,
}


def _name_and_arguments(call: Any) -> tuple[str, Any]:
    if not isinstance(call, dict):
        raise TypeError("not a call")
    given = call["arguments"] if "arguments" in call else call.get("parameters", {})
    return call["name"], orjson.loads(given) if isinstance(given, str) else given


def _encoded(tool: ToolSpec, given: Mapping[str, Any]) -> str:
    """Encode the arguments. Templates with tags write every value as text: what is no text by the schema is decoded."""
    properties = tool.parameters.get("properties", {})
    values = {name: _decoded(value, properties.get(name, {})) for name, value in given.items()}
    return orjson.dumps(values).decode()


def _decoded(value: Any, schema: Mapping[str, Any]) -> Any:
    if not isinstance(value, str) or schema.get("type", "string") == "string":
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value
