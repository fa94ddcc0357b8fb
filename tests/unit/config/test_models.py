"""The tables [models."provider:name"] of config.toml, the fallback models and the daily spend."""

from pathlib import Path

import pytest

from wakeful.agent.models.facts import ModelFacts
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.config.models import ModelTable
from wakeful.errors import ConfigError


def loaded(home: Path, text: str, **environment: str) -> Config:
    (home / "config.toml").write_text(text)
    return load_config({"WAKEFUL_HOME": str(home), **environment})


def test_a_table_says_what_is_known_about_a_model(tmp_path: Path) -> None:
    config = loaded(
        tmp_path,
        """
        fallback_models = ["openai:gpt-5", "demo:wakeful"]
        daily_spend_usd = 5
        daily_spend_hard_usd = 20.5
        [models."local:qwen3:8b"]
        context_window = 8192
        vision = false
        input_price = 0
        cache_write_price = 0.1
        output_price = 0.5
        """,
    )

    assert config.models == {"local:qwen3:8b": ModelTable(ModelFacts(8192, None, False, 0.0, None, 0.1, 0.5))}
    assert config.agent.fallback_models == ("openai:gpt-5", "demo:wakeful")
    assert (config.engine.daily_spend_usd, config.engine.daily_spend_hard_usd) == (5.0, 20.5)


def test_the_environment_names_fallbacks_and_spend(tmp_path: Path) -> None:
    config = loaded(tmp_path, "", WAKEFUL_FALLBACK_MODELS="a:b, c:d:e", WAKEFUL_DAILY_SPEND_USD="0.25")

    assert config.agent.fallback_models == ("a:b", "c:d:e")
    assert (config.engine.daily_spend_usd, config.engine.daily_spend_hard_usd) == (0.25, None)


@pytest.mark.parametrize(
    ("fact", "least"),
    [("context_window", 1), ("max_output", 1)]
    + [(price, 0) for price in ("input_price", "cached_price", "cache_write_price", "output_price")],
)
def test_a_fact_of_a_model_has_a_least_value(tmp_path: Path, fact: str, least: int) -> None:
    free = {"input_price": 0, "output_price": 0}

    def table(value: int) -> str:
        return '[models."a:b"]\n' + "\n".join(f"{name} = {one}" for name, one in (free | {fact: value}).items())

    assert getattr(loaded(tmp_path, table(least)).models["a:b"].facts, fact) == least
    with pytest.raises(ConfigError, match=rf'{fact} in \[models."a:b"\] must be'):
        loaded(tmp_path, table(least - 1))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models = 3", 'must be tables [models."provider:model"] in config.toml, not 3.'),
        ("[models.gpt]\nvision = true", 'The name of [models."gpt"] must be provider:model'),
        ('[models]\n"a:b" = 3', '[models."a:b"] must be a table.'),
        ('[models."a:b"]\ndaily_spend_usd = 3', "Settings of the server stand above all tables."),
        ('[models."a:b"]\nwindow = 3', '[models."a:b"] has an unknown field window: the fields are context_window'),
        ('[models."a:b"]\ncontext_window = 0', 'context_window in [models."a:b"] must be a whole number from 1 to'),
        ('[models."a:b"]\nvision = "often"', "vision in [models.\"a:b\"] must be true or false, not 'often'."),
        ('[models."a:b"]\ninput_price = -1', 'input_price in [models."a:b"] must be a number of US dollars from 0'),
        ('[models."a:b"]\ninput_price = 1', '[models."a:b"] needs both input_price and output_price, or neither.'),
        ("fallback_models = 3", "must be a list of models, as in openai:gpt-5,demo:wakeful, not 3."),
        ('fallback_models = ["gpt"]', "must be provider:model"),
        ('daily_spend_usd = "much"', "must be a number of US dollars from 0 to"),
    ],
)
def test_a_wrong_value_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        loaded(tmp_path, text)

    assert said in str(refusal.value)
