"""Asks a model for a title of a conversation."""

from collections.abc import Callable
from contextlib import aclosing

from wakeful.agent.prompt import TITLE_INSTRUCTIONS
from wakeful.agent.providers.base import Finished, ModelRequest, Provider
from wakeful.model.journal.message import UserMessage

# Characters of the message and of the answer: a title is about the beginning.
_SHOWN = 2_000


class TitleMaker:
    def __init__(self, resolve: Callable[[str], tuple[Provider, str]]) -> None:
        self._resolve = resolve

    async def ask(self, model: str, said: str, answered: str) -> str:
        """Return the title, empty if the model gives none. Raises ConfigError, ModelError."""
        provider, name = self._resolve(model)
        shown = f"User: {said[:_SHOWN]}\n\nAssistant: {answered[:_SHOWN]}"
        request = ModelRequest(name, TITLE_INSTRUCTIONS, [UserMessage(shown)], ())
        async with aclosing(provider.stream(request)) as parts:
            async for part in parts:
                if isinstance(part, Finished):
                    return _first_line(part.message.text)
        return ""


def _first_line(text: str) -> str:
    """Remove what some models add despite the instructions: quotes, a full stop, a second line."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return line.strip().removeprefix("Title:").strip().strip("\"'“”„«»*#").rstrip(".").strip()
