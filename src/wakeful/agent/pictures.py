"""Pictures and files in a conversation: recorded by their ids, and read when a model is asked."""

import asyncio
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from wakeful.model.files.attachment import PICTURE_BYTES, SCHEME, Attachment
from wakeful.model.files.file_type import TYPE_BYTES, picture_in
from wakeful.model.journal.message import Message, ToolMessage, UserMessage
from wakeful.tools.base import ToolContext, ToolPicture

_MOST_CHARACTERS = 100_000
_BLIND = "[This model cannot see pictures.]"
_GONE = "[It is no longer there.]"


class AttachedFiles(Protocol):
    """The attachments, by their ids."""

    async def keep(self, attachment_id: str, name: str, data: bytes, session_id: str) -> Attachment:
        """Keep bytes under this id, unless that was done before."""
        ...

    async def read(self, attachment_id: str) -> bytes | None:
        """Return the bytes; None if it is gone."""
        ...

    async def path_for(self, attachment_id: str, session_id: str) -> Path | None:
        """Return where tools of the session find it; None if it is gone."""
        ...


@dataclass(frozen=True, slots=True)
class ResultPictures:
    files: AttachedFiles | None

    async def kept(self, pictures: Sequence[ToolPicture], context: ToolContext) -> tuple[str, ...]:
        """Return the URLs under which a result names its pictures. Those of a turn that is not stored hold the bytes:
        it leaves nothing behind.
        """
        urls = []
        for number, picture in enumerate(pictures):
            if self.files is None or context.turn.is_ephemeral:
                urls.append(_data_url(picture.type, picture.data))
                continue
            attachment_id = f"att_{context.turn.id}_{context.step}_{context.index}_{number}"
            await self.files.keep(attachment_id, picture.name, picture.data, context.session_id)
            urls.append(SCHEME + attachment_id)
        return tuple(urls)


# Without a store, results hold their pictures.
NOT_KEPT = ResultPictures(None)


@dataclass(frozen=True, slots=True)
class Illustrator:
    """Puts the bytes in the place of ids."""

    files: AttachedFiles | None

    async def illustrated(self, messages: Sequence[Message], session_id: str, *, sees: bool) -> list[Message]:
        """Return the messages as a model reads them. `sees` is whether it takes pictures."""
        return [await self._illustrated(message, session_id, sees=sees) for message in messages]

    async def _illustrated(self, message: Message, session_id: str, *, sees: bool) -> Message:
        if isinstance(message, ToolMessage) and message.images:
            if not sees:
                return replace(message, text=f"{message.text}\n{_BLIND}", images=())
            urls = [await self._url(image) for image in message.images]
            return replace(message, images=tuple(url for url in urls if url))
        if isinstance(message, UserMessage) and (message.files or message.images):
            parts = [await self._part(file, session_id, sees=sees) for file in message.files]
            # Pictures of the API have no names.
            unseen = [f"[Image]\n{_BLIND}" for _ in message.images if not sees]
            texts = [message.text, *unseen, *(text for text, _ in parts)]
            images = (*(message.images if sees else ()), *(url for _, url in parts if url))
            return replace(message, text="\n\n".join(text for text in texts if text), images=images, files=())
        return message

    async def _url(self, image: str) -> str:
        """Return a picture as a URL that holds it; empty if it is gone."""
        if not image.startswith(SCHEME):
            return image
        data = None if self.files is None else await self.files.read(image.removeprefix(SCHEME))
        return "" if data is None else await asyncio.to_thread(_picture_url, data)

    async def _part(self, file: Attachment, session_id: str, *, sees: bool) -> tuple[str, str]:
        """Return what the model reads of a file, and the URL of a picture that it sees; empty: none."""
        path = None if self.files is None else await self.files.path_for(file.id, session_id)
        if self.files is None or path is None:
            return f"[File: {file.name}]\n{_GONE}", ""
        head = f"[File: {file.name}]\n[Its path is {path}; it has {file.size:,} bytes.]"
        if not file.is_picture and not file.is_text:
            return head, ""
        # The bytes as they were sent, not those at the path: the agent may have changed them, or made it a link.
        data = await self.files.read(file.id) or b""
        if file.is_picture:
            return await asyncio.to_thread(_shown_picture, file, path, data, sees)
        return await asyncio.to_thread(_with_text, head, data), ""


def _shown_picture(file: Attachment, path: Path, data: bytes, sees: bool) -> tuple[str, str]:
    picture = picture_in(data[:TYPE_BYTES])
    if picture is None:
        return f"[File: {file.name}]\n[Its path is {path}.]", ""
    head = f"{picture.line(file.name, len(data))}\n[Its path is {path}.]"
    if not sees:
        return f"{head}\n{_BLIND}", ""
    if len(data) > PICTURE_BYTES or not picture.fits:
        return f"{head}\n[It is too large to be shown to a model: make a smaller copy, and read that.]", ""
    return head, _data_url(picture.type, data)


def _with_text(head: str, data: bytes) -> str:
    text = data.decode(errors="replace")
    cut = "\n[Cut: the file goes on; read the rest with read_file.]" if len(text) > _MOST_CHARACTERS else ""
    return f"{head}\n\n{text[:_MOST_CHARACTERS]}{cut}"


def _picture_url(data: bytes) -> str:
    picture = picture_in(data[:TYPE_BYTES])
    return "" if picture is None else _data_url(picture.type, data)


def _data_url(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{b64encode(data).decode()}"
