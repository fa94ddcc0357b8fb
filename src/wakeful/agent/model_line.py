"""The models that a turn may ask: its own, and the fallbacks that take over when it fails."""

import time
from collections.abc import Callable, Iterable

from wakeful.errors import ModelError
from wakeful.model.journal.fact import ModelChanged

# How long turns pass over a model without credit or key.
_REST_SECONDS = 600.0
_RESTS = frozenset({"model_credit", "model_auth"})
# Another model may answer where these have failed. A refusal is not among them: it is about what was asked.
_FALLS_BACK = _RESTS | {
    "model_unavailable",
    "model_timeout",
    "model_rate_limited",
    "model_stream_broken",
    "model_not_found",
}


class RestingModels:
    """The models without credit or key, and the error of each. They are not stored: a restarted server asks again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[str, tuple[float, ModelError]] = {}

    def error_of(self, model: str) -> ModelError | None:
        """Return why a model rests, None if it does not."""
        until, error = self._known.get(model, (0.0, None))
        return error if self._clock() < until else None

    def note_failure(self, model: str, error: ModelError) -> None:
        if error.code in _RESTS:
            self._known[model] = (self._clock() + _REST_SECONDS, error)

    def note_answer(self, model: str) -> None:
        self._known.pop(model, None)


class ModelLine:
    """A turn stays with the model that has answered last; the next turn begins with its own again."""

    def __init__(self, models: Iterable[str], resting: RestingModels) -> None:
        self._left = list(dict.fromkeys(models))
        self._resting = resting
        absent = {model: error for model in self._left if (error := resting.error_of(model)) is not None}
        # If all of them rest, ask them anyway: the operator may have added credit.
        self._absent = absent if len(absent) < len(self._left) else {}
        self._first_error: ModelError | None = None
        self._changes: list[ModelChanged] = []

    @property
    def current(self) -> str:
        return self._left[0]

    @property
    def available(self) -> list[str]:
        """The models that may be asked from now on, the current one first unless it is passed over."""
        return [model for model in self._left if model not in self._absent] or [self.current]

    @property
    def absence(self) -> ModelError | None:
        """Why the current model is passed over; None: it is asked."""
        return self._absent.get(self.current)

    def changes_in(self, step: int) -> tuple[ModelChanged, ...]:
        return tuple(change for change in self._changes if change.step == step)

    def note_answer(self) -> None:
        self._resting.note_answer(self.current)

    def move_on(self, step: int, error: ModelError) -> ModelChanged:
        """Go on to the next model after this error of the current one. Raises the error if another model would not
        help, and the error of the first model if there is no other.
        """
        if error.code not in _FALLS_BACK:
            raise error
        if self.absence is None:
            self._resting.note_failure(self.current, error)
        self._first_error = self._first_error or error
        if len(self._left) == 1:
            raise self._defeat(self._first_error)
        failed = self._left.pop(0)
        self._changes.append(ModelChanged(step, failed, self.current, error.code, str(error)))
        return self._changes[-1]

    def _defeat(self, first: ModelError) -> ModelError:
        """Return the error of the first model, which also says who could not answer instead."""
        others = " and ".join(change.next for change in self._changes)
        if not others:
            return first
        message = f"{first} Nor did {others} answer."
        return ModelError(message, code=first.code, passing=first.passing, retry_after=first.retry_after)
