"""Turns and notices in the form that clients get."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from wakeful.model.spend import Spend
from wakeful.model.tasks.task import TaskStatus
from wakeful.model.tasks.task_data import time_text
from wakeful.model.turn import Turn, TurnStatus
from wakeful.wire.declared import Outgoing, words

ZeroOrMore: TypeAlias = Annotated[int, Meta(ge=0)]
NoticeKind: TypeAlias = Literal["process", "delegation", "watch"]


class TurnOutline(Outgoing):
    number: Annotated[int, Meta(ge=1), words("Its position in the conversation.")]
    source: str
    status: TurnStatus
    opened_at: str
    closed_at: str | None


class TurnCost(Outgoing):
    input_tokens: ZeroOrMore
    output_tokens: ZeroOrMore
    cost_usd: Annotated[float | None, words("Of the tokens with a known price; null if none has one.")]
    unpriced_tokens: ZeroOrMore


class ModelChange(Outgoing, rename={"failed": "from"}):
    step: ZeroOrMore
    failed: str
    to: str
    code: str
    message: Annotated[str, words("Why the model did not answer.")]


class ShownTurn(TurnOutline):
    model: Annotated[str, words("Its own model.")]
    model_changes: Annotated[list[ModelChange], words("Models that answered instead of one that failed, in order.")]
    usage: TurnCost | None
    is_cut: Annotated[bool, words("Whether its last answer stops at the model's output limit.")]


class Notice(Outgoing):
    # Notices recorded by older versions lack some fields.
    task_id: str | UnsetType = UNSET
    command: str | UnsetType = UNSET
    status: TaskStatus | UnsetType = UNSET
    exit_code: int | UnsetType | None = UNSET
    seconds: float | UnsetType = UNSET
    kind: NoticeKind | UnsetType = UNSET
    output: Annotated[str | UnsetType, words("The part of the output that the agent reads.")] = UNSET
    cut: Annotated[bool | UnsetType, words("Whether the output was longer.")] = UNSET
    pattern: Annotated[str | UnsetType, words("The text that a `watch` looked for.")] = UNSET


class ReadNotice(Notice):
    delivered: Annotated[
        Literal["opened", "with_message", "joined"] | UnsetType,
        words("Whether it opened the turn, came with a message or joined while the turn ran."),
    ] = UNSET
    latency_ms: Annotated[float | UnsetType, words("How long it waited for the turn.")] = UNSET


def cost_fields(spend: Spend) -> dict[str, Any]:
    """Return the fields of TurnCost."""
    return {
        "input_tokens": spend.input_tokens,
        "output_tokens": spend.output_tokens,
        "cost_usd": spend.cost_usd,
        "unpriced_tokens": spend.unpriced_tokens,
    }


def notice_fields(kind: type[Notice], notice: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `kind` that the recorded notice has."""
    return {name: notice[name] for name in kind.__struct_fields__ if name in notice}


def outline_of(turn: Turn) -> dict[str, Any]:
    """Return the fields of TurnOutline."""
    return {
        "number": turn.number,
        "source": turn.source,
        "status": turn.status,
        "opened_at": time_text(turn.opened_at),
        "closed_at": None if turn.closed_at is None else time_text(turn.closed_at),
    }
