"""What is known about a model: its limits, whether it sees pictures, and its prices."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from wakeful.model.journal.message import Usage

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """None stands for unknown. Tokens are counted, prices are in USD for a million tokens."""

    context_window: int | None = None
    max_output: int | None = None
    vision: bool | None = None
    input_price: float | None = None
    # For input tokens that the endpoint's cache gave.
    cached_price: float | None = None
    # For input tokens that the endpoint's cache took.
    cache_write_price: float | None = None
    output_price: float | None = None

    @property
    def is_known(self) -> bool:
        return self != UNKNOWN

    @property
    def is_priced(self) -> bool:
        """Whether it says what tokens cost: the prices of input and output are known together, or not at all."""
        return self.input_price is not None

    def cost_of(self, usage: Usage) -> float | None:
        """Return what an answer costs in USD, None if its price is unknown."""
        costs = self.costs_of(usage)
        return None if costs is None else sum(costs)

    def costs_of(self, usage: Usage) -> tuple[float, float, float] | None:
        """Return what the input, the input from the cache and the output cost in USD. Tokens from the cache and into it
        cost as much as others where they have no price of their own.
        """
        if self.input_price is None or self.output_price is None:
            return None
        cached_price = self.input_price if self.cached_price is None else self.cached_price
        write_price = self.input_price if self.cache_write_price is None else self.cache_write_price
        read, cached, written = usage.paid_tokens
        stored = min(usage.cache_write_tokens, read)
        return (
            ((read - stored) * self.input_price + stored * write_price) / _MILLION,
            cached * cached_price / _MILLION,
            written * self.output_price / _MILLION,
        )


UNKNOWN = ModelFacts()
_NO_PRICES = dict.fromkeys(("input_price", "cached_price", "cache_write_price", "output_price"))


def merged(sources: Iterable[ModelFacts]) -> ModelFacts:
    """Return each fact as the first source that knows it has it. The prices come from one source: a mixture would
    be the price of no one.
    """
    whole = UNKNOWN
    for facts in sources:
        if whole.is_priced:
            facts = replace(facts, **_NO_PRICES)
        missing = {field.name for field in fields(ModelFacts) if getattr(whole, field.name) is None}
        whole = replace(whole, **{name: getattr(facts, name) for name in missing})
    return whole
