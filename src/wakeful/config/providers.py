"""Parses the tables [providers.NAME] of config.toml, and composes all model endpoints from them, the variables of known
ones, and [models].
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from wakeful.agent.providers.endpoint_settings import KNOWN_ENDPOINTS, EndpointSettings, Wire, known_endpoints
from wakeful.agent.providers.registry import ProviderSettings
from wakeful.config import addresses, values
from wakeful.config.values import Unfit
from wakeful.errors import ConfigError

_FIELDS = ("kind", "base_url", "api_key_env", "api_key", "headers")
_NAME = re.compile("[a-z0-9_-]+")
# The name of the built-in model's provider.
_TAKEN = "demo"
_DEFAULT_URLS = {
    Wire.OPENAI: KNOWN_ENDPOINTS["openai"].base_url,
    Wire.RESPONSES: KNOWN_ENDPOINTS["openai"].base_url,
    Wire.ANTHROPIC: KNOWN_ENDPOINTS["anthropic"].base_url,
}


@dataclass(frozen=True, slots=True)
class ProviderTable:
    """One table. Empty fields were not given."""

    kind: str = ""
    base_url: str = field(default="", repr=False)
    api_key_env: str = ""
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


def read_providers(value: object) -> dict[str, ProviderTable]:
    """Raises ConfigError for a wrong value inside a table, with a message that shows no secret."""
    if not isinstance(value, dict) or not all(isinstance(table, dict) for table in value.values()):
        raise Unfit("tables [providers.NAME] in config.toml")
    return {name: _read_table(name, table) for name, table in value.items()}


def _read_table(name: str, table: Mapping[str, object]) -> ProviderTable:
    if name == _TAKEN or not _NAME.fullmatch(name):
        raise ConfigError(f"the provider {name!r} needs another name, of a-z 0-9 _ - and not {_TAKEN}.")
    readers = {
        "kind": values.one_of(*Wire),
        "base_url": addresses.endpoint_url,
        "api_key_env": _variable,
        "api_key": values.secret,
        "headers": header_table,
    }
    for key in table:
        if key not in readers:
            raise values.unknown_field(f"[providers.{name}]", key, _FIELDS)
    if "api_key" in table and "api_key_env" in table:
        raise ConfigError(f"[providers.{name}] has both api_key and api_key_env: give one of them.")
    return ProviderTable(**{key: _read(name, key, readers[key], value) for key, value in table.items()})


def _read(name: str, key: str, read: values.Read, value: object) -> Any:
    try:
        return read(value)
    except Unfit as unfit:
        raise ConfigError(f"{key} in [providers.{name}] must be {unfit}.") from None


def _variable(value: object) -> str:
    if not isinstance(value, str) or not (value.isascii() and value.isidentifier()):
        raise Unfit("the name of an environment variable, as in MY_KEY")
    return value


def header_table(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(_is_header(name, text) for name, text in value.items()):
        raise Unfit('a table of names and texts of visible ASCII characters, as in {x-team = "blue"}')
    return value


def _is_header(name: str, text: object) -> bool:
    letters = name.replace("-", "").replace("_", "")
    return letters.isascii() and letters.isalnum() and isinstance(text, str) and text.isascii() and text.isprintable()


def provider_settings(given: Mapping[str, Any], environment: Mapping[str, str]) -> ProviderSettings:
    """`given` are the values of all settings; `environment` has the keys that tables name."""
    tables: Mapping[str, ProviderTable] = given.get("providers", {})
    endpoints = {name: _with_variables(endpoint, given) for name, endpoint in known_endpoints().items()}
    for name, table in tables.items():
        endpoints[name] = _with_table(name, endpoints.get(name), table, environment)
    idle = {"idle_timeout": given["model_idle_seconds"]} if "model_idle_seconds" in given else {}
    options = _options_by_provider(given)
    return ProviderSettings(
        {name: replace(one, options=options.get(name, {}), **idle) for name, one in endpoints.items()},
        key_variables=frozenset(table.api_key_env for table in tables.values()) - {""},
    )


def _with_variables(endpoint: EndpointSettings, given: Mapping[str, Any]) -> EndpointSettings:
    """Add the key and the address that a known endpoint's variables hold."""
    known = KNOWN_ENDPOINTS[endpoint.name]
    key, url = given.get(known.key_variable.lower(), ""), given.get(known.url_variable.lower(), "")
    if url:
        # Another address may need no key.
        endpoint = replace(endpoint, base_url=url, needs_key=False)
    return replace(endpoint, api_key=key, is_configured=bool(key or url))


def _with_table(
    name: str, known: EndpointSettings | None, table: ProviderTable, environment: Mapping[str, str]
) -> EndpointSettings:
    """Compose an endpoint of its table. One of a known name keeps what the table does not say, but no key goes to
    another address than its own.
    """
    wire = Wire(table.kind) if table.kind else known.wire if known else Wire.OPENAI
    if known is None or table.base_url:
        known = EndpointSettings(
            table.base_url or _DEFAULT_URLS[wire],
            name=name,
            key_setting=f"api_key_env in [providers.{name}]",
            url_setting=f"base_url in [providers.{name}]",
        )
    endpoint = replace(known, wire=wire, headers=table.headers, is_configured=True)
    if table.api_key:
        return replace(endpoint, api_key=table.api_key, key_setting=f"api_key in [providers.{name}]")
    if table.api_key_env:
        key = environment.get(table.api_key_env, "").strip()
        return replace(endpoint, api_key=key, key_setting=table.api_key_env, needs_key=True)
    return endpoint


def _options_by_provider(given: Mapping[str, Any]) -> dict[str, dict[str, Mapping[str, Any]]]:
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for full_name, table in given.get("models", {}).items():
        provider, _, model = full_name.partition(":")
        found.setdefault(provider.strip(), {})[model.strip()] = table.options
    return found
