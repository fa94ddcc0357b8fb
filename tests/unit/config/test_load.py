"""Settings: where they come from, which source wins, and the one sentence for each that is wrong."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from wakeful.config.config import Config
from wakeful.config.load import forget_secrets, load_config
from wakeful.config.setting import SETTINGS_BY_NAME
from wakeful.errors import ConfigError
from wakeful.gateway.messaging.settings import PLATFORMS
from wakeful.gateway.webhooks.endpoint import EVENT_TYPES

_MANUAL = Path(__file__).parents[3] / "docs" / "self-hosting.md"
_SECRET = "hunter2hunter2hunter2"
_WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
_WEBHOOK = f'[[webhooks]]\nurl = "https://a.example/"\nsecret = "{_WEBHOOK_SECRET}"'


def load(home: Path, toml: str = "", **environment: str) -> Config:
    if toml:
        (home / "config.toml").write_text(toml, encoding="utf-8")
    return load_config({"WAKEFUL_HOME": str(home), **environment})


def complaint(home: Path, toml: str = "", **environment: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(home, toml, **environment)
    message = str(caught.value)
    assert "\n" not in message
    assert _SECRET not in message
    return message


def test_without_settings_the_demonstration_model_runs_on_a_file_in_the_home_folder(tmp_path: Path) -> None:
    config = load(tmp_path)

    assert (config.model, config.database_url, config.host, config.port) == ("demo:wakeful", "", "127.0.0.1", 8787)
    assert config.database_file == tmp_path / "wakeful.db"
    assert config.workspace == tmp_path / "workspace"
    assert config.secrets == set()
    assert (config.web_fetch, config.web_fetch_allow_private, config.webhooks_allow_private) == (True, False, False)
    assert config.engine.closed_platforms == set(PLATFORMS)


def test_settings_are_read_from_the_file(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        f"""
        model = "openai:gpt-5"
        port = 9000
        turn_seconds = 90
        model_idle_seconds = 7.5
        step_limit = 5
        task_environment = ["CUDA_HOME", "GIT_DIR"]
        workspace = "{tmp_path}"
        openai_base_url = "http://127.0.0.1:8080/v1"
        [api_keys]
        laptop = "a-key-of-16-chars"
        """,
    )

    assert (config.model, config.port, config.api_keys) == ("openai:gpt-5", 9000, {"laptop": "a-key-of-16-chars"})
    assert (config.engine.turn_seconds, config.agent.step_limit) == (90.0, 5)
    assert config.task_environment == ("CUDA_HOME", "GIT_DIR")
    assert config.workspace == tmp_path
    endpoint = config.providers.endpoints["openai"]
    assert (endpoint.base_url, endpoint.idle_timeout) == ("http://127.0.0.1:8080/v1", 7.5)


def test_every_setting_of_the_environment_reaches_its_room(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        WAKEFUL_LEASE_SECONDS="1.5",
        WAKEFUL_STOP_GRACE_SECONDS="0",
        WAKEFUL_TURN_SECONDS="60",
        WAKEFUL_WAKE_BUDGET_PER_HOUR="1",
        WAKEFUL_RESUME_LIMIT="0",
        WAKEFUL_WAKE_RETRY_LIMIT="2",
        WAKEFUL_WAKE_RETRY_SECONDS="4",
        WAKEFUL_STEP_LIMIT="3",
        WAKEFUL_TOKEN_LIMIT="1000",
        WAKEFUL_MODEL_TRIES="2",
        WAKEFUL_MODEL_RETRY_SECONDS="8",
        OPENAI_API_KEY="sk-1",
        WAKEFUL_API_KEYS=" laptop = a=b-and-16-more-chars , ci=c-and-16-more-chars ",
        WAKEFUL_DATABASE_URL="postgres://me@db/wakeful",
        WAKEFUL_LOG_LEVEL="DEBUG",
        WAKEFUL_CORS_ORIGINS="https://a.example, http://localhost:3000",
        WAKEFUL_TOOL_ITEMS="function_call",
    )

    engine = config.engine
    assert (engine.lease_seconds, engine.stop_grace_seconds, engine.turn_seconds) == (1.5, 0.0, 60.0)
    assert (engine.wake_budget_per_hour, engine.resume_limit) == (1, 0)
    assert (engine.wake_retry_limit, engine.wake_retry_seconds) == (2, 4.0)
    agent = config.agent
    assert (agent.step_limit, agent.token_limit, agent.model_tries, agent.model_retry_seconds) == (3, 1000, 2, 8.0)
    assert config.providers.endpoints["openai"].api_key == "sk-1"
    assert config.api_keys == {"laptop": "a=b-and-16-more-chars", "ci": "c-and-16-more-chars"}
    assert (config.database_url, config.log_level) == ("postgres://me@db/wakeful", "debug")
    assert config.cors_origins == ("https://a.example", "http://localhost:3000")
    assert config.tool_items == "function_call"


def test_options_win_over_the_environment_and_the_environment_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('port = 1\nhost = "a"\nmodel = "demo:a"')
    environment = {"WAKEFUL_HOME": str(tmp_path), "WAKEFUL_PORT": "2", "WAKEFUL_HOST": "b"}

    config = load_config(environment, options={"port": "3", "host": None}, defaults={"model": "demo:z"})

    assert (config.port, config.host, config.model) == (3, "b", "demo:a")
    assert config.origins["port"] == "--port"
    assert config.origins["host"] == "WAKEFUL_HOST"
    assert config.origins["model"] == f"model in {tmp_path}/config.toml"


def test_an_empty_variable_is_one_that_is_not_set(tmp_path: Path) -> None:
    config = load(tmp_path, WAKEFUL_MODEL="", WAKEFUL_API_KEYS=" ", WAKEFUL_DATABASE_URL="", OPENAI_API_KEY="")

    assert (config.model, config.api_keys, config.database_url) == ("demo:wakeful", {}, "")


def test_what_container_platforms_say_about_a_service_named_wakeful_is_ignored(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        WAKEFUL_PORT="tcp://10.0.0.1:8787",
        WAKEFUL_SERVICE_HOST="10.0.0.1",
        WAKEFUL_SERVICE_PORT="8787",
        WAKEFUL_SERVICE_PORT_HTTP="8787",
        WAKEFUL_PORT_8787_TCP="tcp://10.0.0.1:8787",
        WAKEFUL_PORT_8787_TCP_ADDR="10.0.0.1",
        WAKEFUL_PORT_8787_TCP_PORT="8787",
        WAKEFUL_PORT_8787_TCP_PROTO="tcp",
        WAKEFUL_WEB_SERVICE_HOST="10.0.0.2",
        WAKEFUL_A_PORT="tcp://10.0.0.2:80",
    )

    assert config.port == 8787


def test_variables_of_other_programs_are_ignored_however_they_are_named(tmp_path: Path) -> None:
    config = load(tmp_path, PORT="80", MODELS="x", HOSTS="x", DATABASE_URL="x", WAKEFUL_WORDS_OF_ANOTHER="x")

    assert config.origins == {}


@pytest.mark.parametrize(
    ("variable", "value", "allowed"),
    [
        ("WAKEFUL_MODEL", "gpt-5", "provider:model"),
        ("WAKEFUL_MODEL", "openai:", "provider:model"),
        ("WAKEFUL_DATABASE_URL", f"mysql://me:{_SECRET}@db/x", "postgresql://"),
        ("WAKEFUL_DATABASE_URL", "sqlite:///x.db", "postgresql://"),
        ("WAKEFUL_API_KEYS", _SECRET, "pairs of a name"),
        ("WAKEFUL_API_KEYS", f"laptop={_SECRET},ci", "pairs of a name"),
        ("WAKEFUL_API_KEYS", f"laptop={_SECRET},laptop=x", "a different name"),
        ("WAKEFUL_API_KEYS", f"laptop={_SECRET},ci={_SECRET}", "a different key"),
        ("WAKEFUL_API_KEYS", f"operator={_SECRET}", "names other than operator"),
        ("WAKEFUL_API_KEYS", f"laptop={_SECRET}é", "visible ASCII"),
        ("WAKEFUL_API_KEYS", f"my laptop={_SECRET}", "letters, digits"),
        ("WAKEFUL_API_KEYS", f"laptop={_SECRET[:15]}", "at least 16 characters, and that of laptop is shorter"),
        ("WAKEFUL_PORT", "http", "a whole number from 0 to 65535, not 'http'"),
        ("WAKEFUL_PORT", "65536", "a whole number from 0 to 65535, not '65536'"),
        ("WAKEFUL_PORT", "-1", "from 0 to 65535"),
        ("WAKEFUL_PORT", "8787.5", "a whole number"),
        ("WAKEFUL_PORT", "9" * 5000, "a whole number"),
        ("WAKEFUL_LOG_LEVEL", "loud", "one of debug, info, warning, error"),
        ("WAKEFUL_WORKSPACE", "relative", "the absolute path of a folder"),
        ("WAKEFUL_WORKSPACE", "/not/there", "the absolute path of a folder"),
        ("WAKEFUL_LEASE_SECONDS", "0", "a number of seconds from 0.5 to 86400"),
        ("WAKEFUL_TURN_SECONDS", "nan", "a number of seconds from 1 to 2592000"),
        ("WAKEFUL_TURN_SECONDS", "inf", "a number of seconds"),
        ("WAKEFUL_STOP_GRACE_SECONDS", "soon", "a number of seconds from 0 to 86400, not 'soon'"),
        ("WAKEFUL_WAKE_BUDGET_PER_HOUR", "0", "a whole number from 1"),
        ("WAKEFUL_RESUME_LIMIT", "-1", "a whole number from 0"),
        ("WAKEFUL_WAKE_RETRY_LIMIT", "0", "a whole number from 1"),
        ("WAKEFUL_APPROVAL_SECONDS", "0", "a number of seconds from 1"),
        ("WAKEFUL_DELEGATION_LIMIT", "0", "a whole number from 1 to 1000"),
        ("WAKEFUL_TASK_ENVIRONMENT", "GOOD,not good", "names of environment variables"),
        ("WAKEFUL_TASK_OUTPUT_MIB", "0", "a whole number from 1"),
        ("WAKEFUL_STEP_LIMIT", "0", "a whole number from 1"),
        ("WAKEFUL_TOKEN_LIMIT", "lots", "a whole number from 1"),
        ("WAKEFUL_MODEL_TRIES", "0", "a whole number from 1 to 100"),
        ("WAKEFUL_CORS_ORIGINS", "*", "origins as a browser sends them"),
        ("WAKEFUL_CORS_ORIGINS", "null", "origins as a browser"),
        ("WAKEFUL_CORS_ORIGINS", "https://a.example/", "origins as a browser"),
        ("WAKEFUL_CORS_ORIGINS", "https://a.example:443", "origins as a browser"),
        ("WAKEFUL_CORS_ORIGINS", "https://*.example", "origins as a browser"),
        ("WAKEFUL_CORS_ORIGINS", "https://A.example", "origins as a browser"),
        ("WAKEFUL_CORS_ORIGINS", "https://me@a.example", "origins as a browser"),
        ("WAKEFUL_CORS_ORIGINS", "a.example", "origins as a browser"),
        ("WAKEFUL_CORS_ORIGINS", "https://a.example,", "origins as a browser"),
        ("WAKEFUL_CORS_ORIGINS", "https://a.example:port", "origins as a browser"),
        ("OPENAI_BASE_URL", f"me:{_SECRET}@model", "an address such as https://"),
        ("OPENAI_API_KEY", f"{_SECRET} x", "visible ASCII"),
    ],
)
def test_a_wrong_variable_is_named_with_what_is_allowed(
    tmp_path: Path, variable: str, value: str, allowed: str
) -> None:
    message = complaint(tmp_path, **{variable: value})

    assert message.startswith(f"{variable} must be ")
    assert allowed in message
    assert len(message) < 300


@pytest.mark.parametrize(
    ("toml", "subject", "allowed"),
    [
        ('port = "x"', "port", "a whole number from 0 to 65535, not 'x'"),
        ("port = true", "port", "a whole number"),
        ("port = [1]", "port", "a whole number"),
        ("turn_seconds = inf", "turn_seconds", "a number of seconds"),
        ("model = 5", "model", "provider:model"),
        ("host = 127", "host", "a text"),
        ('host = ""', "host", "a text"),
        ("cors_origins = [5]", "cors_origins", "origins as a browser"),
        ("task_environment = [5]", "task_environment", "names of environment variables"),
        (f'api_keys = ["{_SECRET}"]', "api_keys", "a table of names and keys"),
        (f'api_keys = {{ ci = ["{_SECRET}"] }}', "api_keys", "pairs of a name"),
        (f'database_url = ["{_SECRET}"]', "database_url", "postgresql://"),
    ],
)
def test_a_wrong_value_in_the_file_is_named_with_the_file(
    tmp_path: Path, toml: str, subject: str, allowed: str
) -> None:
    message = complaint(tmp_path, toml)

    assert message.startswith(f"{subject} in {tmp_path}/config.toml must be ")
    assert allowed in message


def test_a_wrong_value_is_shown_as_far_as_it_fits_into_a_line(tmp_path: Path) -> None:
    shown = "x" * 78

    assert complaint(tmp_path, WAKEFUL_PORT=shown).endswith(f", not '{shown}'.")
    assert complaint(tmp_path, WAKEFUL_PORT=f"{shown}x").endswith(f", not '{shown}x….")


def test_an_unknown_setting_in_the_file_is_answered_with_the_nearest(tmp_path: Path) -> None:
    assert complaint(tmp_path, 'modle = "x:y"').endswith("unknown setting modle: did you mean model?")


def test_an_unknown_setting_that_is_near_to_none_is_answered_with_all(tmp_path: Path) -> None:
    message = complaint(tmp_path, f'zzz = "{_SECRET}"')

    assert "unknown setting zzz: the settings are model, database_url" in message


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("WAKEFUL_API_KEY", "WAKEFUL_API_KEYS"),
        ("WAKEFUL_MODLE", "WAKEFUL_MODEL"),
        ("WAKEFUL_PROT", "WAKEFUL_PORT"),
        ("WAKEFUL_DATABASE", "WAKEFUL_DATABASE_URL"),
        ("WAKEFUL_LOGLEVEL", "WAKEFUL_LOG_LEVEL"),
        ("WAKEFUL_HOMES", "WAKEFUL_HOME"),
        ("WAKEFUL_OPENAI_API_KEY", "OPENAI_API_KEY"),
    ],
)
def test_a_misspelt_variable_is_answered_with_the_one_meant(tmp_path: Path, variable: str, meant: str) -> None:
    message = complaint(tmp_path, **{variable: _SECRET})

    assert message == f"The environment has an unknown setting {variable}: did you mean {meant}?"


def test_a_broken_file_is_named_with_the_line(tmp_path: Path) -> None:
    assert "at line 2" in complaint(tmp_path, "port = 1\nmodel = \nhost = 1")


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b'model = "\xff"')

    assert "not written in UTF-8" in complaint(tmp_path)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()

    assert complaint(tmp_path) == (
        f"{tmp_path}/config.toml cannot be read ({os.strerror(21)}): check its owner and permissions."
    )


def test_no_secret_is_in_the_representation_of_a_config(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        WAKEFUL_API_KEYS=f"ci={_SECRET}1",
        WAKEFUL_DATABASE_URL=f"postgresql://me:{_SECRET}%402@db/x",
        OPENAI_API_KEY=f"{_SECRET}3",
        OPENAI_BASE_URL=f"http://me:{_SECRET}4@model/v1",
    )

    assert _SECRET not in repr(config)
    assert config.secrets >= {f"{_SECRET}1", f"{_SECRET}@2", f"{_SECRET}3", f"{_SECRET}4"}


def test_a_password_anywhere_in_an_address_is_a_secret(tmp_path: Path) -> None:
    inside = load(tmp_path, WAKEFUL_DATABASE_URL=f"postgresql://me:{_SECRET}@db/x")
    behind = load(tmp_path, WAKEFUL_DATABASE_URL=f"postgresql://db/x?user=me&password={_SECRET}")

    assert (inside.secrets, behind.secrets) == ({_SECRET}, {_SECRET})


def test_whatever_opens_something_is_a_secret(tmp_path: Path) -> None:
    another = _WEBHOOK_SECRET.replace("MfKQ", "QKfM")
    toml = f"""
    [[webhooks]]
    url = "https://a.example/"
    secret = "{_WEBHOOK_SECRET} {another}"
    [[hooks]]
    name = "a"
    secret = "{_WEBHOOK_SECRET} {another}"
    signature = "standard"
    message = "x"
    [[hooks]]
    name = "b"
    secret = "{_SECRET}"
    signature = "github"
    message = "x"
    """
    tokens = {"TELEGRAM_TOKEN": "1:t", "SLACK_BOT_TOKEN": "xoxb", "SLACK_APP_TOKEN": "xapp"}

    config = load(tmp_path, toml, **{f"WAKEFUL_{name}": token for name, token in tokens.items()})

    of_hooks = {_WEBHOOK_SECRET, another, f"{_WEBHOOK_SECRET} {another}", _SECRET}
    assert config.secrets == of_hooks | set(tokens.values())


def test_webhooks_are_read_from_the_file(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        f"""
        webhooks_allow_private = true
        api_keys = {{ ci = "a-key-of-16-chars" }}
        [[webhooks]]
        url = "https://a.example/hook"
        secret = "{_WEBHOOK_SECRET}"
        [[webhooks]]
        url = "https://a.example/hook"
        secret = "{_WEBHOOK_SECRET}"
        owner = "ci"
        events = ["response.failed"]
        """,
    )

    every, failures = config.webhooks
    assert (every.owner, every.events) == ("operator", EVENT_TYPES)
    assert (failures.owner, failures.events) == ("ci", ("response.failed",))
    assert config.webhooks_allow_private
    assert _WEBHOOK_SECRET in config.secrets
    assert _WEBHOOK_SECRET not in repr(config)


@pytest.mark.parametrize(
    ("toml", "allowed"),
    [
        ('webhooks = "https://a.example/"', "tables [[webhooks]]"),
        ('[[webhooks]]\nurl = "https://a.example/"', "tables [[webhooks]]"),
        (f'[[webhooks]]\nurl = "https://a.example/"\nsecret = "{_SECRET}"\nevent = []', "tables [[webhooks]]"),
        (f'[[webhooks]]\nurl = "https://a.example/"\nsecret = "{_SECRET}"\nevents = "all"', "tables [[webhooks]]"),
        (f'[[webhooks]]\nurl = "https://a.example/"\nsecret = "{_SECRET}"', "A webhook's secret must be"),
        (f'[[webhooks]]\nurl = "{_SECRET}"\nsecret = "{_SECRET}"', "A webhook's url must be"),
        (f"{_WEBHOOK}\n{_WEBHOOK}", "a different url for each webhook of one owner"),
        (f'{_WEBHOOK}\nowner = "nobody"', "no API key belongs to the owner 'nobody'; the names are operator."),
    ],
)
def test_a_wrong_webhook_is_refused_without_showing_its_secret(tmp_path: Path, toml: str, allowed: str) -> None:
    message = complaint(tmp_path, toml)

    assert message.startswith(f"webhooks in {tmp_path}/config.toml")
    assert allowed in message
    assert _WEBHOOK_SECRET not in message


@pytest.mark.parametrize(("text", "is_yes"), [("true", True), ("YES", True), ("1", True), ("no", False), ("0", False)])
def test_yes_and_no_can_be_said_in_the_environment(tmp_path: Path, text: str, is_yes: bool) -> None:
    assert load(tmp_path, WAKEFUL_WEBHOOKS_ALLOW_PRIVATE=text).webhooks_allow_private is is_yes


def test_neither_yes_nor_no_is_refused(tmp_path: Path) -> None:
    assert "must be true or false, not 'maybe'" in complaint(tmp_path, WAKEFUL_WEBHOOKS_ALLOW_PRIVATE="maybe")


def test_keys_that_were_read_are_taken_out_of_the_environment_and_nothing_else_is(tmp_path: Path) -> None:
    secret = {
        "OPENAI_API_KEY": "sk-1",
        "OPENAI_BASE_URL": "https://me:word@x.example/v1",
        "WAKEFUL_API_KEYS": "me=key",
        "WAKEFUL_PASSWORD": "long enough",
        "WAKEFUL_DATABASE_URL": "postgresql://me:word@x.example/db",
        "WAKEFUL_WEBHOOKS": "[]",
        "ANTHROPIC_API_KEY": "sk-2",
        "GEMINI_API_KEY": "sk-3",
        "MY_KEY": "sk-4",
    }
    config = load(tmp_path, '[providers.mine]\napi_key_env = "MY_KEY"')
    environment = {**secret, "PATH": "/bin", "WAKEFUL_HOME": "/home/me", "WAKEFUL_MODEL": "demo:wakeful"}

    forget_secrets(environment, config)

    assert environment == {"PATH": "/bin", "WAKEFUL_HOME": "/home/me", "WAKEFUL_MODEL": "demo:wakeful"}


def test_a_time_zone_is_named_as_the_world_knows_it(tmp_path: Path) -> None:
    assert load(tmp_path).timezone == ""
    assert load(tmp_path, WAKEFUL_TIMEZONE="Europe/Berlin").timezone == "Europe/Berlin"
    with pytest.raises(ConfigError, match="the name of a time zone"):
        load(tmp_path, WAKEFUL_TIMEZONE="Middle/Earth")


def test_the_manual_has_a_row_for_every_setting() -> None:
    table, after = _settings_of_the_manual()
    of_platforms = re.findall(r"^\| `WAKEFUL_<P>_(\w+)", after, re.MULTILINE)

    rows = set(re.findall(r"^\| `\W*(\w+)", table, re.MULTILINE))
    rows |= {f"{platform}_{name.lower()}" for platform in PLATFORMS for name in of_platforms}
    assert rows == set(SETTINGS_BY_NAME)


def test_the_numbers_in_the_manual_are_the_defaults(tmp_path: Path) -> None:
    table, _ = _settings_of_the_manual()
    numbers = re.findall(r"^\| `(\w+)` \| `WAKEFUL_\w+` \| ([\d.]+) \|", table, re.MULTILINE)
    defaults = load(tmp_path)

    given = load(tmp_path, "".join(f"{name} = {number}\n" for name, number in numbers))

    assert given.origins.keys() == {name for name, _ in numbers} != set()
    assert replace(given, origins={}) == replace(defaults, origins={})


def _settings_of_the_manual() -> tuple[str, str]:
    """Return the table of settings, and all that comes after its head."""
    _, _, after = _MANUAL.read_text(encoding="utf-8").partition("| In `config.toml` |")
    table, _, _ = after.partition("\n\n")
    return table, after
