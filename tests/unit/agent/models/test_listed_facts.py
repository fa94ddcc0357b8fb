"""What lists of models say about each model, in the words of several endpoints."""

import pytest

from wakeful.agent.models.facts import UNKNOWN, ModelFacts
from wakeful.agent.models.listed_facts import listed_facts
from wakeful.agent.models.window import LearntWindows, result_limits


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
        # Half of a price would be mixed with another half from elsewhere.
        {"pricing": {"prompt": "0.000001", "input_cache_read": "0.000001"}},
        {"pricing": {"completion": "0.000001"}},
        {"architecture": {"input_modalities": "text"}, "top_provider": []},
    ],
)
def test_a_figure_that_makes_no_sense_is_unknown(entry: dict[str, object]) -> None:
    assert listed_facts(entry) == UNKNOWN


def test_a_free_model_costs_nothing_and_is_not_unknown() -> None:
    assert listed_facts({"pricing": {"prompt": "0", "completion": "0"}}).input_price == 0.0


def test_a_model_may_say_that_it_sees_nothing_and_how_much_it_writes() -> None:
    blind = {"architecture": {"input_modalities": ["text"]}, "max_output_tokens": 1, "context_length": 10**9}

    assert listed_facts(blind) == ModelFacts(10**9, 1, vision=False)


@pytest.mark.parametrize(("window", "limit"), [(None, 50_000), (8_000, 6_000), (10**6, 50_000), (100, 500)])
def test_a_result_fills_a_quarter_of_the_window_at_most(window: int | None, limit: int) -> None:
    windows = LearntWindows()
    if window is not None:
        windows.learn_window("a:small", window)

    assert result_limits(windows, 50_000)("a:small") == limit
