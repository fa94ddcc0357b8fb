"""Results that are too long for a model: it reads the beginning and the end, and the whole text is kept as a file."""

import asyncio
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from wakeful.tools.base import ToolContext, ToolResult
from wakeful.tools.commands.gate.ground import results_folder
from wakeful.tools.processes.output.output import HEAD_SHARE, MOST_KEPT, cut_note


class KeptResults:
    def __init__(self, home: Path, limit_of: Callable[[str], int]) -> None:
        """`limit_of` returns the most characters of a result that a model should read."""
        self._home = home
        self.limit_of = limit_of

    async def shortened(self, result: ToolResult, context: ToolContext) -> str:
        """Return the text of a result that is longer than the context allows, cut in its middle."""
        return await asyncio.to_thread(self._shortened, result, context)

    async def forget(self, session_id: str) -> None:
        """Remove the texts of a session."""
        await asyncio.to_thread(shutil.rmtree, results_folder(self._home, session_id), ignore_errors=True)

    def _shortened(self, result: ToolResult, context: ToolContext) -> str:
        if not result.is_object:
            return self._cut(result.text, context)
        answer = orjson.loads(result.text)
        longest = max(_texts_in(answer), key=len, default="")
        if len(longest) <= context.result_limit:
            # Only the escapes of JSON make it longer.
            return result.text
        return orjson.dumps(_with(answer, longest, self._cut(longest, context))).decode()

    def _cut(self, text: str, context: ToolContext) -> str:
        head = int(context.result_limit * HEAD_SHARE)
        tail = context.result_limit - head
        path = kept_path(self._home, context)
        if path is not None:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.write_bytes(text.encode(errors="replace")[:MOST_KEPT])
        return f"{text[:head]}\n[… {cut_note(len(text), path)} …]\n{text[-tail:]}"


def kept_path(home: Path, context: ToolContext) -> Path | None:
    """Return where the whole result of a call is kept; None for a turn that is not stored and leaves nothing behind."""
    if context.turn.is_ephemeral:
        return None
    folder = results_folder(home, context.session_id)
    return folder / f"{context.turn.id}.{context.step}.{context.index}.txt"


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(item)


def _with(value: Any, old: str, new: str) -> Any:
    """Return the value with one text in it replaced."""
    if isinstance(value, dict):
        return {name: _with(item, old, new) for name, item in value.items()}
    if isinstance(value, list):
        return [_with(item, old, new) for item in value]
    return new if value == old else value
