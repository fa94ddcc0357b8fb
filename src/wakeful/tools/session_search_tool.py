"""`session_search`: finds messages of earlier conversations."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from wakeful.model.tasks.task_data import time_text
from wakeful.tools.base import OnlyReads, ToolContext, ToolResult, ToolSpec
from wakeful.tools.ports import SessionFinder

_USUAL_LIMIT, _MOST = 10, 50
_LONGEST_QUERY = 500


class SessionSearchTool(OnlyReads):
    spec = ToolSpec(
        name="session_search",
        description=(
            "Search the user's conversations with you, this one included, also what a summary has replaced. A result "
            "is the newest message of a session that has all words of the query, or its title. Search with other words "
            "if nothing is found; tell the user the title and the date of what you rely on."
        ),
        parameters={
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Words that all occur in one message."},
                "limit": {"type": "integer", "minimum": 1, "maximum": _MOST, "description": "The most results: 10."},
            },
            "required": ["query"],
        },
    )

    def __init__(self, finder: SessionFinder) -> None:
        self._finder = finder

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        query, limit = arguments.get("query"), arguments.get("limit", _USUAL_LIMIT)
        if not isinstance(query, str) or not query.strip() or len(query) > _LONGEST_QUERY:
            sentence = f"query must be words to look for, {_LONGEST_QUERY} characters at most."
            return ToolResult.failed("invalid_arguments", sentence)
        if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= _MOST:
            return ToolResult.failed("invalid_arguments", f"limit must be a whole number from 1 to {_MOST}.")
        if context.turn.is_ephemeral:
            # Whose sessions these would be is written in no row.
            return ToolResult.of({"results": []})
        found = await self._finder.find(context.turn, query, limit)
        results = [asdict(message) | {"created_at": time_text(message.created_at)} for message in found]
        return ToolResult.of({"results": results})
