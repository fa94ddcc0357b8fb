"""What the agent loop yields while a turn runs. The executor records it; the loop never sees a store."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from wakeful.model.files.attachment import Attachment
from wakeful.model.journal.change import Change
from wakeful.model.journal.message import AssistantMessage, Message, ToolCall, Usage
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.spend import Spend
from wakeful.model.tasks.task import Task
from wakeful.model.tools.todo import TodoItem
from wakeful.model.turn import Turn


@dataclass(frozen=True, slots=True)
class TextDelta:
    step: int
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    step: int
    text: str


@dataclass(frozen=True, slots=True)
class StepAbandoned:
    """The stream of an answer broke off and the model is asked again: viewers drop its text."""

    step: int


@dataclass(frozen=True, slots=True)
class ModelChanged:
    """A model has failed, or is passed over, and the step is asked of the next one. Both are provider:model."""

    step: int
    failed: str
    next: str
    # Of the failure.
    code: str
    message: str

    @property
    def fields(self) -> dict[str, Any]:
        """What clients get of it."""
        return {"step": self.step, "from": self.failed, "to": self.next, "code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True)
class Answered:
    step: int
    message: AssistantMessage
    usage: Usage
    # The model reached its output limit, so the text may stop in the middle.
    is_cut: bool = False
    # Which of its calls, counted from 1, are for the client to run.
    client_calls: frozenset[int] = frozenset()
    # The model that answered, as provider:model: the turn's own, or a fallback.
    model: str = ""
    # What it has cost, in USD; None: the price is unknown.
    cost_usd: float | None = None
    # The models that were to answer this step before, in order.
    changes: tuple[ModelChanged, ...] = ()

    @property
    def spend(self) -> Spend:
        return Spend.of_answer(self.usage.input_tokens, self.usage.output_tokens, self.cost_usd)


@dataclass(frozen=True, slots=True)
class Wasted:
    """A model was paid for an answer that is of no use: an empty one, or one of a summary that failed later."""

    step: int
    spend: Spend


@dataclass(frozen=True, slots=True)
class CallFinished:
    step: int
    index: int
    call: ToolCall
    text: str
    seconds: float
    # Tasks whose end this result shows to the agent: their notices are no longer needed.
    consumes: tuple[str, ...] = ()
    is_error: bool = False
    # The files that it has written.
    changes: tuple[Change, ...] = ()
    # URLs of pictures that the model sees with the result, see ToolMessage.
    images: tuple[str, ...] = ()
    # Files that the result shows to the user.
    shows: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class CompactionStarted:
    """The conversation is being summed up; the step has no words."""

    step: int
    reason: CompactionReason
    # An estimate of the whole context.
    context_tokens: int


@dataclass(frozen=True, slots=True)
class Compacted:
    step: int
    summary: Summary


@dataclass(frozen=True, slots=True)
class CompactionFailed:
    """The context cannot be made to fit; the turn fails with this message."""

    step: int
    reason: CompactionReason
    context_tokens: int
    message: str


Fact = (
    TextDelta
    | ReasoningDelta
    | StepAbandoned
    | ModelChanged
    | Answered
    | Wasted
    | CallFinished
    | CompactionStarted
    | Compacted
    | CompactionFailed
)


async def _pass() -> None: ...


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call of the last recorded answer that has no recorded result: how far it got is unknown."""

    index: int
    call: ToolCall


@dataclass(frozen=True, slots=True)
class Measure:
    """The tokens that the first `count` messages of a context take, with its instructions and tools; 0 of 0: not
    measured yet.
    """

    tokens: int = 0
    count: int = 0

    def after(self, usage: Usage, count: int) -> "Measure":
        """Return the measure after an answer, which is the last of `count` messages: what the model has read and said.
        Some endpoints do not count; then the measure stays.
        """
        return Measure(usage.input_tokens + usage.output_tokens, count) if usage.input_tokens else self


async def _no_work() -> Sequence[Task]:
    return ()


async def _no_todo() -> Sequence[TodoItem]:
    return ()


@dataclass(frozen=True, slots=True)
class Brief:
    """All that the loop needs to run a turn or to resume one; both look the same to it."""

    turn: Turn
    # The conversation so far, with the recorded steps of this turn.
    messages: Sequence[Message]
    # The last recorded step; 0 when the turn is new.
    last_step: int
    # The calls of the last answer without a result.
    open_calls: Sequence[OpenCall]
    # That step also made calls that the client runs: the turn ends when ours are done.
    waits_for_client: bool
    # Nothing is left to do: the last recorded answer made no calls, or only calls that the client runs.
    is_answered: bool
    # How many tokens the answers of this turn have so far.
    output_tokens: int
    # Claims the inputs that have arrived, after a step (first argument) and from its first free index on (second).
    take_inputs: Callable[[int, int], Awaitable[Sequence[Message]]]
    # How many calls of the server's tools the turn has made so far.
    calls_made: int = 0
    measure: Measure = Measure()
    # The summaries that the turn has recorded so far, and how many of them were in vain.
    summaries: int = 0
    vain_summaries: int = 0
    # The only tools that a sub-agent may call, by name; None: all of them.
    tools: tuple[str, ...] | None = None
    # Returns the background work of the session that runs now.
    running_work: Callable[[], Awaitable[Sequence[Task]]] = _no_work
    # Returns the agent's list of what is to be done.
    todo: Callable[[], Awaitable[Sequence[TodoItem]]] = _no_todo
    # Called before each answer. Raises LimitReached if no model may be asked, because the day has cost too much.
    check_spend: Callable[[], Awaitable[None]] = _pass
