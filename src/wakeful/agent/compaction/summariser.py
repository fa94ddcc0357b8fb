"""Has a model sum a conversation up: in parts if it is too long for the model, and without one if no model can."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from wakeful.agent.compaction.estimate import CHARACTERS
from wakeful.agent.compaction.material import both_ends, first_words_of, material_of
from wakeful.agent.model_tries import EMPTY_ANSWER, OVERFLOW, ModelTries
from wakeful.agent.models.window import Windows
from wakeful.agent.prompt import SUMMARY_INSTRUCTIONS
from wakeful.agent.providers.base import FindModel, Finished, ModelRequest
from wakeful.agent.settings import AgentSettings
from wakeful.errors import ConfigError, ModelError
from wakeful.model.journal.message import Message, Usage, UserMessage

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


@dataclass(frozen=True, slots=True)
class Summariser:
    find_model: FindModel
    windows: Windows
    settings: AgentSettings
    count_error: Callable[[str], None]

    async def sum_up(self, model: str, order: Order) -> Draft:
        """Return a summary by the configured model, else by `model`, which is the turn's; else the first words of each
        message.
        """
        tries = ModelTries(self.settings)
        first = self.settings.compact_model or model
        for asked in (first, *[model] * (_TRIES - 1)):
            try:
                return await self._ask_in_parts(asked, order)
            except ConfigError:
                continue
            except ModelError as error:
                self.count_error(error.code)
                await asyncio.sleep(tries.wait_after(error) or 0.0)
        return Draft(first_words_of(order.messages, order.limit))

    async def _ask_in_parts(self, model: str, order: Order) -> Draft:
        """Sum up the first part, then that summary together with the next part, and so on."""
        draft = Draft(model=model)
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
        return draft

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
                if isinstance(piece, Finished):
                    draft.usage = draft.usage.plus(piece.usage)
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
