"""A run as its clients see it, and the events of its stream."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from wakeful.gateway.openai.asking.common_fields import Count, Failure, IncompleteDetails
from wakeful.gateway.openai.usage import Usage
from wakeful.model.approvals.approval import Choice
from wakeful.wire.declared import Outgoing, words

Seconds: TypeAlias = Annotated[float, Meta(ge=0)]
Step: TypeAlias = Annotated[int, Meta(ge=1)]


class Run(Outgoing):
    run_id: str
    status: Literal["queued", "running", "completed", "failed", "cancelled"]
    output: Annotated[str, words("The text so far.")]
    usage: Usage | None
    error: Failure | None
    incomplete_details: IncompleteDetails | None


class RunBegun(Outgoing):
    run_id: str
    status: Literal["running"] = "running"


class RunAnswered(Outgoing):
    run_id: str
    call_id: str
    choice: Choice


class _Event(Outgoing):
    run_id: str
    sequence_number: Count
    timestamp: Seconds


class MessageDelta(_Event):
    # The name of the event stands in the data too: there is where hermes-agent's clients look for it.
    event: Literal["message.delta"] = "message.delta"
    step: Step
    delta: str


class StepAbandoned(_Event):
    event: Literal["step.abandoned"] = "step.abandoned"
    step: Step


class ToolStarted(_Event):
    event: Literal["tool.started"] = "tool.started"
    step: Step
    call_id: str
    tool: str
    arguments: str


class ToolCompleted(_Event):
    event: Literal["tool.completed"] = "tool.completed"
    step: Step
    call_id: str
    tool: str
    result: str
    is_error: bool
    duration: Seconds


class ApprovalRequired(_Event):
    event: Literal["approval.required"] = "approval.required"
    call_id: str
    command: str
    reason: str
    expires_at: str
    choices: list[Choice]


class RunCompleted(Run):
    event: Literal["run.completed"] = "run.completed"
    sequence_number: Count
    timestamp: Seconds


class RunFailed(Run):
    event: Literal["run.failed"] = "run.failed"
    sequence_number: Count
    timestamp: Seconds


class RunCancelled(Run):
    event: Literal["run.cancelled"] = "run.cancelled"
    sequence_number: Count
    timestamp: Seconds


RunEvent: TypeAlias = (
    MessageDelta
    | StepAbandoned
    | ToolStarted
    | ToolCompleted
    | ApprovalRequired
    | RunCompleted
    | RunFailed
    | RunCancelled
)
