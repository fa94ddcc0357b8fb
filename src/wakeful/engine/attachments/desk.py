"""Takes in files, gives them out, and drops them with their sessions.

The bytes lie in the home of the node that took them in. Where several nodes share the store they are also in the
database, in pieces, and each node fetches what it needs.
"""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any

from wakeful.engine.attachments.files import AttachmentFiles
from wakeful.errors import AttachmentTooLarge, AttachmentUnusable
from wakeful.model.files.attachment import Attachment, safe_name
from wakeful.model.files.file_type import TYPE_BYTES, type_of
from wakeful.model.ids import new_id
from wakeful.model.session import Session
from wakeful.opened_files import open_file
from wakeful.store.base import Store, Transaction

_PIECE = 1024 * 1024
_MOST_IN_MESSAGE = 10
# Uploads that were not sent are kept for a day: a draft waits for its reader to come back.
_UNSENT_SECONDS = 24 * 3600.0
_ROWS = 500


class AttachmentDesk:
    def __init__(self, store: Store, home: Path, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self._store = store
        self._files = AttachmentFiles(home)

    async def receive(self, name: str, pieces: AsyncIterable[bytes], owner: str, session_id: str = "") -> Attachment:
        """Take in an upload. Raises AttachmentTooLarge."""
        return await self._take(new_id("att"), name, pieces, owner, session_id, is_used=False)

    async def keep(self, attachment_id: str, name: str, data: bytes, session_id: str) -> Attachment:
        """Keep what a tool shows. A call that runs again after a crash finds what it has kept."""

        async def pieces() -> AsyncIterator[bytes]:
            yield data

        return await self._keep(attachment_id, name, pieces(), session_id)

    async def keep_file(self, attachment_id: str, path: Path, session_id: str) -> Attachment:
        """Keep a copy of a file as it is now. The path has no links. Raises AttachmentTooLarge, OSError."""
        return await self._keep(attachment_id, path.name, _read(partial(open_file, path)), session_id)

    async def offer(self, attachment_id: str, path: Path, owner: str) -> Attachment:
        """Keep a copy of a file for a message that is about to be sent, unless that was done before."""
        known = await self.find(attachment_id)
        return known or await self._take(
            attachment_id, path.name, _read(partial(path.open, "rb")), owner, "", is_used=False
        )

    async def bind(self, ids: Sequence[str], session_id: str) -> None:
        """Note that a message of this session has them."""
        if ids:
            await self._store.write(lambda tx: tx.attachments.use(ids, session_id))

    async def claim(self, ids: Sequence[str], session: Session, principal: str) -> tuple[Attachment, ...]:
        """Return the attachments of a message that is about to be sent, and keep them from being dropped. Raises
        AttachmentUnusable, also for those of other people.
        """
        if len(ids) > _MOST_IN_MESSAGE:
            raise AttachmentUnusable(f"A message may have {_MOST_IN_MESSAGE} attachments, and this one has {len(ids)}.")

        async def body(tx: Transaction) -> tuple[Attachment, ...]:
            found = await tx.attachments.find(ids)
            if {known.id for known in found if known.owner in (session.owner, principal)} != set(ids):
                raise AttachmentUnusable
            await tx.attachments.use(ids, session.id)
            return tuple(found)

        return await self._store.write(body) if ids else ()

    async def find(self, attachment_id: str) -> Attachment | None:
        async def body(tx: Transaction) -> Attachment | None:
            return next(iter(await tx.attachments.find([attachment_id])), None)

        return await self._store.read(body)

    async def file_of(self, attachment: Attachment) -> Path | None:
        """Return the file, fetched from the store if another node took it in; None if it is gone."""
        path = self._files.file_of(attachment.id)
        if not path.exists() and not await self._fetch(attachment.id):
            return None
        return path

    async def path_for(self, attachment_id: str, session_id: str) -> Path | None:
        """Return where the session's tools find an attachment; None if it is gone."""
        attachment = await self.find(attachment_id)
        if attachment is None or await self.file_of(attachment) is None:
            return None
        return await asyncio.to_thread(self._files.copy_for, session_id, attachment)

    async def read(self, attachment_id: str) -> bytes | None:
        attachment = await self.find(attachment_id)
        path = None if attachment is None else await self.file_of(attachment)
        return None if path is None else await asyncio.to_thread(path.read_bytes)

    async def forget(self, session_id: str, ids: Sequence[str]) -> None:
        """Remove the files of a session that is gone."""
        await asyncio.to_thread(self._files.remove, list(ids))
        await asyncio.to_thread(self._files.remove_folder, session_id)

    async def tidy(self) -> None:
        """Drop uploads that were never sent, and the files on this machine that no row names any more."""
        while dropped := await self._store.write(_drop_unsent):
            await asyncio.to_thread(self._files.remove, dropped)
        idle = await asyncio.to_thread(self._files.idle_files)
        for first in range(0, len(idle), _ROWS):
            await self._remove_nameless(idle[first : first + _ROWS])
        for session_id in await asyncio.to_thread(self._files.sessions):
            if not await self._has_session(session_id):
                await asyncio.to_thread(self._files.remove_folder, session_id)

    async def _remove_nameless(self, ids: list[str]) -> None:
        found = await self._store.read(lambda tx: tx.attachments.find(ids))
        known = {attachment.id for attachment in found}
        await asyncio.to_thread(self._files.remove, [left for left in ids if left not in known])

    async def _has_session(self, session_id: str) -> bool:
        async def body(tx: Transaction) -> bool:
            return await tx.sessions.get(session_id) is not None

        return await self._store.read(body)

    async def _keep(self, attachment_id: str, name: str, pieces: AsyncIterable[bytes], session_id: str) -> Attachment:
        known = await self.find(attachment_id)
        if known is not None:
            return known

        async def owner_of(tx: Transaction) -> str:
            session = await tx.sessions.get(session_id)
            return "" if session is None else session.owner

        owner = await self._store.read(owner_of)
        return await self._take(attachment_id, name, pieces, owner, session_id, is_used=True)

    async def _take(
        self,
        attachment_id: str,
        name: str,
        pieces: AsyncIterable[bytes],
        owner: str,
        session_id: str,
        *,
        is_used: bool,
    ) -> Attachment:
        part = await asyncio.to_thread(self._files.part_of, attachment_id)
        try:
            size = await self._write(part, pieces)
            kind = type_of(await asyncio.to_thread(_beginning, part))
            attachment = Attachment(attachment_id, safe_name(name), kind, size, owner, session_id)
            await asyncio.to_thread(part.replace, self._files.file_of(attachment_id))
            return await self._record(attachment, is_used=is_used)
        finally:
            part.unlink(missing_ok=True)

    async def _write(self, part: Path, pieces: AsyncIterable[bytes]) -> int:
        size = 0
        with await asyncio.to_thread(part.open, "wb") as file:
            async for piece in pieces:
                size += len(piece)
                if size > self.most_bytes:
                    raise AttachmentTooLarge(f"It has more than {self.most_bytes // _PIECE} MiB, which is the most.")
                await asyncio.to_thread(file.write, piece)
        return size

    async def _record(self, attachment: Attachment, *, is_used: bool) -> Attachment:
        shared = (
            [] if self._store.is_exclusive else await asyncio.to_thread(_pieces, self._files.file_of(attachment.id))
        )

        async def body(tx: Transaction) -> None:
            timed = replace(attachment, created_at=await tx.now())
            if await tx.attachments.put_if_new(timed, is_used=is_used):
                for number, data in enumerate(shared):
                    await tx.attachments.add_piece(attachment.id, number, data)

        await self._store.write(body)
        return attachment

    async def _fetch(self, attachment_id: str) -> bool:
        """Copy the bytes from the store to this machine; false if the store has none."""
        part, number = await asyncio.to_thread(self._files.part_of, attachment_id), 0
        try:
            with await asyncio.to_thread(part.open, "wb") as file:
                while (data := await self._piece(attachment_id, number)) is not None:
                    await asyncio.to_thread(file.write, data)
                    number += 1
            if number:
                await asyncio.to_thread(part.replace, self._files.file_of(attachment_id))
            return number > 0
        finally:
            part.unlink(missing_ok=True)

    async def _piece(self, attachment_id: str, number: int) -> bytes | None:
        return await self._store.read(lambda tx: tx.attachments.piece(attachment_id, number))


async def _drop_unsent(tx: Transaction) -> list[str]:
    return await tx.attachments.drop_unused(await tx.now() - _UNSENT_SECONDS, _ROWS)


async def _read(opening: Callable[[], IO[Any]]) -> AsyncIterator[bytes]:
    with await asyncio.to_thread(opening) as file:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(TYPE_BYTES)


def _pieces(path: Path) -> list[bytes]:
    """Return all bytes, which are as many as one attachment may have."""
    data = path.read_bytes()
    return [data[first : first + _PIECE] for first in range(0, len(data), _PIECE)] or [b""]
