"""Asks a model for a title of a conversation."""

from contextlib import aclosing

from wakeful.agent.prompt import TITLE_INSTRUCTIONS
from wakeful.agent.providers.base import FindModel, Finished, ModelRequest
from wakeful.model.journal.message import UserMessage

# Characters of the message and of the answer: a title is about the beginning.
_SHOWN = 2_000
# More words are an answer to the conversation, not its title.
_MOST_WORDS = 8


class TitleMaker:
    def __init__(self, find_model: FindModel) -> None:
        self._find_model = find_model

    async def ask(self, model: str, said: str, answered: str) -> str:
        """Return the title, empty if the model gives none that is one. Raises ConfigError, ModelError."""
        provider, name = self._find_model(model)
        shown = f"User: {said[:_SHOWN]}\n\nAssistant: {answered[:_SHOWN]}"
        request = ModelRequest(name, TITLE_INSTRUCTIONS, [UserMessage(shown)], ())
        async with aclosing(provider.stream(request)) as parts:
            async for part in parts:
                if isinstance(part, Finished):
                    return _title_in(part.message.text)
        return ""


def _title_in(text: str) -> str:
    """Remove what some models add despite the instructions: quotes, a full stop, a second line."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    title = line.strip().removeprefix("Title:").strip().strip("\"'“”„«»*#").rstrip(".").strip()
    return title if len(title.split()) <= _MOST_WORDS else ""
