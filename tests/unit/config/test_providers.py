"""Model endpoints: their tables, their variables, and what is composed of both."""

from pathlib import Path

import pytest

from wakeful.agent.providers.endpoint_settings import EndpointSettings, Wire
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import ConfigError

_SECRET = "sk-hunter2hunter2"


def load(home: Path, toml: str = "", **environment: str) -> Config:
    (home / "config.toml").write_text(toml, encoding="utf-8")
    return load_config({"WAKEFUL_HOME": str(home), **environment})


def endpoint(home: Path, name: str, toml: str = "", **environment: str) -> EndpointSettings:
    return load(home, toml, **environment).providers.endpoints[name]


@pytest.mark.parametrize(
    ("name", "variable", "wire", "host"),
    [
        ("openai", "OPENAI_API_KEY", Wire.OPENAI, "https://api.openai.com/v1"),
        ("anthropic", "ANTHROPIC_API_KEY", Wire.ANTHROPIC, "https://api.anthropic.com"),
        ("gemini", "GEMINI_API_KEY", Wire.OPENAI, "https://generativelanguage.googleapis.com/v1beta/openai"),
        ("openrouter", "OPENROUTER_API_KEY", Wire.OPENAI, "https://openrouter.ai/api/v1"),
        ("mistral", "MISTRAL_API_KEY", Wire.OPENAI, "https://api.mistral.ai/v1"),
        ("groq", "GROQ_API_KEY", Wire.OPENAI, "https://api.groq.com/openai/v1"),
        ("deepseek", "DEEPSEEK_API_KEY", Wire.OPENAI, "https://api.deepseek.com/v1"),
        ("xai", "XAI_API_KEY", Wire.OPENAI, "https://api.x.ai/v1"),
    ],
)
def test_a_known_provider_needs_only_its_key(tmp_path: Path, name: str, variable: str, wire: Wire, host: str) -> None:
    without = endpoint(tmp_path, name)
    with_key = endpoint(tmp_path, name, **{variable: _SECRET})

    assert (without.lacks_key, without.key_setting, without.is_configured) == (True, variable, False)
    assert (with_key.base_url, with_key.wire, with_key.api_key) == (host, wire, _SECRET)
    assert (with_key.lacks_key, with_key.is_configured) == (False, True)


def test_ollama_needs_nothing(tmp_path: Path) -> None:
    local = endpoint(tmp_path, "ollama")

    assert (local.base_url, local.lacks_key) == ("http://127.0.0.1:11434/v1", False)


def test_another_address_of_a_known_provider_may_need_no_key(tmp_path: Path) -> None:
    copy = endpoint(tmp_path, "anthropic", ANTHROPIC_BASE_URL="http://127.0.0.1:4000")

    assert (copy.base_url, copy.lacks_key, copy.url_setting) == ("http://127.0.0.1:4000", False, "ANTHROPIC_BASE_URL")
    assert copy.is_configured


def test_a_table_says_how_an_endpoint_is_reached(tmp_path: Path) -> None:
    toml = """
        [providers.claude]
        kind = "anthropic"
        base_url = "https://proxy.example/anthropic"
        api_key_env = "MY_KEY"
        headers = {anthropic-version = "2023-06-01", x-token = "sk-of-the-proxy"}
    """

    config = load(tmp_path, toml, MY_KEY=_SECRET)

    claude = config.providers.endpoints["claude"]
    assert (claude.wire, claude.base_url, claude.api_key) == (
        Wire.ANTHROPIC, "https://proxy.example/anthropic", _SECRET,
    )  # fmt: skip
    assert (claude.key_setting, claude.url_setting) == ("MY_KEY", "base_url in [providers.claude]")
    assert config.secrets >= {_SECRET, "sk-of-the-proxy"}
    assert "2023-06-01" not in config.secrets
    assert _SECRET not in repr(config)
    assert "sk-of-the-proxy" not in repr(config)


def test_a_variable_that_is_named_and_not_set_is_a_missing_key(tmp_path: Path) -> None:
    mine = endpoint(tmp_path, "mine", '[providers.mine]\nbase_url = "http://model/v1"\napi_key_env = "MY_KEY"')

    assert (mine.lacks_key, mine.key_setting) == (True, "MY_KEY")


def test_a_table_without_a_key_sends_none(tmp_path: Path) -> None:
    mine = endpoint(tmp_path, "mine", '[providers.mine]\nbase_url = "http://127.0.0.1:8080/v1"')

    assert (mine.wire, mine.api_key, mine.lacks_key, mine.is_configured) == (Wire.OPENAI, "", False, True)


def test_a_table_of_a_known_name_goes_before_and_keeps_what_it_does_not_say(tmp_path: Path) -> None:
    openai = endpoint(tmp_path, "openai", '[providers.openai]\nkind = "responses"', OPENAI_API_KEY=_SECRET)

    assert (openai.wire, openai.base_url, openai.api_key) == (Wire.RESPONSES, "https://api.openai.com/v1", _SECRET)


def test_a_key_does_not_follow_its_provider_to_another_address(tmp_path: Path) -> None:
    toml = '[providers.openai]\nbase_url = "http://elsewhere/v1"'

    openai = endpoint(tmp_path, "openai", toml, OPENAI_API_KEY=_SECRET)

    assert (openai.base_url, openai.api_key) == ("http://elsewhere/v1", "")


def test_a_kind_has_the_address_of_its_maker(tmp_path: Path) -> None:
    mine = endpoint(tmp_path, "mine", f'[providers.mine]\nkind = "anthropic"\napi_key = "{_SECRET}"')

    assert (mine.base_url, mine.api_key) == ("https://api.anthropic.com", _SECRET)


def test_options_belong_to_one_model(tmp_path: Path) -> None:
    toml = """
        [models."claude:claude-opus-5"]
        options = {thinking = {type = "adaptive"}}
        [models."claude: claude-sonnet-5"]
        options = {top_k = 3}
        [providers.claude]
        kind = "anthropic"
    """

    claude = endpoint(tmp_path, "claude", toml)

    assert claude.options_for("claude-opus-5") == {"thinking": {"type": "adaptive"}}
    assert claude.options_for("claude-sonnet-5") == {"top_k": 3}
    assert claude.options_for("claude-haiku-5") == {}


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("providers = 3", "tables [providers.NAME]"),
        ("[providers]\nmine = 3", "tables [providers.NAME]"),
        ("[providers]\nmine = 3\n[providers.other]", "tables [providers.NAME]"),
        ("[providers.Mine]", "'Mine' needs another name"),
        ('[providers.""]', "'' needs another name"),
        ("[providers.demo]", "'demo' needs another name"),
        ('[providers.mine]\nkind = "soap"', "kind in [providers.mine] must be one of openai, anthropic, responses"),
        (f'[providers.mine]\nbase_url = "{_SECRET}"', "base_url in [providers.mine] must be an address"),
        (f'[providers.mine]\napi_key = "{_SECRET} x"', "api_key in [providers.mine] must be a key"),
        (f'[providers.mine]\napi_key_env = "{_SECRET}"', "api_key_env in [providers.mine] must be the name of"),
        ("[providers.mine]\napi_key_env = 5", "api_key_env in [providers.mine] must be the name of"),
        ('[providers.mine]\napi_key_env = "É"', "api_key_env in [providers.mine] must be the name of"),
        (f'[providers.mine]\napi_key = "{_SECRET}"\napi_key_env = "X"', "has both api_key and api_key_env"),
        (f'[providers.mine]\nheaders = {{x = "{_SECRET}\\n"}}', "headers in [providers.mine] must be a table of names"),
        ("[providers.mine]\nheaders = 5", "headers in [providers.mine] must be a table of names"),
        ('[providers.mine]\nheaders = {x = "y", z = 5}', "headers in [providers.mine] must be a table of names"),
        ('[providers.mine]\nheaders = {x = "é"}', "headers in [providers.mine] must be a table of names"),
        ('[providers.mine]\nheaders = {"x y" = "z"}', "headers in [providers.mine] must be a table of names"),
        ('[providers.mine]\nheaders = {"é" = "z"}', "headers in [providers.mine] must be a table of names"),
        (
            "[providers.mine]\nurl = 3",
            "unknown field url: the fields are kind, base_url, api_key_env, api_key, headers",
        ),
        ("models = 3", 'tables [models."provider:model"]'),
        ("[models.gpt]", 'The name of [models."gpt"] must be provider:model'),
        ('[models."a:b"]\noptions = 3', 'options in [models."a:b"] must be a table'),
        ('[models."a:b"]\nopptions = {}', "unknown field opptions"),
    ],
)
def test_a_wrong_table_is_one_sentence_without_secrets(tmp_path: Path, toml: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, toml)

    message = str(caught.value)
    assert words in message
    assert str(tmp_path / "config.toml") in message
    assert _SECRET not in message


def test_tables_do_not_stand_in_the_environment(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="WAKEFUL_PROVIDERS must be tables"):
        load(tmp_path, WAKEFUL_PROVIDERS="{}")
