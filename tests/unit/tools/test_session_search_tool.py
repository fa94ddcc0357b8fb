"""What `session_search` is asked, and where it finds nothing."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.tools.kit import new_turn, run_tool, tool_context
from wakeful.model.turn import Turn
from wakeful.tools.base import Intent
from wakeful.tools.session_search_tool import SessionSearchTool


class Finder:
    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    async def find(self, turn: Turn, query: str, limit: int) -> Sequence[Any]:
        self.asked.append((query, limit))
        return []


async def test_ten_results_are_asked_for_unless_the_call_wants_another_number(tmp_path: Path) -> None:
    finder = Finder()
    for more in ({}, {"limit": 50}, {"limit": "1"}):
        await run_tool(SessionSearchTool(finder), new_turn(tmp_path), query="x" * 500, **more)

    assert finder.asked == [("x" * 500, 10), ("x" * 500, 50), ("x" * 500, 1)]


async def test_a_turn_that_is_not_stored_finds_nothing_of_anybody(tmp_path: Path) -> None:
    finder = Finder()
    turn = replace(new_turn(tmp_path), is_ephemeral=True)

    answer, result = await run_tool(SessionSearchTool(finder), turn, query="secret")

    assert (answer, result.is_error, finder.asked) == ({"results": []}, False, [])


@pytest.mark.parametrize("arguments", [{}, {"query": " "}, {"query": 7}, {"query": "x" * 501}])
async def test_a_query_is_words(tmp_path: Path, arguments: dict[str, Any]) -> None:
    answer, _ = await run_tool(SessionSearchTool(Finder()), new_turn(tmp_path), **arguments)

    assert answer == {"error": "query must be words to look for, 500 characters at most.", "code": "invalid_arguments"}


@pytest.mark.parametrize("limit", [0, 51, "many"])
async def test_the_number_of_results_has_an_end(tmp_path: Path, limit: Any) -> None:
    answer, _ = await run_tool(SessionSearchTool(Finder()), new_turn(tmp_path), query="a", limit=limit)

    assert answer["error"] == "limit must be a whole number from 1 to 50."


async def test_it_only_reads(tmp_path: Path) -> None:
    tool, context = SessionSearchTool(Finder()), tool_context(tmp_path)

    assert (await tool.intent({}, context), await tool.may_rerun({}, context)) == (Intent(), True)
