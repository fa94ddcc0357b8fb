"""`show_file`: shows a file to the user, on the page and in the terminal, or posts it into the chat of the turn."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wakeful.errors import AttachmentTooLarge
from wakeful.model.turn import Turn
from wakeful.tools.base import Intent, ToolContext, ToolResult, ToolSpec, Unusable
from wakeful.tools.files.results import file_failure
from wakeful.tools.files.workspace import Folders, path_to_read, shown
from wakeful.tools.ports import FileKeeper, FilePoster

_MEGABYTE = 1_000_000


class ShowFileTool:
    spec = ToolSpec(
        name="show_file",
        description="Show a file to the user: a picture is displayed, any other file is offered for download.",
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Path of the file, relative to the workspace."},
                "caption": {"type": "string", "description": "Words that go with it."},
            },
            "required": ["path"],
        },
        other_names=("send_file",),
    )

    def __init__(
        self, poster: FilePoster, keeper: FileKeeper, can_show: Callable[[Turn], bool], folders: Folders
    ) -> None:
        """`can_show` returns whether a person can look at the session of a turn."""
        self._poster = poster
        self._keeper = keeper
        self._can_show = can_show
        self._folders = folders

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent | ToolResult:
        # The file goes only to the user, who may read all of the workspace.
        return Intent()

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        """A second run of the same call finds the first one's post and copy."""
        return True

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        limit = self._poster.most_bytes(context.turn)
        if limit is None and not self._can_show(context.turn):
            return ToolResult.failed(
                "unsupported",
                f"Nothing can show a file here, this is {context.turn.door.name}: name the path to the user instead.",
            )
        try:
            path = await asyncio.to_thread(_file, arguments, context, self._folders, limit or self._keeper.most_bytes)
            # A chat may take a larger file than the page gets a copy of.
            is_kept = limit is None or path.stat().st_size <= self._keeper.most_bytes
            kept = [await self._keeper.keep_file(_id(context), path, context.session_id)] if is_kept else []
        except (Unusable, OSError) as error:
            return file_failure(error, arguments)
        except AttachmentTooLarge as error:
            # It has grown since.
            return ToolResult.failed("too_large", str(error))
        if limit is not None:
            await self._poster.post_file(context.turn, context.step, context.index, path, _caption(arguments))
        name = shown(path, context.workspace)
        answer = {"sent" if limit is not None else "shown": name}
        return ToolResult.of(answer, shows=tuple(kept))


def _file(arguments: Mapping[str, Any], context: ToolContext, folders: Folders, limit: int) -> Path:
    path = path_to_read(arguments, context, folders)
    size = path.stat().st_size
    name = shown(path, context.workspace)
    if not path.is_file():
        raise Unusable(f"{name} is not a file", "not_a_file")
    if size > limit:
        raise Unusable(
            f"{name} is too large to be shown here: it has {size / _MEGABYTE:.1f} MB, "
            f"and the limit is {limit / _MEGABYTE:.0f} MB",
            "too_large",
        )
    return path


def _caption(arguments: Mapping[str, Any]) -> str:
    caption = arguments.get("caption")
    return caption if isinstance(caption, str) else ""


def _id(context: ToolContext) -> str:
    return f"att_{context.turn.id}_{context.step}_{context.index}_shown"
