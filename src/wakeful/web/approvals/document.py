"""Describes the routes of approvals and grants."""

from wakeful.web.approvals.approval import ShownApproval, ShownGrant
from wakeful.web.approvals.grants import GrantList, GrantsQuery, OneGrant
from wakeful.web.approvals.routes import ApprovalList, GivenApproval
from wakeful.wire.answer import Ok
from wakeful.wire.openapi import Family, json_answer, json_body, operation
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json, parameters

PATHS: dict[str, dict[str, Json]] = {
    "/api/approvals": {
        "get": operation(
            "listApprovals",
            "List all questions that wait for an answer",
            {
                200: json_answer("The oldest first.", ApprovalList),
                **refusals(503),
            },
            words="A sub-agent's question is listed under the session at the top of its delegations.",
        ),
    },
    "/api/approval/respond": {
        "post": operation(
            "answerApproval",
            "Answer a call that waits for a person",
            {200: json_answer("It is answered.", Ok), **refusals(400, 403, 404, 409, 413, 503)},
            words="A choice that the question does not offer gets 400 `once_only`.",
            body=json_body(GivenApproval),
        ),
    },
    "/api/grants": {
        "get": operation(
            "listGrants",
            "List what runs without asking",
            {
                200: json_answer("The oldest first.", GrantList),
                **refusals(400, 404, 503),
            },
            parameters=parameters(GrantsQuery, "query"),
        ),
        "delete": operation(
            "revokeGrant",
            "Revoke a grant: the next call asks again",
            {200: json_answer("It is revoked.", Ok), **refusals(400, 403, 404, 503)},
            parameters=parameters(OneGrant, "query"),
        ),
    },
}

FAMILY = Family(
    "Approvals",
    "Questions to a person, and what need not be asked again.",
    PATHS,
    {"Approval": ShownApproval, "Grant": ShownGrant},
)
