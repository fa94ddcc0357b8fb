"""Attachments: their rows, and where nodes share the store, their bytes."""

from collections.abc import Sequence
from typing import Protocol

from wakeful.model.files.attachment import Attachment


class Attachments(Protocol):
    async def put_if_new(self, attachment: Attachment, *, is_used: bool) -> bool:
        """Add one; false when there is one with its id."""
        ...

    async def add_piece(self, attachment_id: str, number: int, data: bytes) -> None: ...

    async def piece(self, attachment_id: str, number: int) -> bytes | None:
        """Return a piece of the bytes, counted from 0; None when there are no more."""
        ...

    async def find(self, ids: Sequence[str]) -> list[Attachment]:
        """Return those that exist, in the order of the ids."""
        ...

    async def use(self, ids: Sequence[str], session_id: str) -> None:
        """Note that a message of this session has them; those that have no session yet belong to it from now on."""
        ...

    async def of_session(self, session_id: str) -> list[str]:
        """Return the ids of a session's attachments."""
        ...

    async def drop_unused(self, before: float, limit: int) -> list[str]:
        """Remove at most `limit` that were uploaded before this time and never sent, and return their ids."""
        ...
