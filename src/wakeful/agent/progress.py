"""The state of a running turn that the loop keeps between its steps."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Self

from wakeful.agent.model_line import ModelLine
from wakeful.agent.repetition import Repetition
from wakeful.model.api.request import TurnRequest, request_from
from wakeful.model.journal.fact import Answered, Brief, CallFinished, Measure, OpenCall
from wakeful.model.journal.message import AssistantMessage, Message, ToolMessage
from wakeful.model.journal.summary import Summary
from wakeful.model.tools.failure import failure_text
from wakeful.tools.base import Toolset, TurnTools

_TOO_MANY_CALLS = failure_text(
    "too_many_calls", "Not run: the client allows no more calls of tools (max_tool_calls); answer with what you have."
)
_NOT_ALLOWED = failure_text(
    "tool_not_allowed", "Not run: the client does not allow this tool here (tool_choice); answer with what you have."
)


@dataclass(slots=True)
class Progress:
    brief: Brief
    # The client's options for the turn, such as its own tools.
    request: TurnRequest
    models: ModelLine
    messages: list[Message]
    step: int
    output_tokens: int
    # How many calls of the server's tools were made so far.
    calls_made: int = 0
    # The calls of the newest answer: how many it has, which of them the server runs, the refusals of those that are not
    # allowed, by index, and the results so far.
    call_count: int = 0
    calls: list[OpenCall] = field(default_factory=list)
    refusals: dict[int, str] = field(default_factory=dict)
    waits_for_client: bool = False
    results: dict[int, ToolMessage] = field(default_factory=dict)
    repetition: Repetition = field(default_factory=Repetition)
    # The tools that only this turn has.
    toolset: Toolset = field(default_factory=Toolset)
    # The tokens of the instructions and tools, which every request has, estimated, and those that were measured.
    frame: int = 0
    measure: Measure = field(default_factory=Measure)
    # The summaries that the turn has recorded, and how many of them were in vain.
    summaries: int = 0
    vain_summaries: int = 0

    @classmethod
    def of(cls, brief: Brief, models: ModelLine) -> Self:
        return cls(
            brief,
            request_from(brief.turn.request).limited_to(brief.tools),
            models,
            list(brief.messages),
            brief.last_step,
            brief.output_tokens,
            brief.calls_made,
            measure=brief.measure,
            summaries=brief.summaries,
            vain_summaries=brief.vain_summaries,
        )

    def note_answer(self, answered: Answered) -> None:
        self.messages.append(answered.message)
        self._note_calls(answered.message, answered.client_calls)
        self.calls_made += len(self.calls)
        self.waits_for_client = bool(answered.client_calls)
        self.output_tokens += answered.usage.output_tokens
        self.measure = self.measure.after(answered.usage, len(self.messages))

    def note_summary(self, summary: Summary, kept: Sequence[Message]) -> None:
        self.messages = [*summary.messages(self.origin(0)), *kept]
        self.measure = Measure(summary.tokens_after, len(self.messages))
        self.summaries += 1
        self.vain_summaries += summary.is_vain
        self.call_count = 0

    def note_recorded_answer(self) -> None:
        """Take up an answer that was recorded before a crash. `calls_made` already includes its calls."""
        answer = next(known for known in reversed(self.messages) if isinstance(known, AssistantMessage))
        client_calls = client_calls_in(self.request, answer)
        self.calls_made -= len(answer.calls) - len(client_calls)
        self._note_calls(answer, client_calls)
        self.calls_made += len(self.calls)

    def note_result(self, finished: CallFinished) -> None:
        if finished.index not in self.refusals:
            self.repetition.note(finished)
        origin = self.origin(finished.index)
        result = ToolMessage(
            finished.call.id, finished.text, is_error=finished.is_error, images=finished.images, origin=origin
        )
        self.results[finished.index] = result

    def settle_results(self) -> None:
        """Append the results, sorted by call for the model: they arrive as they finish."""
        self.messages += [self.results[index] for index in sorted(self.results)]
        self.results.clear()

    def offered(self, tools: Collection[str]) -> TurnTools:
        """Return which of the server's tools the turn may call: the client may hide some behind its own."""
        taken = {tool.name for tool in self.request.tools}
        names = frozenset(name for name in tools if name not in taken and self.request.allows(name))
        return TurnTools(names, is_limited=self.request.allowed_tools is not None or not taken.isdisjoint(tools))

    def origin(self, index: int) -> str:
        """Return the id of the entry with this index in the current step."""
        return f"{self.brief.turn.id}.{self.step}.{index}"

    def _note_calls(self, answer: AssistantMessage, client_calls: Collection[int]) -> None:
        calls = enumerate(answer.calls, start=1)
        self.call_count = len(answer.calls)
        self.calls = [OpenCall(index, call) for index, call in calls if index not in client_calls]
        self.refusals = self.repetition.refused(answer.calls) | self._refused()

    def _refused(self) -> dict[int, str]:
        """Return what to answer to the calls that the client does not allow, by index."""
        limit = self.request.tool_call_limit
        left = len(self.calls) if limit is None else max(0, limit - self.calls_made)
        excess = {call.index: _TOO_MANY_CALLS for call in self.calls[left:]}
        barred = {call.index: call.call.name for call in self.calls if not self.request.allows(call.call.name)}
        return excess | {index: self._refusal_of(name) for index, name in barred.items()}

    def _refusal_of(self, name: str) -> str:
        given = self.brief.tools
        if given is None or name in given:
            return _NOT_ALLOWED
        listed = ", ".join(given) or "none"
        return failure_text("tool_not_allowed", f"Not run: for this goal you were given only these tools: {listed}.")


def client_calls_in(asked: TurnRequest, message: AssistantMessage) -> frozenset[int]:
    """Return the indexes of the calls that the client runs itself."""
    names = {tool.name for tool in asked.tools if asked.allows(tool.name)}
    return frozenset(index for index, call in enumerate(message.calls, start=1) if call.name in names)
