"""Builds tool calls from their deltas, which some endpoints number, name or repeat in unusual ways."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from wakeful.agent.providers.mended_text import mended
from wakeful.agent.providers.request_json import json_object
from wakeful.model.ids import new_id
from wakeful.model.journal.message import ToolCall


@dataclass(slots=True)
class _Draft:
    id: str
    name: str
    pieces: list[str] = field(default_factory=list)
    # Sent back to Gemini with the call: the signature of the thought behind it.
    extra_content: object = None

    @property
    def arguments(self) -> str:
        return mended("".join(self.pieces))

    @property
    def is_complete(self) -> bool:
        return json_object(self.arguments) is not None


class CallBuilder:
    def __init__(self) -> None:
        self._drafts: list[_Draft] = []
        # The newest draft of each index: some endpoints send index 0 for every call.
        self._by_index: dict[int, _Draft] = {}

    def __bool__(self) -> bool:
        return bool(self._drafts)

    @property
    def are_complete(self) -> bool:
        return all(draft.is_complete for draft in self._drafts)

    @property
    def are_named(self) -> bool:
        return all(draft.name for draft in self._drafts)

    def add(self, delta: Mapping[str, Any]) -> None:
        function = delta.get("function")
        if not isinstance(function, Mapping):
            function = {}
        index, call_id, name = delta.get("index"), _text(delta.get("id")), _text(function.get("name"))
        draft = self._find(index, call_id, name)
        if draft is None or _is_another(draft, call_id, name):
            draft = _Draft(call_id, name)
            self._drafts.append(draft)
        if isinstance(index, int):
            self._by_index[index] = draft
        draft.id = draft.id or call_id
        draft.name = draft.name or name
        draft.extra_content = delta.get("extra_content") or draft.extra_content
        _add_arguments(draft, function.get("arguments"))

    def finish(self, taken: Collection[str]) -> tuple[ToolCall, ...]:
        """Return the calls. An id that is missing or taken is replaced."""
        used = set(taken)
        calls = []
        for draft in self._drafts:
            call_id = mended(draft.id)
            if not call_id or call_id in used:
                call_id = new_id("call")
            used.add(call_id)
            # The arguments of a call without any may be an empty text, which is not JSON.
            calls.append(ToolCall(call_id, mended(draft.name), draft.arguments or "{}"))
        return tuple(calls)

    def extras(self) -> tuple[Mapping[str, Any], ...]:
        """Return the `extra_content` of those calls that have one, each with the number of its call."""
        numbered = enumerate(self._drafts, start=1)
        return tuple({"call": n, "extra_content": draft.extra_content} for n, draft in numbered if draft.extra_content)

    def _find(self, index: object, call_id: str, name: str) -> _Draft | None:
        if isinstance(index, int):
            return self._by_index.get(index)
        same = [draft for draft in self._drafts if call_id and draft.id == call_id]
        if same:
            return same[-1]
        # Without an index or a known id, a delta continues the last call, unless it has a new id and a name.
        if self._drafts and not (call_id and name):
            return self._drafts[-1]
        return None


def _is_another(draft: _Draft, call_id: str, name: str) -> bool:
    """Whether a delta with a draft's index or id begins a new call. Only the first delta of a call has a name, except
    at endpoints that repeat it in every delta: there the draft is not complete yet.
    """
    if not name or not draft.name:
        return False
    has_other_id = bool(call_id and draft.id and call_id != draft.id)
    return has_other_id or name != draft.name or draft.is_complete


def _add_arguments(draft: _Draft, arguments: object) -> None:
    if isinstance(arguments, str):
        draft.pieces.append(arguments)
    elif arguments is not None:
        # Not orjson, which refuses a lone surrogate: that is mended only when the text is complete.
        draft.pieces = [json.dumps(arguments, ensure_ascii=False)]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
