"""How MCP servers look in a list."""

from typing import Any

import pytest

from wakeful.cli.lists.mcp_list import mcp_lines

READING, WRITING = {"read_only": True}, {"read_only": False}


def server(**more: Any) -> dict[str, Any]:
    return {"name": "made", "state": "ready", "tools": [], "error": "", "restarts": 0} | more


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({}, "made  ready  0 tools"),
        ({"tools": [WRITING]}, "made  ready  1 tool"),
        ({"tools": [READING, WRITING]}, "made  ready  2 tools, 1 only read"),
        ({"state": "idle"}, "made  idle"),
        ({"state": "idle", "tools": [READING]}, "made  idle  1 tool, 1 only read"),
        ({"state": "failed", "error": "It\nended.", "restarts": 3}, "made  failed    It ended. · restarted 3 times"),
        ({"state": "ready", "tools": [WRITING], "restarts": 1}, "made  ready  1 tool  restarted once"),
    ],
)
def test_a_server_says_what_it_offers_and_what_is_wrong(more: dict[str, Any], line: str) -> None:
    assert mcp_lines([server(**more)]) == [line]
