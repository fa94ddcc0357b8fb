"""Has a model sum a conversation up: in parts if it is too long for the model, and without one if no model can."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from wakeful.agent.compaction.estimate import CHARACTERS
from wakeful.agent.compaction.material import both_ends, first_words_of, material_of
from wakeful.agent.model_tries import EMPTY_ANSWER, OVERFLOW, ModelTries
from wakeful.agent.models.window import Windows
from wakeful.agent.prompt import SUMMARY_INSTRUCTIONS
from wakeful.agent.providers.base import FindModel, Finished, ModelRequest, SpoiltAnswer
from wakeful.agent.settings import AgentSettings
from wakeful.errors import ConfigError, ModelError
from wakeful.model.journal.message import Message, Usage, UserMessage
from wakeful.model.spend import Spend

_TRIES = 3
# The part of a window that the material may fill: the answer and the summary of earlier parts need room.
_FILLED = 0.8
# A part with fewer characters is not worth a request.
_SMALLEST_PART = 600
_CHARACTERS_A_WORD = 7


@dataclass(frozen=True, slots=True)
class Order:
    messages: Sequence[Message]
    # How many characters the summary may have.
    limit: int
    # How many characters a token has, as far as it is known.
    characters: float = CHARACTERS
    # What the user asked to keep; empty: nothing in particular.
    focus: str = ""


@dataclass(slots=True)
class Draft:
    words: str = ""
    # Empty: no model could be asked.
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    # In USD; None if the model's price is unknown.
    cost_usd: float | None = None
    # What the tries before it have cost.
    wasted: Spend = field(default_factory=Spend)


@dataclass(frozen=True, slots=True)
class Summariser:
    find_model: FindModel
    windows: Windows
    settings: AgentSettings
    count_error: Callable[[str], None]
    # Returns what an answer of a model has cost in USD, None if that is unknown.
    cost_of: Callable[[str, Usage], float | None]

    async def sum_up(self, models: Sequence[str], order: Order) -> Draft:
        """Return a summary by the configured model, else by the first of `models` that can write one, which are those
        of the turn; else the first words of each message.
        """
        tries, wasted = ModelTries(self.settings), Spend()
        for asked in self._line(models):
            draft = Draft(model=asked)
            try:
                await self._ask_in_parts(draft, order)
                return replace(draft, cost_usd=self.cost_of(asked, draft.usage), wasted=wasted)
            except ConfigError:
                continue
            except ModelError as error:
                self.count_error(error.code)
                wasted += self._spend_on(draft)
                await asyncio.sleep(tries.wait_after(error) or 0.0)
        return Draft(first_words_of(order.messages, order.limit), wasted=wasted)

    def _line(self, models: Sequence[str]) -> list[str]:
        """Return the models in the order in which they are asked: each once, and three tries at least."""
        line = [self.settings.compact_model, *models] if self.settings.compact_model else list(models)
        return line + [models[0]] * (_TRIES - len(line))

    def _spend_on(self, draft: Draft) -> Spend:
        usage = draft.usage
        cost = self.cost_of(draft.model, usage) if usage.input_tokens or usage.output_tokens else 0.0
        return Spend.of_answer(usage.input_tokens, usage.output_tokens, cost)

    async def _ask_in_parts(self, draft: Draft, order: Order) -> None:
        """Sum up the first part, then that summary together with the next part, and so on."""
        model = draft.model
        rest = material_of(order.messages)
        size = self._part_size(model, order) or len(rest)
        while rest:
            part, after = _cut(rest, size)
            try:
                await self._ask(draft, order, part, is_last=not after)
            except ModelError as error:
                size = self._smaller_size(model, order, error, len(part))
                continue
            rest = after

    def _part_size(self, model: str, order: Order) -> int | None:
        """Return how many characters of the material one request takes; None if that is unknown."""
        window = self.windows.window_of(model)
        if window is None:
            return None
        besides = len(SUMMARY_INSTRUCTIONS) + len(order.focus)
        return max(int(window * _FILLED * order.characters) - besides, _SMALLEST_PART)

    def _smaller_size(self, model: str, order: Order, error: ModelError, tried: int) -> int:
        """Return the size of parts after a refusal. Raises the error if it is another one, or parts are small."""
        if error.code != OVERFLOW or tried <= _SMALLEST_PART:
            raise error
        if error.window is not None:
            self.windows.learn_window(model, error.window)
        return max(min(self._part_size(model, order) or tried, tried // 2), _SMALLEST_PART)

    async def _ask(self, draft: Draft, order: Order, part: str, *, is_last: bool) -> None:
        provider, name = self.find_model(draft.model)
        request = ModelRequest(name, SUMMARY_INSTRUCTIONS, [UserMessage(_question(draft, order, part, is_last))], ())
        async with aclosing(provider.stream(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Finished | SpoiltAnswer):
                    draft.usage = draft.usage.plus(piece.usage)
                if isinstance(piece, Finished):
                    words = piece.message.text.strip()
                    if not words:
                        break
                    draft.words = both_ends(words, order.limit)
                    return
        raise ModelError("The model answered nothing.", code=EMPTY_ANSWER)


def _question(draft: Draft, order: Order, part: str, is_last: bool) -> str:
    before = f"The summary of what came before:\n\n{draft.words}\n\n" if draft.words else ""
    more = "" if is_last else " More of it follows later."
    focus = f" The user wants above all to keep what concerns this: {order.focus}" if order.focus else ""
    limit = max(order.limit // _CHARACTERS_A_WORD, 50)
    wish = f"Sum all of this up in at most {limit} words.{more}{focus}"
    return f"{before}The conversation:\n\n{part}\n\n[End of the conversation.]\n\n{wish}"


def _cut(text: str, size: int) -> tuple[str, str]:
    """Return a first part of the text and the rest, cut between two messages if that is possible."""
    if len(text) <= size:
        return text, ""
    at = text.rfind("\n\n", size // 2, size)
    return (text[:at], text[at + 2 :]) if at > 0 else (text[:size], text[size:])
