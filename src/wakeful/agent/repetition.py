"""Notices that a model makes the same call again and again and learns nothing from it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wakeful.errors import LimitReached
from wakeful.model.journal.fact import CallFinished
from wakeful.model.journal.message import ToolCall
from wakeful.model.tools.failure import failure_text

# How often a call may be made in a row before it is refused, and how many refusals in a row end the turn.
_MOST_RUNS = 3
_MOST_REFUSALS = 3
# A call that took longer waited for something, which is a good reason to make it again.
_WAITED_SECONDS = 2.0

_Key = tuple[str, str]


@dataclass(slots=True)
class Repetition:
    # For each call of the newest answer: how often it has been made in a row with the same result, and that result.
    _runs: dict[_Key, tuple[int, str]] = field(default_factory=dict)
    _refusals: int = 0

    def refused(self, calls: Sequence[ToolCall]) -> dict[int, str]:
        """Return what to answer to the calls of a new answer, numbered from 1, that are not made once more. Raises
        LimitReached when the model does not stop in spite of that.
        """
        keys = [_key(call) for call in calls]
        self._runs = {key: self._runs[key] for key in keys if key in self._runs}
        stuck = [number for number, key in enumerate(keys, start=1) if self._count(key) >= _MOST_RUNS]
        self._refusals = self._refusals + 1 if stuck else 0
        if self._refusals > _MOST_REFUSALS:
            name = calls[stuck[0] - 1].name
            raise LimitReached(
                f"The model made the same call of {name} again and again; say it differently or choose another model.",
                code="repeated_calls",
            )
        return {number: _refusal(calls[number - 1].name) for number in stuck}

    def note(self, finished: CallFinished) -> None:
        key = _key(finished.call)
        count, text = self._runs.get(key, (0, ""))
        if finished.seconds > _WAITED_SECONDS:
            count = 0
        elif finished.text == text:
            count += 1
        else:
            count = 1
        self._runs[key] = (count, finished.text)

    def _count(self, key: _Key) -> int:
        return self._runs.get(key, (0, ""))[0]


def _key(call: ToolCall) -> _Key:
    return call.name, call.arguments


def _refusal(name: str) -> str:
    return failure_text(
        "repeated_call",
        f"Not run: {name} was called {_MOST_RUNS} times in a row with these arguments, and the result was the same "
        "each time. Try something else, or answer with what you know.",
    )
