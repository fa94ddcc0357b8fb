"""The body of POST /v1/runs, and the requests about a run."""

from typing import Annotated, TypeAlias

from msgspec import Meta

from wakeful.gateway.openai.fields.common_fields import NO_NUL, LongText, RequestedModel
from wakeful.gateway.openai.items.input_items import InputField
from wakeful.model.approvals.approval import CHOICES
from wakeful.wire.declared import Incoming, among, says, words


class RunBody(Incoming):
    input: InputField
    model: RequestedModel = ""
    instructions: LongText = ""


class RunApproval(Incoming):
    call_id: Annotated[
        str,
        Meta(min_length=1, max_length=256, pattern=NO_NUL),
        says("{} must be the id of the call that waits for approval."),
    ]
    choice: Annotated[str, among(CHOICES)]


_Cursor: TypeAlias = Annotated[
    str,
    Meta(pattern=r"^([0-9]{1,15}(\.[0-9]{1,15}\.[0-9]{1,15})?)?$"),
    says("{} must be the id of an event, or its number."),
]


class RunEventsQuery(Incoming):
    after: Annotated[_Cursor, words("Only the events after the one with this id, or with this number.")] = ""


class RunEventsHeaders(Incoming, rename={"last_event_id": "last-event-id"}):
    last_event_id: Annotated[_Cursor, words("The same; it wins over `after`.")] = ""
