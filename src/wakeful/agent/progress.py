"""The state of a running turn that the loop keeps between its steps."""

from collections.abc import Collection
from dataclasses import dataclass, field

from wakeful.model.failure import failure_text
from wakeful.model.journal.fact import Answered, Brief, CallFinished, OpenCall
from wakeful.model.journal.message import AssistantMessage, Message, ToolMessage
from wakeful.model.request import TurnRequest

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

    def note_answer(self, answered: Answered) -> None:
        self.messages.append(answered.message)
        self._note_calls(answered.message, answered.client_calls)
        self.calls_made += len(self.calls)
        self.waits_for_client = bool(answered.client_calls)
        self.output_tokens += answered.usage.output_tokens

    def note_recorded_answer(self) -> None:
        """Take up an answer that was recorded before a crash. `calls_made` already includes its calls."""
        answer = next(known for known in reversed(self.messages) if isinstance(known, AssistantMessage))
        client_calls = client_calls_in(self.request, answer)
        self.calls_made -= len(answer.calls) - len(client_calls)
        self._note_calls(answer, client_calls)
        self.calls_made += len(self.calls)

    def note_result(self, finished: CallFinished) -> None:
        self.results[finished.index] = ToolMessage(finished.call.id, finished.text, is_error=finished.is_error)

    def settle_results(self) -> None:
        """Append the results, sorted by call for the model: they arrive as they finish."""
        self.messages += [self.results[index] for index in sorted(self.results)]
        self.results.clear()

    def _note_calls(self, answer: AssistantMessage, client_calls: Collection[int]) -> None:
        calls = enumerate(answer.calls, start=1)
        self.call_count = len(answer.calls)
        self.calls = [OpenCall(index, call) for index, call in calls if index not in client_calls]
        self.refusals = self._refused()

    def _refused(self) -> dict[int, str]:
        """Return what to answer to the calls that the client does not allow, by index."""
        limit = self.request.tool_call_limit
        left = len(self.calls) if limit is None else max(0, limit - self.calls_made)
        excess = {call.index: _TOO_MANY_CALLS for call in self.calls[left:]}
        return excess | {call.index: _NOT_ALLOWED for call in self.calls if not self.request.allows(call.call.name)}


def client_calls_in(asked: TurnRequest, message: AssistantMessage) -> frozenset[int]:
    """Return the indexes of the calls that the client runs itself."""
    names = {tool.name for tool in asked.tools if asked.allows(tool.name)}
    return frozenset(index for index, call in enumerate(message.calls, start=1) if call.name in names)
