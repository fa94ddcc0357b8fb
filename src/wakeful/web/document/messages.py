"""What a conversation consists of, as the document tells it."""

from wakeful.model.task import TaskStatus
from wakeful.model.turn import TurnStatus
from wakeful.wire.openapi import FLAG, OBJECT, TEXT, WHOLE, Json, choice, or_null, record, told, whole

NOTICE_KIND = choice("process", "delegation", "watch")
# A turn, wherever it is told of.
OUTLINE: dict[str, Json] = {
    "number": told("In the conversation.", whole(1)),
    "source": TEXT,
    "status": choice(*(status.value for status in TurnStatus)),
    "opened_at": TEXT,
    "closed_at": or_null(TEXT),
}
# A notice that waits, or has come; notices of old have fewer of them.
NOTICE: dict[str, Json] = {
    "task_id": TEXT,
    "command": TEXT,
    "status": choice(*(status.value for status in TaskStatus)),
    "exit_code": or_null(WHOLE),
    "seconds": {"type": "number"},
    "kind": NOTICE_KIND,
    "output": told("What the agent is shown of it.", TEXT),
    "cut": told("Whether there was more.", FLAG),
    "pattern": told("What a `watch` looked for.", TEXT),
}

_COST = {"input_tokens": whole(0), "output_tokens": whole(0)}
USAGE = record({**_COST, "context_tokens": whole(0), "context_window": or_null(whole(0))})
TURN = record({**OUTLINE, "model": TEXT, "usage": or_null(record(_COST))})
_TOOL = record(
    {
        "call_id": TEXT,
        "name": TEXT,
        "arguments": TEXT,
        "result": or_null(TEXT),
        "truncated": told("`result` lacks its middle; `/api/session/result` has the whole.", FLAG),
        "full_size": whole(0),
        "seconds": or_null({"type": "number"}),
        "is_error": told("The tool failed. A command that ran and exited with another code than 0 did not.", FLAG),
        "status": choice("done", "interrupted", "running"),
    }
)
MESSAGE = record(
    {
        "id": TEXT,
        "turn_id": TEXT,
        "role": choice("user", "assistant", "tool", "note", "error"),
        "source": TEXT,
        "content": TEXT,
        "html": told("Of the assistant's markdown, cleaned; null for other roles.", or_null(TEXT)),
        "tool": or_null(_TOOL),
        "notice": or_null({**OBJECT, "properties": NOTICE}),
        "created_at": TEXT,
    },
    {"reasoning": told("Of the assistant's messages.", or_null(TEXT))},
)
