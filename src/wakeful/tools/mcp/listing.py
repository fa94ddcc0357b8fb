"""The tools that an MCP server lists, read with care: one bad tool must not cost the others, nor a turn."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wakeful.tools.mcp.schema import usable_schema

# The tools of all servers together: OpenAI refuses a request with more than 128, and there are our own and a client's.
# Longer descriptions fill the context of a model before the conversation begins.
MOST_TOOLS = 100
_LONGEST_NAME = 256
_LONGEST_DESCRIPTION = 8_000

# Models are offered PREFIX, the server, __ and the tool.
PREFIX = "mcp__"
_LONGEST_OFFERED = 64
_DIGITS = 6
_OTHER = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class ListedTool:
    # Its name at the server.
    tool: str
    description: str
    # See usable_schema.
    parameters: Mapping[str, Any]
    # What the server says: its calls change nothing, or a second one changes nothing more.
    read_only: bool = False
    idempotent: bool = False


@dataclass(frozen=True, slots=True)
class ToolListing:
    tools: tuple[ListedTool, ...]
    # How many entries of the server's list are not among them.
    left_out: int = 0

    def first(self, count: int) -> "ToolListing":
        return ToolListing(self.tools[:count], self.left_out + len(self.tools[count:]))


def read_listing(entries: Sequence[Any], wanted: frozenset[str] | None) -> ToolListing:
    """Keep the usable tools among `entries`. `wanted` are the names that the settings allow, None for all."""
    found: dict[str, ListedTool] = {}
    unusable = 0
    for entry in entries:
        name = entry.get("name") if isinstance(entry, Mapping) else None
        if wanted is not None and name not in wanted:
            continue
        tool = _tool_in(entry)
        if tool is None or len(found) == MOST_TOOLS:
            unusable += 1
        else:
            found.setdefault(tool.tool, tool)
    return ToolListing(tuple(found.values()), unusable)


def _tool_in(entry: Any) -> ListedTool | None:
    """Return None if no model could be offered it."""
    name = entry.get("name") if isinstance(entry, Mapping) else None
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME:
        return None
    parameters = usable_schema(entry.get("inputSchema"))
    if parameters is None:
        return None
    description = entry.get("description")
    hints = entry.get("annotations")
    return ListedTool(
        name,
        description[:_LONGEST_DESCRIPTION] if isinstance(description, str) else "",
        parameters,
        read_only=isinstance(hints, Mapping) and hints.get("readOnlyHint") is True,
        idempotent=isinstance(hints, Mapping) and hints.get("idempotentHint") is True,
    )


def fair_shares(counts: Mapping[str, int]) -> dict[str, int]:
    """Return how many of its tools each server may offer: small ones all, and large ones the same number."""
    shares, left = {}, MOST_TOOLS
    for number, (name, count) in enumerate(sorted(counts.items(), key=lambda item: item[1])):
        shares[name] = min(count, left // (len(counts) - number))
        left -= shares[name]
    return shares


def offered_names(tools: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the name under which models are offered each (server, tool). It does not depend on their order."""
    pairs = list(tools)
    plain = {pair: f"{PREFIX}{pair[0]}__{_OTHER.sub('_', pair[1])}" for pair in pairs}
    counts = Counter(plain.values())
    return {
        pair: name if counts[name] == 1 and len(name) <= _LONGEST_OFFERED else _marked(name, pair)
        for pair, name in plain.items()
    }


def _marked(name: str, pair: tuple[str, str]) -> str:
    digits = hashlib.sha256("/".join(pair).encode(errors="replace")).hexdigest()[:_DIGITS]
    return f"{name[: _LONGEST_OFFERED - _DIGITS - 1]}_{digits}"
