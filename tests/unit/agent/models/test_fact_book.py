"""Facts about models: whose word counts, and what an answer costs."""

import logging
from pathlib import Path

import pytest

from wakeful.agent.models.built_in import built_in_facts
from wakeful.agent.models.fact_book import FactBook, FactSource
from wakeful.agent.models.facts import UNKNOWN, ModelFacts
from wakeful.agent.models.learnt_windows import WindowFile
from wakeful.model.journal.message import Usage

LISTED = ModelFacts(context_window=64_000, input_price=2.0, output_price=4.0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "windows.json"


def book(
    file: Path, configured: ModelFacts = UNKNOWN, listed: ModelFacts = UNKNOWN, mark: str = "", *, warns: bool = False
) -> FactBook:
    learnt = WindowFile(file, {"openai": mark})
    return FactBook({"openai:gpt-5": configured}, lambda model: listed, learnt, warns_of_unpriced=warns)


def test_the_configuration_goes_before_the_endpoint_and_that_before_the_table(file: Path) -> None:
    configured = ModelFacts(context_window=8_000)

    facts, source = book(file, configured, LISTED).look_up("openai:gpt-5")

    assert source is FactSource.CONFIG
    assert (facts.context_window, facts.input_price, facts.max_output) == (8_000, 2.0, 128_000)
    assert book(file, listed=LISTED).look_up("openai:gpt-5")[1] is FactSource.ENDPOINT
    assert book(file).look_up("openai:gpt-5")[1] is FactSource.BUILT_IN


def test_of_an_unknown_model_nothing_is_known(file: Path) -> None:
    assert book(file).look_up("openai:nobody-knows-it") == (UNKNOWN, FactSource.UNKNOWN)
    assert book(file).window_of("openai:nobody-knows-it") is None
    assert book(file).cost_of("openai:nobody-knows-it", Usage(5, 5)) is None


def test_prices_are_never_a_mixture_of_two_sources(file: Path) -> None:
    facts, _ = book(file, ModelFacts(input_price=7.0, output_price=8.0)).look_up("openai:gpt-5")

    assert (facts.input_price, facts.cached_price, facts.output_price) == (7.0, None, 8.0)


def test_a_learnt_window_goes_before_the_list_and_outlives_the_server(file: Path) -> None:
    book(file, listed=LISTED).learn_window("openai:gpt-5", 16_000)

    again = book(file, listed=LISTED)

    assert again.window_of("openai:gpt-5") == 16_000
    assert again.look_up("openai:gpt-5")[1] is FactSource.LEARNT


def test_a_window_that_the_endpoint_lists_too_is_not_a_learnt_one(file: Path) -> None:
    told = book(file, listed=LISTED)
    told.learn_window("openai:gpt-5", 64_000)

    assert told.look_up("openai:gpt-5")[1] is FactSource.ENDPOINT
    assert not told.forget_window("openai:gpt-5")


def test_a_learnt_window_counts_only_if_it_is_smaller_and_not_against_the_configuration(file: Path) -> None:
    book(file).learn_window("openai:gpt-5", 100_000)

    assert book(file, listed=LISTED).window_of("openai:gpt-5") == 64_000
    assert book(file, ModelFacts(context_window=300_000)).window_of("openai:gpt-5") == 300_000
    assert book(file).window_of("openai:gpt-5") == 100_000


def test_a_learnt_window_is_asked_for_again_after_a_day(file: Path) -> None:
    now = 1_000_000.0
    learnt = WindowFile(file, {}, lambda: now)
    learnt.put("openai:gpt-5", 16_000)

    now += 86_399
    assert WindowFile(file, {}, lambda: now).get("openai:gpt-5") == learnt.get("openai:gpt-5") == 16_000
    now += 1
    assert WindowFile(file, {}, lambda: now).get("openai:gpt-5") is learnt.get("openai:gpt-5") is None
    learnt.put("openai:gpt-5", 16_000)
    assert learnt.get("openai:gpt-5") == 16_000


def test_only_a_learnt_window_can_be_forgotten(file: Path) -> None:
    learnt = book(file)
    learnt.learn_window("openai:gpt-5", 16_000)
    configured = book(file, ModelFacts(context_window=8_000))

    assert (configured.forget_window("openai:gpt-5"), configured.window_of("openai:gpt-5")) == (False, 8_000)
    assert (learnt.forget_window("openai:gpt-5"), learnt.window_of("openai:gpt-5")) == (True, 272_000)
    assert not learnt.forget_window("openai:gpt-5")
    assert book(file).window_of("openai:gpt-5") == 272_000


def test_what_another_endpoint_has_taught_does_not_count(file: Path) -> None:
    book(file, mark="a").learn_window("openai:gpt-5", 16_000)

    assert book(file, mark="b").window_of("openai:gpt-5") == 272_000


@pytest.mark.parametrize("content", ["", "{", '{"version": 1, "windows": {"openai:gpt-5": [1]}}', '{"version": 9}'])
def test_a_broken_file_counts_as_missing(file: Path, content: str) -> None:
    file.write_text(content)

    assert book(file).window_of("openai:gpt-5") == 272_000


def test_a_window_that_cannot_be_saved_counts_until_the_end(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    unsaved = book(file.parent / "gone" / "windows.json")

    unsaved.learn_window("openai:gpt-5", 16_000)

    assert unsaved.window_of("openai:gpt-5") == 16_000
    assert "cannot save how much the models of endpoints read" in caplog.text


@pytest.mark.parametrize(
    "name", ["gpt-4o", "gpt-4o-2024-08-06", "openai/gpt-4o", "GPT-4o", "gpt-4o:beta", "gpt-4o-latest"]
)
def test_the_table_knows_a_model_by_the_names_that_providers_give_it(name: str) -> None:
    assert built_in_facts(name).context_window == 128_000


def test_the_table_tells_a_model_from_its_smaller_siblings() -> None:
    assert built_in_facts("gpt-5-mini").input_price == 0.25
    assert built_in_facts("gpt-5-search-api") is UNKNOWN
    assert built_in_facts("gpt-4o-2024-05-13").output_price == 15


def test_every_row_of_the_table_makes_sense() -> None:
    for name in ("claude-opus-5", "gemini-2.5-pro", "mistral-large-2512", "deepseek-v4-pro", "grok-4.5", "qwen3:8b"):
        facts = built_in_facts(name)
        assert facts.context_window is not None
        assert facts.context_window > (facts.max_output or 0)


def test_a_cost_counts_cached_tokens_by_their_own_price() -> None:
    facts = ModelFacts(input_price=2.0, cached_price=0.5, output_price=10.0)
    usage = Usage(input_tokens=1_000_000, output_tokens=100_000, cached_tokens=400_000)

    assert facts.cost_of(usage) == pytest.approx(1.2 + 0.2 + 1.0)
    assert ModelFacts(input_price=2.0, output_price=10.0).cost_of(usage) == pytest.approx(3.0)
    assert ModelFacts(input_price=2.0).cost_of(usage) is None


def test_a_cost_counts_tokens_that_the_cache_took_by_their_own_price(file: Path) -> None:
    usage = Usage(input_tokens=1_000_000, output_tokens=0, cached_tokens=200_000, cache_write_tokens=400_000)

    assert ModelFacts(input_price=2.0, cache_write_price=5.0, output_price=0).cost_of(usage) == pytest.approx(3.2)
    assert ModelFacts(input_price=2.0, output_price=0).cost_of(usage) == pytest.approx(2.0)


def test_writing_to_the_cache_of_anthropic_costs_a_quarter_more_unless_it_has_a_price(file: Path) -> None:
    priced = {
        "claude:own": ModelFacts(input_price=2.0, cache_write_price=4.0, output_price=0.0),
        "claude:free": ModelFacts(input_price=0.0, output_price=0.0),
    }
    facts = FactBook(priced, lambda model: UNKNOWN, WindowFile(file, {}), dear_writes={"claude"})
    usage = Usage(input_tokens=1_000_000, cache_write_tokens=1_000_000)

    asked = ("claude:claude-opus-5", "other:claude-opus-5", "claude:own", "claude:free", "claude:unknown")
    assert [facts.cost_of(model, usage) for model in asked] == [6.25, 5.0, 4.0, 0.0, None]


def test_with_a_cap_the_log_names_a_model_without_a_price_once(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    warning, silent = book(file, warns=True), book(file)

    for facts in (warning, warning, silent):
        facts.cost_of("openai:odd", Usage(1, 1))

    assert [record.message for record in caplog.records] == [
        "openai:odd has no known price, so what it costs does not count towards the daily spend: "
        'set input_price and output_price in [models."openai:odd"].'
    ]
