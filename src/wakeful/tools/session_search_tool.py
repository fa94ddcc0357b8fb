"""`session_search`: finds messages of earlier conversations."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from wakeful.model.tasks.task_data import time_text
from wakeful.tools.arguments import whole_number_in
from wakeful.tools.base import OnlyReads, ToolContext, ToolResult, ToolSpec, Unusable
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
        try:
            query, limit = _query_in(arguments), whole_number_in(arguments, "limit", most=_MOST) or _USUAL_LIMIT
        except Unusable as error:
            return ToolResult.failed(error.code, f"{error}.")
        if context.turn.is_ephemeral:
            # Whose sessions these would be is written in no row.
            return ToolResult.of({"results": []})
        found = await self._finder.find(context.turn, query, limit)
        results = [asdict(message) | {"created_at": time_text(message.created_at)} for message in found]
        return ToolResult.of({"results": results})


def _query_in(arguments: Mapping[str, Any]) -> str:
    query = arguments.get("query")
    if not isinstance(query, str) or not query.strip() or len(query) > _LONGEST_QUERY:
        raise Unusable(f"query must be words to look for, {_LONGEST_QUERY} characters at most")
    return query
