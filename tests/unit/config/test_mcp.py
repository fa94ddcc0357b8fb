"""The tables of MCP servers."""

from pathlib import Path

import pytest

from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import ConfigError
from wakeful.model.tools.mcp import McpTransport

_SECRET = "hunter2hunter2"


def load(home: Path, toml: str) -> Config:
    (home / "config.toml").write_text(toml, encoding="utf-8")
    return load_config({"WAKEFUL_HOME": str(home)})


def test_without_tables_there_are_no_servers(tmp_path: Path) -> None:
    config = load(tmp_path, "")

    assert (config.mcp, config.mcp_wait_seconds) == ((), 3.0)


def test_a_command_with_all_fields(tmp_path: Path) -> None:
    toml = f"""
    mcp_wait_seconds = 0.5
    [mcp.my-images_2]
    command = "uvx"
    args = ["server", "--fast"]
    env = {{API_TOKEN = "{_SECRET}", LEVEL = "3"}}
    cwd = "{tmp_path}"
    trust = true
    enabled = false
    start_seconds = 5
    call_seconds = 7.5
    tools = ["scale"]
    """
    config = load(tmp_path, toml)

    (server,) = config.mcp
    assert (server.name, server.command, server.args) == ("my-images_2", "uvx", ("server", "--fast"))
    assert (server.cwd, server.trust, server.enabled) == (str(tmp_path), True, False)
    assert (server.start_seconds, server.call_seconds, server.tools) == (5.0, 7.5, frozenset({"scale"}))
    assert server.transport is McpTransport.STDIO
    assert config.mcp_wait_seconds == 0.5


def test_secrets_of_servers_are_known_and_never_shown(tmp_path: Path) -> None:
    toml = f"""
    [mcp.one]
    command = "uvx"
    env = {{API_TOKEN = "env-{_SECRET}", LEVEL = "harmless-value"}}
    [mcp.two]
    url = "https://example.org/mcp?api_key=url-{_SECRET}"
    headers = {{authorization = "Bearer {_SECRET}", x-team = "harmless-value"}}
    """
    config = load(tmp_path, toml)

    assert {f"env-{_SECRET}", f"url-{_SECRET}", _SECRET} <= config.secrets
    assert "harmless-value" not in config.secrets
    assert _SECRET not in repr(config)
    assert config.mcp[1].transport is McpTransport.HTTP


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ("mcp = 5", "must be tables [mcp.NAME] in config.toml"),
        ('[mcp.a__b]\ncommand = "x"', "the MCP server 'a__b' needs another name, of at most 32 characters a-z 0-9 _ -"),
        ('[mcp.Upper]\ncommand = "x"', "the MCP server 'Upper' needs another name"),
        (f'[mcp.{"x" * 33}]\ncommand = "x"', "needs another name"),
        ("[mcp.a]", "[mcp.a] needs either a command, which is started here, or the url of a server."),
        ('[mcp.a]\ncommand = "x"\nurl = "https://x"', "[mcp.a] needs either a command"),
        ('[mcp.a]\nurl = "https://x"\nargs = []', "[mcp.a] has a url, so args means nothing there: remove it."),
        ('[mcp.a]\ncommand = "x"\nheaders = {}', "[mcp.a] has a command, so headers means nothing there: remove it."),
        ('[mcp.a]\ncommand = "x"\ncomand = 1', "[mcp.a] has an unknown field comand: the fields are command, args,"),
        ('[mcp.a]\ncommand = ""', "command in [mcp.a] must be a text."),
        ('[mcp.a]\ncommand = "x"\nargs = "one"', "args in [mcp.a] must be a list of texts"),
        ('[mcp.a]\ncommand = "x"\nenv = {A = 1}', "env in [mcp.a] must be a table of names and texts"),
        ('[mcp.a]\ncommand = "x"\ncwd = "/no/such"', "cwd in [mcp.a] must be the absolute path of a folder"),
        ('[mcp.a]\nurl = "ftp://x"', "url in [mcp.a] must be an address such as https://example.org/mcp"),
        (f'[mcp.a]\nurl = "https://me:{_SECRET}@x"', "without a password (use headers)"),
        ('[mcp.a]\ncommand = "x"\ntrust = "maybe"', "trust in [mcp.a] must be true or false."),
        ('[mcp.a]\ncommand = "x"\ncall_seconds = 0', "call_seconds in [mcp.a] must be"),
        ('[mcp.a]\ncommand = "x"\ntools = ["a", 1]', "tools in [mcp.a] must be a list of texts"),
        ('[mcp.a]\ncommand = "x"\nargs = ["a\\u0000"]', "args in [mcp.a] must be a list of texts"),
        ('[mcp.a]\ncommand = "x"\nenv = "A"', "env in [mcp.a] must be a table of names and texts"),
        ('[mcp.a]\ncommand = "x"\nenv = {A = "x", "" = "x"}', "env in [mcp.a] must be a table of names and texts"),
        ('[mcp.a]\ncommand = "x"\nenv = {"A=B" = "x"}', "env in [mcp.a] must be a table of names and texts"),
        ('[mcp.a]\ncommand = "x"\nenv = {"A\\u0000" = "x"}', "env in [mcp.a] must be a table of names and texts"),
        ('[mcp.a]\nurl = "https://"', "url in [mcp.a] must be an address"),
        ('[mcp.a]\nurl = "https://x#y"', "url in [mcp.a] must be an address"),
        ('[mcp.a]\nurl = "https://["', "url in [mcp.a] must be an address"),
        ("[mcp.a]\nurl = 5", "url in [mcp.a] must be an address"),
        ('[mcp]\na = 1\n[mcp.b]\ncommand = "x"', "must be tables [mcp.NAME] in config.toml"),
    ],
)
def test_a_wrong_table_is_one_sentence_without_secrets(tmp_path: Path, toml: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, toml)

    assert sentence in str(caught.value)
    assert _SECRET not in str(caught.value)
