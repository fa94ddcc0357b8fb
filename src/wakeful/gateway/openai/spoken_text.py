"""The text that the agent has written in a turn, without abandoned steps."""


class SpokenText:
    def __init__(self) -> None:
        self._by_step: dict[int, list[str]] = {}

    def add(self, step: int, text: str) -> None:
        self._by_step.setdefault(step, []).append(text)

    def has(self, step: int) -> bool:
        """Return whether the step has text. Whitespace does not count: it does no harm if the step is abandoned."""
        return any(text.strip() for text in self._by_step.get(step, ()))

    def drop(self, step: int) -> None:
        """Forget the text of an abandoned step: the model is asked for it again."""
        self._by_step.pop(step, None)

    def keep(self, step: int, count: int) -> None:
        """Keep the first `count` pieces of the step's text."""
        self._by_step[step] = self._by_step.get(step, [])[:count]

    @property
    def whole(self) -> str:
        return "".join(text for step in sorted(self._by_step) for text in self._by_step[step])
