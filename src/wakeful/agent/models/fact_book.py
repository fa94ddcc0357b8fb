"""Merges what the settings, refusals, lists and the built-in table say about models. Fetches nothing."""

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from enum import StrEnum

from wakeful.agent.models.built_in import built_in_facts
from wakeful.agent.models.facts import UNKNOWN, ModelFacts, merged
from wakeful.agent.models.learnt_windows import WindowFile
from wakeful.model.journal.message import Usage

# What Anthropic asks for tokens that its cache takes, as a multiple of the price of others.
_CACHE_WRITE = 1.25

logger = logging.getLogger(__name__)


class FactSource(StrEnum):
    CONFIG = "config"
    LEARNT = "learnt"
    ENDPOINT = "endpoint"
    BUILT_IN = "built_in"
    UNKNOWN = "unknown"


class FactBook:
    def __init__(
        self,
        configured: Mapping[str, ModelFacts],
        listed: Callable[[str], ModelFacts],
        learnt: WindowFile,
        *,
        dear_writes: Collection[str] = (),
        warns_of_unpriced: bool = False,
    ) -> None:
        """`listed` returns what the endpoint's list said about a model when it was last read. `dear_writes` names the
        providers whose cache takes tokens at Anthropic's price. With `warns_of_unpriced` the log names each model that
        answers without a price, once.
        """
        self._configured = configured
        self._listed = listed
        self._learnt = learnt
        self._dear_writes = dear_writes
        self._warns_of_unpriced = warns_of_unpriced
        self._warned: set[str] = set()

    def look_up(self, model: str) -> tuple[ModelFacts, FactSource]:
        """Return the facts about a model, as provider:model, and the first source that knows any of them."""
        sources = {
            FactSource.CONFIG: self._configured.get(model, UNKNOWN),
            FactSource.LEARNT: self._learnt_facts(model),
            FactSource.ENDPOINT: self._listed(model),
            FactSource.BUILT_IN: built_in_facts(model.partition(":")[2]),
        }
        first = next((source for source, facts in sources.items() if facts.is_known), FactSource.UNKNOWN)
        return self._with_writes(model, merged(sources.values())), first

    def window_of(self, model: str) -> int | None:
        """Return how many tokens a request to this model may have, None if it is unknown."""
        return self.look_up(model)[0].context_window

    def max_output_of(self, model: str) -> int | None:
        """Return how many tokens an answer of this model may have, None if it is unknown."""
        return self.look_up(model)[0].max_output

    def takes_pictures(self, model: str) -> bool:
        """Return whether a model can see pictures; true if that is unknown."""
        return self.look_up(model)[0].vision is not False

    def learn_window(self, model: str, window: int) -> None:
        """Remember the window that an endpoint has named when a request was too long."""
        self._learnt.put(model, window)

    def forget_window(self, model: str) -> bool:
        """Forget a learnt window; False if it is not what `window_of` returns."""
        is_learnt = self._configured.get(model, UNKNOWN).context_window is None and self._learnt_facts(model).is_known
        if is_learnt:
            self._learnt.drop(model)
        return is_learnt

    def cost_of(self, model: str, usage: Usage) -> float | None:
        """Return what an answer of this model has cost in USD, None if its price is unknown."""
        cost = self.look_up(model)[0].cost_of(usage)
        if cost is None and self._warns_of_unpriced and model not in self._warned:
            self._warned.add(model)
            logger.warning("%s", unpriced_sentence(model))
        return cost

    def costs_of(self, model: str, usage: Usage) -> tuple[float, float, float] | None:
        """Return what the input, the input from the cache and the output would cost today, in USD."""
        return self.look_up(model)[0].costs_of(usage)

    def _with_writes(self, model: str, facts: ModelFacts) -> ModelFacts:
        """Add the price of writing to the cache where it follows from the price of reading."""
        is_dear = model.partition(":")[0] in self._dear_writes
        if facts.input_price is None or facts.cache_write_price is not None or not is_dear:
            return facts
        return replace(facts, cache_write_price=facts.input_price * _CACHE_WRITE)

    def _learnt_facts(self, model: str) -> ModelFacts:
        """Return the learnt window if it is smaller than the one that the endpoint or the table says."""
        learnt = self._learnt.get(model)
        if learnt is None:
            return UNKNOWN
        said = merged((self._listed(model), built_in_facts(model.partition(":")[2]))).context_window
        return replace(UNKNOWN, context_window=learnt) if said is None or learnt < said else UNKNOWN


def unpriced_sentence(model: str) -> str:
    return (
        f"{model} has no known price, so what it costs does not count towards the daily spend: set input_price and "
        f'output_price in [models."{model}"].'
    )
