"""What an endpoint's list of models says about each, beside its name. Endpoints differ in the words."""

import math
from collections.abc import Mapping

from wakeful.agent.models.facts import ModelFacts

# By endpoint: OpenRouter and Together, vLLM and SGLang, Groq and others, Mistral.
_WINDOWS = ("context_length", "max_model_len", "context_window", "max_context_length")
_OUTPUTS = ("max_completion_tokens", "max_output_tokens")
# As OpenRouter names them.
_PRICES = {
    "input_price": "prompt",
    "cached_price": "input_cache_read",
    "cache_write_price": "input_cache_write",
    "output_price": "completion",
}
_MILLION = 1_000_000
# Longer than any window: a figure beyond it is a mistake.
_MOST_TOKENS = 1_000_000_000


def listed_facts(model: Mapping[str, object]) -> ModelFacts:
    """Read the facts in one entry of a list. A figure that makes no sense counts as unknown."""
    upstream = _mapping(model.get("top_provider"))
    windows = [_tokens(model.get(name)) for name in _WINDOWS]
    outputs = [_tokens(source.get(name)) for source in (model, upstream) for name in _OUTPUTS]
    return ModelFacts(
        context_window=next(filter(None, windows), None),
        max_output=next(filter(None, outputs), None),
        vision=_vision(model),
        **_prices(_mapping(model.get("pricing"))),
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _tokens(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 < value <= _MOST_TOKENS else None


def _prices(pricing: Mapping[str, object]) -> dict[str, float | None]:
    """Return the prices, none of them if those of input and output are not both known: another source may have both."""
    prices = {name: _price(pricing.get(word)) for name, word in _PRICES.items()}
    return {} if prices["input_price"] is None or prices["output_price"] is None else prices


def _price(value: object) -> float | None:
    """Read USD for one token, which OpenRouter writes as a text; -1 stands for a price that varies."""
    try:
        price = float(value) * _MILLION if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return None
    return round(price, 9) if 0 <= price < math.inf else None


def _vision(model: Mapping[str, object]) -> bool | None:
    inputs = _mapping(model.get("architecture")).get("input_modalities")
    return "image" in inputs if isinstance(inputs, list) else None
