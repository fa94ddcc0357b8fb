"""The run object, and the events of its stream."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from wakeful.gateway.openai.fields.common_fields import FailureDetails, IncompleteDetails, NonNegative
from wakeful.gateway.openai.usage import ResponseUsage
from wakeful.model.approvals.approval import Choice
from wakeful.wire.declared import Outgoing, words

Seconds: TypeAlias = Annotated[float, Meta(ge=0)]
StepNumber: TypeAlias = Annotated[int, Meta(ge=1)]


class Run(Outgoing):
    run_id: str
    status: Literal["queued", "running", "completed", "failed", "cancelled"]
    output: Annotated[str, words("The text so far.")]
    usage: ResponseUsage | None
    error: FailureDetails | None
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
    sequence_number: NonNegative
    timestamp: Seconds


class RunMessageDelta(_Event):
    # The event's name is also in its data, where hermes-agent's clients look for it.
    event: Literal["message.delta"] = "message.delta"
    step: StepNumber
    delta: str


class RunStepAbandoned(_Event):
    event: Literal["step.abandoned"] = "step.abandoned"
    step: StepNumber


class RunToolStarted(_Event):
    event: Literal["tool.started"] = "tool.started"
    step: StepNumber
    call_id: str
    tool: str
    arguments: str


class RunToolCompleted(_Event):
    event: Literal["tool.completed"] = "tool.completed"
    step: StepNumber
    call_id: str
    tool: str
    result: str
    is_error: bool
    duration: Seconds


class RunApprovalRequired(_Event):
    event: Literal["approval.required"] = "approval.required"
    call_id: str
    command: str
    reason: str
    expires_at: str
    choices: list[Choice]


class RunCompleted(Run):
    event: Literal["run.completed"] = "run.completed"
    sequence_number: NonNegative
    timestamp: Seconds


class RunFailed(Run):
    event: Literal["run.failed"] = "run.failed"
    sequence_number: NonNegative
    timestamp: Seconds


class RunCancelled(Run):
    event: Literal["run.cancelled"] = "run.cancelled"
    sequence_number: NonNegative
    timestamp: Seconds


RunEvent: TypeAlias = (
    RunMessageDelta
    | RunStepAbandoned
    | RunToolStarted
    | RunToolCompleted
    | RunApprovalRequired
    | RunCompleted
    | RunFailed
    | RunCancelled
)
