"""The models of the settings: those that cannot be used stop the start, and what is known of each comes from there."""

import logging
from pathlib import Path

import pytest

from tests.unit.building.kit import config_in
from wakeful.building.models import build_models, build_providers
from wakeful.errors import ConfigError
from wakeful.model.journal.message import Usage


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        ("MODEL", "nobody:x", "WAKEFUL_MODEL: "),
        ("COMPACT_MODEL", "nobody:x", "WAKEFUL_COMPACT_MODEL: "),
        ("FALLBACK_MODELS", "demo:wakeful,nobody:x", "WAKEFUL_FALLBACK_MODELS: "),
    ],
)
def test_a_model_that_nobody_provides_stops_the_start(tmp_path: Path, setting: str, value: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        build_providers(config_in(tmp_path, **{setting: value}))

    assert str(refused.value).startswith(sentence)
    assert "nobody" in str(refused.value)


@pytest.mark.parametrize(
    ("settings", "warns"), [({}, False), ({"DAILY_SPEND_USD": "1"}, True), ({"DAILY_SPEND_HARD_USD": "1"}, True)]
)
def test_with_a_cap_an_answer_without_a_price_is_warned_of(
    tmp_path: Path, settings: dict[str, str], warns: bool, caplog: pytest.LogCaptureFixture
) -> None:
    _, facts = build_models(config_in(tmp_path, **settings))

    with caplog.at_level(logging.WARNING):
        assert facts.cost_of("openai:odd", Usage(1, 1)) is None

    assert bool(caplog.records) is warns


def test_only_anthropics_cache_is_dearer_to_write(tmp_path: Path) -> None:
    toml = "".join(f'[models."{name}:x"]\ninput_price = 4\noutput_price = 4\n' for name in ("openai", "anthropic"))
    _, facts = build_models(config_in(tmp_path, toml))

    prices = {name: facts.look_up(f"{name}:x")[0].cache_write_price for name in ("openai", "anthropic")}
    assert prices == {"openai": None, "anthropic": 5.0}


def test_a_window_that_was_learnt_is_known_after_a_restart(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    _, facts = build_models(config)

    facts.learn_window("demo:wakeful", 1234)

    assert facts.window_of("demo:wakeful") == build_models(config)[1].window_of("demo:wakeful") == 1234
