"""`send_file`: posts a file of the workspace into the chat that the turn belongs to."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wakeful.tools.base import Intent, ToolContext, ToolResult, ToolSpec, Unusable
from wakeful.tools.files.results import file_failure
from wakeful.tools.files.workspace import Folders, path_in_workspace, shown
from wakeful.tools.ports import FilePoster

_MEGABYTE = 1_000_000


class SendFileTool:
    spec = ToolSpec(
        name="send_file",
        description="Send a file of the workspace to the user, into the chat of this conversation.",
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Path of the file, relative to the workspace."},
                "caption": {"type": "string", "description": "Words that go with it."},
            },
            "required": ["path"],
        },
    )

    def __init__(self, poster: FilePoster, folders: Folders) -> None:
        self._poster = poster
        self._folders = folders

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent | ToolResult:
        # The file goes only to the user, who may read all of the workspace.
        return Intent()

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        """A second run of the same call finds the first one's post."""
        return True

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        limit = self._poster.most_bytes(context.turn)
        if limit is None:
            return ToolResult.failed(
                "unsupported",
                f"Files can be sent on Telegram, Discord and Slack only, and this is {context.turn.door.name}: "
                "name the path to the user instead.",
            )
        try:
            path = await asyncio.to_thread(_file, arguments, context.workspace, self._folders, limit)
        except (Unusable, OSError) as error:
            return file_failure(error, arguments)
        caption = arguments.get("caption")
        words = caption if isinstance(caption, str) else ""
        await self._poster.post_file(context.turn, context.step, context.index, path, words)
        return ToolResult.of({"sent": shown(path, context.workspace)})


def _file(arguments: Mapping[str, Any], workspace: Path, folders: Folders, limit: int) -> Path:
    path = path_in_workspace(arguments, workspace, folders)
    size = path.stat().st_size
    if not path.is_file():
        raise Unusable(f"{shown(path, workspace)} is not a file", "not_a_file")
    if size > limit:
        raise Unusable(
            f"{shown(path, workspace)} is too large to be sent here: it has {size / _MEGABYTE:.1f} MB, "
            f"and the limit is {limit / _MEGABYTE:.0f} MB",
            "too_large",
        )
    return path
