"""The routes of questions to a person, and of what need not be asked again."""

from wakeful.model.approval import Choice
from wakeful.model.grant import Scope
from wakeful.web.approvals import GivenApproval
from wakeful.web.grants import GrantsQuery, OneGrant
from wakeful.wire.answer import Ok
from wakeful.wire.openapi import (
    TEXT,
    Family,
    Json,
    choice,
    json_answer,
    json_body,
    list_of,
    operation,
    or_null,
    record,
    ref,
    told,
    whole,
)
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import parameters

_REASON = record(
    {
        "kind": told("What a grant covers.", TEXT),
        "reason": told("Finishes the sentence: this command …", TEXT),
        "path": or_null(TEXT),
        "excerpt": told("The dangerous piece of the command as it stands there, or empty.", TEXT),
    }
)
_APPROVAL_FIELDS = {
    "session_id": TEXT,
    "call_id": TEXT,
    "task_id": or_null(TEXT),
    "tool": TEXT,
    "command": TEXT,
    "danger": told("The first kind.", TEXT),
    "reason": told("All reasons, with semicolons between them.", TEXT),
    "dangers": list_of(_REASON, minItems=1),
    "choices": told("Those possible.", list_of(choice(*(known.value for known in Choice)))),
    "choice_words": told(
        "What a choice that lasts allows, to be read before it.", record({}, {"session": TEXT, "folder": TEXT})
    ),
    "preview": told("Of a file: the change, as a diff.", TEXT),
    "expires_at": TEXT,
}
_WAITING = record({**_APPROVAL_FIELDS, "session_title": TEXT, "workspace": TEXT})
_GRANT = record(
    {
        "id": TEXT,
        "owner": TEXT,
        "kind": TEXT,
        "words": told("Finishes the sentence: commands that … run without asking.", TEXT),
        "scope": choice(*(scope.value for scope in Scope)),
        "session_id": told("Null for a folder.", or_null(TEXT)),
        "session_title": told("Null for a folder.", or_null(TEXT)),
        "folder": told("Null for a session.", or_null(TEXT)),
        "created_at": TEXT,
        "expires_at": told("Null: as long as its session.", or_null(TEXT)),
        "last_used_at": or_null(TEXT),
        "uses": whole(0),
        "example": told("The command that it was given for.", TEXT),
    }
)

PATHS: dict[str, dict[str, Json]] = {
    "/api/approvals": {
        "get": operation(
            "listApprovals",
            "All questions that wait for an answer, in whichever session",
            {
                200: json_answer("The oldest first.", record({"approvals": list_of(_WAITING)})),
                **refusals(503),
            },
            words="A sub-agent's question stands in the session that ordered its work.",
        ),
    },
    "/api/approval/respond": {
        "post": operation(
            "answerApproval",
            "Answer a call that waits for a person",
            {200: json_answer("It is answered.", Ok), **refusals(400, 403, 404, 409, 413, 503)},
            words="A choice that is not possible for this question is 400 `once_only`.",
            body=json_body(GivenApproval),
        ),
    },
    "/api/grants": {
        "get": operation(
            "listGrants",
            "What runs without asking",
            {
                200: json_answer("The oldest first.", record({"grants": list_of(ref("Grant"))})),
                **refusals(400, 404, 503),
            },
            parameters=parameters(GrantsQuery, "query"),
        ),
        "delete": operation(
            "revokeGrant",
            "Ask again, from the next call on",
            {200: json_answer("It is revoked.", Ok), **refusals(400, 403, 404, 503)},
            parameters=parameters(OneGrant, "query"),
        ),
    },
}

FAMILY = Family(
    "Approvals",
    "Questions to a person, and what need not be asked again.",
    PATHS,
    {"Approval": record(_APPROVAL_FIELDS), "Grant": _GRANT},
)
