"""What an endpoint's list of models says about each, beside its name. Endpoints differ in the words."""

import math
from collections.abc import Mapping

from wakeful.agent.models.facts import ModelFacts

# By endpoint: OpenRouter and Together, vLLM and SGLang, Groq and others, Mistral.
_WINDOWS = ("context_length", "max_model_len", "context_window", "max_context_length")
_OUTPUTS = ("max_completion_tokens", "max_output_tokens")
_MILLION = 1_000_000
# Longer than any window: a figure beyond it is a mistake.
_MOST_TOKENS = 1_000_000_000


def listed_facts(model: Mapping[str, object]) -> ModelFacts:
    """Read the facts in one entry of a list. A figure that makes no sense counts as unknown."""
    upstream, pricing = _mapping(model.get("top_provider")), _mapping(model.get("pricing"))
    windows = [_tokens(model.get(name)) for name in _WINDOWS]
    outputs = [_tokens(source.get(name)) for source in (model, upstream) for name in _OUTPUTS]
    return ModelFacts(
        context_window=next(filter(None, windows), None),
        max_output=next(filter(None, outputs), None),
        vision=_vision(model),
        input_price=_price(pricing.get("prompt")),
        cached_price=_price(pricing.get("input_cache_read")),
        cache_write_price=_price(pricing.get("input_cache_write")),
        output_price=_price(pricing.get("completion")),
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _tokens(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 < value <= _MOST_TOKENS else None


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
