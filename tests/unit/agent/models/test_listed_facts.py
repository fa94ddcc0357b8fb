"""What lists of models say about each model, in the words of several endpoints."""

import pytest

from wakeful.agent.models.facts import UNKNOWN, ModelFacts
from wakeful.agent.models.listed_facts import listed_facts


def test_openrouter_says_window_answer_pictures_and_prices() -> None:
    entry = {
        "id": "openai/gpt-5",
        "context_length": 400_000,
        "top_provider": {"max_completion_tokens": 128_000},
        "architecture": {"input_modalities": ["text", "image"]},
        "pricing": {
            "prompt": "0.00000125",
            "completion": "0.00001",
            "input_cache_read": "0.000000125",
            "input_cache_write": "0.0000015",
        },
    }

    assert listed_facts(entry) == ModelFacts(400_000, 128_000, True, 1.25, 0.125, 1.5, 10.0)


@pytest.mark.parametrize("word", ["context_length", "max_model_len", "context_window", "max_context_length"])
def test_a_window_has_several_names(word: str) -> None:
    assert listed_facts({"id": "a", word: 4096}) == ModelFacts(context_window=4096)


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"context_length": None},
        {"context_length": "4096"},
        {"context_length": True},
        {"context_length": 0},
        {"context_length": -1},
        {"context_length": 10**12},
        {"pricing": "cheap"},
        {"pricing": {"prompt": "-1", "completion": "much"}},
        {"pricing": {"prompt": "nan", "completion": "1e400"}},
        {"pricing": {"prompt": None, "completion": []}},
        {"architecture": {"input_modalities": "text"}, "top_provider": []},
    ],
)
def test_a_figure_that_makes_no_sense_is_unknown(entry: dict[str, object]) -> None:
    assert listed_facts(entry) == UNKNOWN


def test_a_free_model_costs_nothing_and_is_not_unknown() -> None:
    assert listed_facts({"pricing": {"prompt": "0", "completion": "0"}}).input_price == 0.0
