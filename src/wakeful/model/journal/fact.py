"""What the agent loop tells the executor while a turn runs. The executor records; the loop never sees a store."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from wakeful.model.journal.message import AssistantMessage, Message, ToolCall, Usage
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
    """The answer that was streaming broke off and is asked for again: viewers drop its text."""

    step: int


@dataclass(frozen=True, slots=True)
class Answered:
    step: int
    message: AssistantMessage
    usage: Usage
    # The model reached its output limit: the text stops in the middle.
    is_cut: bool = False
    # Which of its calls, counted from 1, are for the client to run.
    client_calls: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class CallFinished:
    step: int
    index: int
    call: ToolCall
    text: str
    seconds: float
    # Tasks whose end this result has shown to the agent: their notices are not needed any more.
    consumes: tuple[str, ...] = ()
    is_error: bool = False


Fact = TextDelta | ReasoningDelta | StepAbandoned | Answered | CallFinished


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call of the last recorded answer that has no recorded result: nobody knows how far it came."""

    index: int
    call: ToolCall


@dataclass(frozen=True, slots=True)
class Brief:
    """All that the loop needs to run a turn or to go on with one; both look the same to it."""

    turn: Turn
    # The conversation so far, with the recorded steps of this turn.
    messages: Sequence[Message]
    # The last step whose answer is recorded; 0 when the turn is new.
    last_step: int
    # The calls of that step without a result.
    open_calls: Sequence[OpenCall]
    # That step also made calls that the client runs: when ours are done, so is the turn.
    waits_for_client: bool
    # There is nothing left to do: the last recorded answer made no calls, or only such as the client runs.
    is_answered: bool
    # What the answers of this turn have cost so far.
    output_tokens: int
    # Claims what has arrived meanwhile, after a step; the second number is that step's first free index.
    take_inputs: Callable[[int, int], Awaitable[Sequence[Message]]]
    # How many calls of the server's tools the turn has made so far.
    calls_made: int = 0
