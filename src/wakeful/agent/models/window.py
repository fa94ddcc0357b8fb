"""How many tokens models can read."""

from typing import Protocol


class Windows(Protocol):
    def window_of(self, model: str) -> int | None:
        """Return the window of `provider:model`; None if it is unknown."""
        ...

    def learn_window(self, model: str, window: int) -> None:
        """Note the window that the model's endpoint has named when it refused a longer context."""
        ...


class LearntWindows:
    """Knows only what endpoints have named since the server started."""

    def __init__(self) -> None:
        self._windows: dict[str, int] = {}

    def window_of(self, model: str) -> int | None:
        return self._windows.get(model)

    def learn_window(self, model: str, window: int) -> None:
        self._windows[model] = window
