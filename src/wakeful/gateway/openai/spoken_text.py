"""What the agent has said in a turn, without what was abandoned."""


class SpokenText:
    def __init__(self) -> None:
        self._by_step: dict[int, list[str]] = {}

    def add(self, step: int, text: str) -> None:
        self._by_step.setdefault(step, []).append(text)

    def has(self, step: int) -> bool:
        """Blanks do not count: they say nothing that could turn out wrong."""
        return any(text.strip() for text in self._by_step.get(step, ()))

    def drop(self, step: int) -> None:
        """What was said in this step is void; it is asked for again."""
        self._by_step.pop(step, None)

    def keep(self, step: int, count: int) -> None:
        """Only so many pieces of what was said in this step are left of it."""
        self._by_step[step] = self._by_step.get(step, [])[:count]

    @property
    def whole(self) -> str:
        return "".join(text for step in sorted(self._by_step) for text in self._by_step[step])
