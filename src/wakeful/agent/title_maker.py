"""Asks a model for a title of a conversation."""

from collections.abc import Callable
from contextlib import aclosing

from wakeful.agent.prompt import TITLE_INSTRUCTIONS
from wakeful.agent.providers.base import FindModel, Finished, ModelRequest
from wakeful.model.journal.message import Usage, UserMessage
from wakeful.model.spend import Spend

# Characters of the message and of the answer: a title is about the beginning.
_SHOWN = 2_000
# More words are an answer to the conversation, not its title.
_MOST_WORDS = 8


class TitleMaker:
    def __init__(
        self, find_model: FindModel, cost_of: Callable[[str, Usage], float | None] = lambda model, usage: None
    ) -> None:
        """`cost_of` returns what an answer of a model has cost in USD, None if that is unknown."""
        self._find_model = find_model
        self._cost_of = cost_of

    async def ask(self, model: str, said: str, answered: str) -> tuple[str, Spend]:
        """Return the title, empty if the model gives none that is one, and what it cost. Raises ConfigError,
        ModelError.
        """
        provider, name = self._find_model(model)
        shown = f"User: {said[:_SHOWN]}\n\nAssistant: {answered[:_SHOWN]}"
        request = ModelRequest(name, TITLE_INSTRUCTIONS, [UserMessage(shown)], ())
        async with aclosing(provider.stream(request)) as parts:
            async for part in parts:
                if isinstance(part, Finished):
                    usage, cost = part.usage, self._cost_of(model, part.usage)
                    spend = Spend.of_answer(usage.input_tokens, usage.output_tokens, cost)
                    return _title_in(part.message.text), spend
        return "", Spend()


def _title_in(text: str) -> str:
    """Remove what some models add despite the instructions: quotes, a full stop, a second line."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    title = line.strip().removeprefix("Title:").strip().strip("\"'“”„«»*#").rstrip(".").strip()
    return title if len(title.split()) <= _MOST_WORDS else ""
