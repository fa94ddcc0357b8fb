"""A session with all that its page shows, in the form that clients get."""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from wakeful.model.journal.change import ChangeKind
from wakeful.model.journal.summary import CompactionReason
from wakeful.model.tools.todo import TodoStatus
from wakeful.web.approvals.approval import ShownApproval
from wakeful.web.attachments.routes import ShownAttachment
from wakeful.web.feeds.rows import SessionRow
from wakeful.web.messages.messages import MessageFields
from wakeful.web.messages.turn import Notice, ReadNotice, ShownTurn, TurnCost, ZeroOrMore, notice_fields
from wakeful.web.tasks.task import ShownTask
from wakeful.wire.declared import Outgoing, words

WhyWaiting: TypeAlias = Literal["held", "blocked", "budget", "spend", "busy"]


class SessionUsage(TurnCost):
    context_tokens: ZeroOrMore
    context_window: Annotated[ZeroOrMore | None, words("How many tokens its model can read; null: unknown.")] = None
    compact_at_tokens: Annotated[
        ZeroOrMore | None, words("With more tokens than these, the conversation is summed up; null: unknown.")
    ] = None


class ParentTask(Outgoing):
    session_id: str
    task_id: str


class SnapshotSession(SessionRow):
    workspace: str
    created_at: str
    parent: ParentTask | None
    usage: SessionUsage


class ShownChange(Outgoing):
    path: Annotated[str, words("Relative to the workspace; absolute outside of it.")]
    kind: ChangeKind
    added: Annotated[ZeroOrMore, words("Lines.")]
    removed: Annotated[ZeroOrMore, words("Lines.")]
    diff: Annotated[str, words("Unified; a line in brackets says why there is none, or where it was cut.")]
    undoable: Annotated[bool, words("Whether what stood there before was kept.")]
    undone: bool


class ShownTool(Outgoing):
    call_id: str
    name: str
    arguments: str
    result: str | None
    truncated: Annotated[bool, words("Whether `result` lacks its middle; `/api/session/result` has the whole.")]
    full_size: ZeroOrMore
    seconds: float | None
    is_error: Annotated[bool, words("Whether the tool failed. A command that exits with a code other than 0 has not.")]
    status: Literal["done", "interrupted", "running"]
    changes: Annotated[list[ShownChange], words("The files that the call has written.")]


class ShownSummary(Outgoing):
    reason: CompactionReason
    tokens_before: ZeroOrMore
    tokens_after: ZeroOrMore
    model: Annotated[str | None, words("Who wrote it; null: no model could, and it has the first words of messages.")]


class ShownMessage(Outgoing):
    id: str
    turn_id: str
    role: Literal["user", "assistant", "tool", "note", "error"]
    source: str
    content: str
    html: Annotated[str | None, words("The assistant's Markdown as clean HTML; null for other roles.")]
    tool: ShownTool | None
    notice: ReadNotice | None
    created_at: str
    reasoning: Annotated[str | UnsetType | None, words("Only in the assistant's messages.")] = UNSET
    summary: Annotated[
        ShownSummary | UnsetType,
        words("Only in a message with the source `summary`, which the model reads instead of those before it."),
    ] = UNSET
    model: Annotated[
        str | UnsetType | None,
        words("Only in the assistant's messages: the model that answered; null if the answer was cut off."),
    ] = UNSET
    attachments: Annotated[
        list[ShownAttachment] | UnsetType, words("The files of the user's message, or those that a call has shown.")
    ] = UNSET
    code: Annotated[str | UnsetType | None, words("Only in messages with the role `error`: what failed.")] = UNSET


class OpenCompaction(Outgoing):
    step: ZeroOrMore
    reason: CompactionReason
    context_tokens: ZeroOrMore
    started_at: str


class Partial(Outgoing):
    step: ZeroOrMore
    text: str
    reasoning: str


class ActiveTurn(Outgoing):
    turn_id: str
    stream_id: str
    source: str
    partial: Annotated[Partial | None, words("The text of its open step up to `cursor`.")]
    compaction: Annotated[OpenCompaction | None, words("The summary that is being made.")]


class QueuedMessage(Outgoing):
    turn_id: str
    message: str
    source: str
    created_at: str
    attachments: list[ShownAttachment] | UnsetType = UNSET


class PendingNotice(Notice):
    source: str
    content: str
    created_at: str
    why: WhyWaiting
    until: str | None


class ShownTodo(Outgoing):
    id: str
    text: str
    status: TodoStatus


class ShownSnapshot(Outgoing):
    session: SnapshotSession
    messages: list[ShownMessage]
    has_more: Annotated[bool, words("Whether there are older messages.")]
    turns: Annotated[dict[str, ShownTurn], words("By id: the turns of the messages, and the active turn.")]
    active: ActiveTurn | None
    queued: list[QueuedMessage]
    tasks: list[ShownTask]
    approvals: list[ShownApproval]
    pending_notices: list[PendingNotice]
    todo: Annotated[list[ShownTodo], words("The agent's list of what is to be done.")]
    last_event_id: Annotated[ZeroOrMore, words("The number of the newest event, for `session/seen`.")]
    cursor: Annotated[str, words("The position for a stream's `after`: the stream then has all that is not in here.")]


def shown_message(message: MessageFields) -> ShownMessage:
    tool: dict[str, Any] | None = message["tool"]
    notice: dict[str, Any] | None = message["notice"]
    return ShownMessage(
        **message
        | {
            "tool": None if tool is None else _shown_tool(tool),
            "notice": None if notice is None else ReadNotice(**notice_fields(ReadNotice, notice)),
            "summary": ShownSummary(**message["summary"]) if "summary" in message else UNSET,
        }
    )


def _shown_tool(tool: dict[str, Any]) -> ShownTool:
    return ShownTool(**tool | {"changes": [ShownChange(**change) for change in tool["changes"]]})
