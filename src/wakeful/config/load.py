"""Loads the Config. Options of the command win over the environment, then config.toml, then the defaults.

A wrong value raises ConfigError with one sentence: which setting, where it was given, what it may be.
"""

import tomllib
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from wakeful.agent.settings import AgentSettings
from wakeful.config.config import Config
from wakeful.config.home import CONFIG_FILE, HOME_VARIABLE, find_home
from wakeful.config.messaging import messaging_settings
from wakeful.config.providers import provider_settings
from wakeful.config.setting import SETTINGS_BY_NAME, VARIABLE_PREFIX, Setting
from wakeful.config.values import OPERATOR, Unfit
from wakeful.engine.settings import EngineSettings
from wakeful.errors import ConfigError
from wakeful.gateway.messaging.settings import PLATFORMS

_SHOWN_LIMIT = 80


@dataclass(frozen=True, slots=True)
class _Given:
    setting: Setting
    value: object
    # Where it was given, as the subject of a sentence.
    origin: str


def load_config(
    environment: Mapping[str, str],
    *,
    options: Mapping[str, str | None] | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Config:
    """`options` are those of the command, None if not given; `defaults` replace the usual ones."""
    home = find_home(environment)
    # Later sources win.
    given = {
        found.setting.name: found
        for source in (_in_file(home / CONFIG_FILE), _in_environment(environment), _in_options(options or {}))
        for found in source
    }
    values = {"workspace": home / "workspace", **(defaults or {})}
    values |= {name: _read(found) for name, found in given.items()}
    config = _compose(home, values, {name: found.origin for name, found in given.items()}, environment)
    _refuse_unknown_owners(config)
    _refuse_closed_targets(config)
    return config


def forget_secrets(environment: MutableMapping[str, str], config: Config) -> None:
    """Remove the secrets from the environment that `config` was read from: child processes must not inherit them."""
    named = {setting.variable for setting in SETTINGS_BY_NAME.values() if setting.is_secret}
    for variable in named | config.providers.key_variables:
        environment.pop(variable, None)


def _in_file(path: Path) -> Iterator[_Given]:
    for name, value in _parse(path).items():
        setting = SETTINGS_BY_NAME.get(name)
        if setting is None:
            near = get_close_matches(name, SETTINGS_BY_NAME)
            hint = f"did you mean {near[0]}?" if near else f"the settings are {', '.join(SETTINGS_BY_NAME)}."
            raise ConfigError(f"{path} has an unknown setting {name}: {hint}")
        yield _Given(setting, value, f"{name} in {path}")


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}): check its owner and permissions.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not written in UTF-8 (byte {error.start}).") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}.") from error


def _in_environment(environment: Mapping[str, str]) -> Iterator[_Given]:
    known = {setting.variable: setting for setting in SETTINGS_BY_NAME.values()}
    for variable, value in environment.items():
        # Container platforms describe a service named wakeful in variables such as WAKEFUL_PORT=tcp://….
        if not value.strip() or value.startswith("tcp://"):
            continue
        if variable in known:
            yield _Given(known[variable], value, variable)
        elif variable.startswith(VARIABLE_PREFIX) and variable != HOME_VARIABLE:
            _refuse_misspelling(variable, known)


def _refuse_misspelling(variable: str, known: Mapping[str, Setting]) -> None:
    """Raise ConfigError for a variable that is almost a setting. Others with the prefix belong to other programs."""
    names = {name.removeprefix(VARIABLE_PREFIX): name for name in [*known, HOME_VARIABLE]}
    near = get_close_matches(variable.removeprefix(VARIABLE_PREFIX), names, cutoff=0.75)
    if near:
        raise ConfigError(f"The environment has an unknown setting {variable}: did you mean {names[near[0]]}?")


def _in_options(options: Mapping[str, str | None]) -> Iterator[_Given]:
    for name, value in options.items():
        if value is not None:
            yield _Given(SETTINGS_BY_NAME[name], value, f"--{name}")


def _read(given: _Given) -> Any:
    try:
        return given.setting.read(given.value)
    except Unfit as unfit:
        shown = "" if given.setting.is_secret else f", not {_shown(given.value)}"
        raise ConfigError(f"{given.origin} must be {unfit}{shown}.") from None
    except ConfigError as error:
        raise ConfigError(f"{given.origin}: {error}") from None


def _shown(value: object) -> str:
    words = repr(value)
    return words if len(words) <= _SHOWN_LIMIT else f"{words[:_SHOWN_LIMIT]}…"


def _compose(
    home: Path, values: Mapping[str, Any], origins: Mapping[str, str], environment: Mapping[str, str]
) -> Config:
    messaging = messaging_settings(values)
    closed = frozenset(PLATFORMS) - messaging.doors.keys()
    # The tables of this name are only a part of what the field holds.
    own = _fields_of(Config, values) | {"providers": provider_settings(values, environment)}
    return Config(
        home=home,
        engine=EngineSettings(**_fields_of(EngineSettings, values), closed_platforms=closed),
        messaging=messaging,
        agent=AgentSettings(**_fields_of(AgentSettings, values)),
        origins=origins,
        **own,
    )


def _refuse_unknown_owners(config: Config) -> None:
    """Raise ConfigError for a webhook whose owner has no key: it would never be called, without any message."""
    known = {OPERATOR, *config.api_keys}
    for webhook in config.webhooks:
        if webhook.owner not in known:
            raise ConfigError(
                f"{config.origins['webhooks']}: no API key belongs to the owner {_shown(webhook.owner)}; "
                f"the names are {', '.join(sorted(known))}."
            )


def _refuse_closed_targets(config: Config) -> None:
    """Raise ConfigError for a hook that delivers to a platform without a door: its answers would go nowhere."""
    for hook in config.hooks:
        if hook.deliver is not None and hook.deliver.platform not in config.messaging.doors:
            raise ConfigError(
                f"{config.origins['hooks']}: the hook {hook.name} delivers to {hook.deliver.platform}, which is not "
                f"set up; the platforms with a token are {', '.join(config.messaging.doors) or 'none'}."
            )


def _fields_of(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    return {field.name: values[field.name] for field in fields(kind) if field.name in values}
