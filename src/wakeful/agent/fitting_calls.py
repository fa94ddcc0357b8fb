"""The calls of an answer in a form that every provider takes back: a session may change to another one at any time."""

import re
from collections.abc import Collection, Sequence

from wakeful.model.ids import new_id
from wakeful.model.journal.message import AssistantMessage, Message, ToolCall

# The strictest limits are those of OpenAI's chat completions.
_FIT_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")
_UNFIT_IN_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 64
_NAMELESS = "unnamed"


def fitting_calls(
    calls: Sequence[ToolCall], before: Sequence[Message], offered: Collection[str]
) -> tuple[ToolCall, ...]:
    """Return the calls with ids that are unique in the conversation, which some endpoints do not send, and with names
    that can be repeated. Names of tools that were `offered` stay.
    """
    taken = {call.id for known in before if isinstance(known, AssistantMessage) for call in known.calls}
    fitting: list[ToolCall] = []
    for call in calls:
        has_id = _FIT_ID.fullmatch(call.id) is not None and call.id not in taken
        call_id = call.id if has_id else new_id("call")
        taken.add(call_id)
        name = call.name if call.name in offered else _fit_name(call.name)
        fitting.append(ToolCall(call_id, name, call.arguments))
    return tuple(fitting)


def _fit_name(name: str) -> str:
    return _UNFIT_IN_NAME.sub("_", name)[:_LONGEST_NAME] or _NAMELESS
