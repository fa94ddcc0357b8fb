"""How many tokens models can read and write."""

from collections.abc import Callable
from typing import Protocol

# A result may take a quarter of the window, and a token has about three characters.
_RESULT_CHARACTERS_PER_TOKEN = 3 / 4
_SHORTEST_RESULT = 500


class Windows(Protocol):
    def window_of(self, model: str) -> int | None:
        """Return the window of `provider:model`; None if it is unknown."""
        ...

    def learn_window(self, model: str, window: int) -> None:
        """Note the window that the model's endpoint has named when it refused a longer context."""
        ...

    def forget_window(self, model: str) -> bool:
        """Forget the window that the model's endpoint has named; False if it is known otherwise, or not at all."""
        ...

    def max_output_of(self, model: str) -> int | None:
        """Return how many tokens an answer may have; None if it is unknown."""
        ...

    def takes_pictures(self, model: str) -> bool:
        """Return whether a model can see pictures; true if that is unknown."""
        ...


class LearntWindows:
    """Knows only what endpoints have named since the server started."""

    def __init__(self) -> None:
        self._windows: dict[str, int] = {}

    def window_of(self, model: str) -> int | None:
        return self._windows.get(model)

    def learn_window(self, model: str, window: int) -> None:
        self._windows[model] = window

    def forget_window(self, model: str) -> bool:
        return self._windows.pop(model, None) is not None

    def max_output_of(self, model: str) -> int | None:
        return None

    def takes_pictures(self, model: str) -> bool:
        return True


def result_limits(windows: Windows, most: int) -> Callable[[str], int]:
    """Return a function that tells how many characters of a tool's result a model should read."""

    def limit_of(model: str) -> int:
        window = windows.window_of(model)
        fitting = most if window is None else int(window * _RESULT_CHARACTERS_PER_TOKEN)
        return max(min(most, fitting), _SHORTEST_RESULT)

    return limit_of
