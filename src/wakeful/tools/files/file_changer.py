"""Writes drafts, so that each can be taken back and a crash at any instant leaves the file whole.

What stands in the file is copied, and the change recorded, before the file is replaced. A call that a crash cut off
finds its record: the file itself then tells whether it was written.
"""

import asyncio
import time
from functools import partial
from pathlib import Path

from wakeful.model.journal.change import Change, ChangeKind, KeptChange
from wakeful.model.journal.transcript import INTERRUPTED
from wakeful.opened_files import open_file
from wakeful.tools.base import ToolContext, ToolResult, Unusable
from wakeful.tools.files.copies import FileCopies
from wakeful.tools.files.diff import Comparison, compare
from wakeful.tools.files.drafts import FileDraft, answer_text, too_large_note
from wakeful.tools.files.replacing import ABSENT, mark_of, mark_of_content, replace_file
from wakeful.tools.ports import ChangeLedger
from wakeful.under_way import in_thread_to_its_end


class FileChanger:
    def __init__(self, ledger: ChangeLedger, copies: FileCopies) -> None:
        self._ledger = ledger
        self._copies = copies

    def lock_of(self, path: Path) -> asyncio.Lock:
        """Return the lock to hold from reading a file until it is written."""
        return self._copies.lock_of(str(path))

    async def earlier_result(self, path: Path, context: ToolContext, *, is_edit: bool) -> ToolResult | None:
        """Return the result of the same call if it has written the file before a crash cut it off; None if it has not.
        If the file is in another state, the result says that this is unknown.
        """
        made = await self._ledger.find(context.turn, context.step, context.index)
        if made is None:
            return None
        standing = await asyncio.to_thread(mark_of, path)
        if made.path == str(path) and standing == made.after:
            return await asyncio.to_thread(self._result_of, made, path, is_edit=is_edit)
        if made.path == str(path) and standing == made.before:
            return None
        return ToolResult(INTERRUPTED, is_error=True, is_object=True)

    async def change(self, draft: FileDraft, context: ToolContext) -> ToolResult:
        """Write the file. The caller holds its lock. Raises Unusable and OSError."""
        comparison = await asyncio.to_thread(draft.comparison)
        text = answer_text(draft.name, draft.kind, comparison, len(draft.after), is_edit=draft.is_edit)
        if draft.before == draft.after:
            return ToolResult(text)
        await asyncio.to_thread(_make_folder, draft)
        is_stored = not context.turn.is_ephemeral
        if is_stored:
            await self._write_recorded(draft, _record_of(draft, comparison, context), context)
        else:
            await in_thread_to_its_end(partial(replace_file, draft.path, draft.after))
        is_undoable = draft.is_undoable and is_stored
        change = Change(draft.name, draft.kind, comparison.added, comparison.removed, comparison.diff, is_undoable)
        return ToolResult(text, changes=(change,))

    async def _write_recorded(self, draft: FileDraft, made: KeptChange, context: ToolContext) -> None:
        if draft.before is not None and made.undoable:
            await asyncio.to_thread(self._copies.keep, made, draft.before)
        await self._ledger.begin(context.turn, made)
        try:
            await in_thread_to_its_end(partial(replace_file, draft.path, draft.after))
        except OSError:
            await self._ledger.give_up(made)
            await self._copies.drop(made)
            raise

    def _result_of(self, made: KeptChange, path: Path, *, is_edit: bool) -> ToolResult:
        before, after = self._copies.content_before(made), _content(path)
        kind = ChangeKind.CREATED if made.before == ABSENT else ChangeKind.CHANGED
        if before is None and kind is ChangeKind.CHANGED:
            comparison = Comparison(too_large_note(made.shown), made.added, made.removed)
        else:
            comparison = compare(before, after, made.shown)
        text = answer_text(made.shown, kind, comparison, len(after), is_edit=is_edit)
        change = Change(made.shown, kind, made.added, made.removed, comparison.diff, made.undoable)
        return ToolResult(text, changes=(change,))


def _record_of(draft: FileDraft, comparison: Comparison, context: ToolContext) -> KeptChange:
    return KeptChange(
        context.session_id,
        context.turn.id,
        context.step,
        context.index,
        context.call_id,
        path=str(draft.path),
        shown=draft.name,
        before=draft.before_mark,
        after=mark_of_content(draft.after),
        undoable=draft.is_undoable,
        added=comparison.added,
        removed=comparison.removed,
        written_at=time.time(),
    )


def _content(path: Path) -> bytes:
    with open_file(path) as file:
        return file.read()


def _make_folder(draft: FileDraft) -> None:
    try:
        draft.path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise Unusable(f"{Path(draft.name).parent} is not a folder", "not_a_folder") from error
