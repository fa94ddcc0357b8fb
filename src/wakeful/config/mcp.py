"""Parses the tables [mcp.NAME] of config.toml."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from wakeful.config import values
from wakeful.config.providers import header_table
from wakeful.config.values import Unfit
from wakeful.errors import ConfigError
from wakeful.tools.mcp.settings import McpServerSettings

_NAME = re.compile(r"(?!.*__)[a-z0-9_-]{1,32}")
_OF_STDIO = ("command", "args", "env", "cwd")
_OF_HTTP = ("url", "headers")


def read_mcp_servers(value: object) -> tuple[McpServerSettings, ...]:
    """Raises ConfigError for a wrong value inside a table, with a message that shows no secret."""
    if not isinstance(value, dict) or not all(isinstance(table, dict) for table in value.values()):
        raise Unfit("tables [mcp.NAME] in config.toml")
    return tuple(_read_table(name, table) for name, table in value.items())


def _read_table(name: str, table: Mapping[str, object]) -> McpServerSettings:
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"the MCP server {name!r} needs another name, of at most 32 characters a-z 0-9 _ - and without __."
        )
    for key in table:
        if key not in _READERS:
            raise ConfigError(f"[mcp.{name}] has an unknown field {key}: the fields are {', '.join(_READERS)}.")
    if ("command" in table) == ("url" in table):
        raise ConfigError(f"[mcp.{name}] needs either a command, which is started here, or the url of a server.")
    kind, others = ("command", _OF_HTTP) if "command" in table else ("url", _OF_STDIO)
    for key in others:
        if key in table:
            raise ConfigError(f"[mcp.{name}] has a {kind}, so {key} means nothing there: remove it.")
    return McpServerSettings(name, **{key: _read(name, key, given) for key, given in table.items()})


def _read(name: str, key: str, given: object) -> Any:
    try:
        return _READERS[key](given)
    except Unfit as unfit:
        raise ConfigError(f"{key} in [mcp.{name}] must be {unfit}.") from None


def _url(given: object) -> str:
    try:
        address = values.text(given)
        parts = urlsplit(address)
        if parts.scheme in ("http", "https") and parts.hostname and parts.username is None and not parts.fragment:
            return address
    except (Unfit, ValueError):
        pass
    raise Unfit("an address such as https://example.org/mcp, without a password (use headers)")


def _texts(given: object) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(_is_argument(one) for one in given):
        raise Unfit('a list of texts, as in ["--verbose", "server"]')
    return tuple(given)


def _tool_names(given: object) -> frozenset[str]:
    return frozenset(_texts(given))


def _variables(given: object) -> dict[str, str]:
    if not isinstance(given, dict) or not all(_is_variable(name, text) for name, text in given.items()):
        raise Unfit('a table of names and texts, as in {API_TOKEN = "…"}')
    return given


def _is_variable(name: str, text: object) -> bool:
    return bool(name) and "=" not in name and _is_argument(name) and _is_argument(text)


def _is_argument(text: object) -> bool:
    # No program can be given a text with a zero byte.
    return isinstance(text, str) and "\0" not in text


_READERS: dict[str, values.Read] = {
    "command": values.text,
    "args": _texts,
    "env": _variables,
    "cwd": lambda given: str(values.folder(given)),
    "url": _url,
    "headers": header_table,
    "trust": values.yes_or_no,
    "enabled": values.yes_or_no,
    "start_seconds": values.seconds(0.1, 3600),
    "call_seconds": values.seconds(0.1, 86_400),
    "tools": _tool_names,
}
