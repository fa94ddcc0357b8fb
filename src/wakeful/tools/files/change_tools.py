"""The tools that write and edit files of the workspace. What they change can be taken back."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wakeful.model.system_prompt import MEMORY_LIMIT
from wakeful.tools.base import Intent, ToolContext, ToolResult, ToolSpec, Unusable
from wakeful.tools.files.drafts import FileDraft, draft_of_edit, draft_of_write
from wakeful.tools.files.edit_reasons import edit_reasons
from wakeful.tools.files.file_changer import FileChanger
from wakeful.tools.files.results import file_failure
from wakeful.tools.files.workspace import Folders, is_memory, path_to_write, shown

_PATH = {"type": "string", "description": "Path of the file, relative to the workspace."}


class _ChangingTool:
    spec: ToolSpec
    # Whether the model reads the diff: what it did not write itself it may not know.
    is_edit: bool

    def __init__(self, changer: FileChanger, folders: Folders) -> None:
        self._changer = changer
        self._folders = folders

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent | ToolResult:
        """Return the call's earlier result instead, if it has written the file before a crash cut it off."""
        try:
            path = await self._path(arguments, context)
            async with self._changer.lock_of(path):
                earlier = await self._changer.earlier_result(path, context, is_edit=self.is_edit)
            if earlier is not None:
                return earlier
            return await asyncio.to_thread(self._intent, path, arguments, context)
        except (Unusable, OSError) as error:
            return file_failure(error, arguments)

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        """A second run of the same call finds out how far the first one came."""
        return True

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        try:
            path = await self._path(arguments, context)
            # Drafted anew under the lock: the file may have changed while a person was asked.
            async with self._changer.lock_of(path):
                draft = await asyncio.to_thread(self._fitting_draft, path, arguments, context)
                return await self._changer.change(draft, context)
        except (Unusable, OSError) as error:
            return file_failure(error, arguments)

    def _draft(self, path: Path, arguments: Mapping[str, Any], context: ToolContext) -> FileDraft:
        """Return what the call would write. Raises Unusable."""
        raise NotImplementedError

    def _fitting_draft(self, path: Path, arguments: Mapping[str, Any], context: ToolContext) -> FileDraft:
        """Return the draft, unless it makes the memory longer than prompts show of it. Raises Unusable."""
        draft = self._draft(path, arguments, context)
        if is_memory(path, context) and len(draft.after) > MEMORY_LIMIT:
            sentence = f"The memory may have {MEMORY_LIMIT:,} bytes, and this has {len(draft.after):,}: shorten it"
            raise Unusable(sentence, "too_large")
        return draft

    async def _path(self, arguments: Mapping[str, Any], context: ToolContext) -> Path:
        return await asyncio.to_thread(path_to_write, arguments, context, self._folders)

    def _intent(self, path: Path, arguments: Mapping[str, Any], context: ToolContext) -> Intent:
        draft = self._fitting_draft(path, arguments, context)
        reasons = edit_reasons(path, arguments["path"], context, self._folders.home)
        return Intent(draft.name, reasons, lambda: draft.comparison().diff)


class WriteFile(_ChangingTool):
    is_edit = False
    spec = ToolSpec(
        name="write_file",
        description="Write a whole text file of the workspace; an existing file is replaced. To change a part of a "
        "file, use edit_file.",
        parameters={
            "type": "object",
            "properties": {
                "path": _PATH,
                "content": {"type": "string", "description": "The new content of the file."},
            },
            "required": ["path", "content"],
        },
    )

    def _draft(self, path: Path, arguments: Mapping[str, Any], context: ToolContext) -> FileDraft:
        return draft_of_write(path, shown(path, context.workspace), _text(arguments, "content"))


class EditFile(_ChangingTool):
    is_edit = True
    spec = ToolSpec(
        name="edit_file",
        description="Replace a text in a file of the workspace. old_text must be exactly what the file has, with all "
        "spaces, and occur once: give enough lines around the change.",
        parameters={
            "type": "object",
            "properties": {
                "path": _PATH,
                "old_text": {"type": "string", "description": "The text to replace."},
                "new_text": {"type": "string", "description": "The text to put in its place; it may be empty."},
                "replace_all": {"type": "boolean", "description": "Replace every occurrence, however many there are."},
            },
            "required": ["path", "old_text", "new_text"],
        },
    )

    def _draft(self, path: Path, arguments: Mapping[str, Any], context: ToolContext) -> FileDraft:
        # Models that learnt with another tool use its names.
        old = _text(arguments, "old_text", "old_string")
        new = _text(arguments, "new_text", "new_string")
        everywhere = arguments.get("replace_all", False)
        if not isinstance(everywhere, bool):
            raise Unusable("replace_all must be true or false")
        return draft_of_edit(path, shown(path, context.workspace), old, new, everywhere=everywhere)


def _text(arguments: Mapping[str, Any], name: str, other_name: str = "") -> str:
    value = arguments.get(name, arguments.get(other_name))
    if not isinstance(value, str):
        raise Unusable(f"{name} must be a string")
    return value
