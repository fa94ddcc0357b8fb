"""Files on their way into a chat: posts like any others, which name the file."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from wakeful.model.messaging.post import Post, PostKind, new_post_id
from wakeful.model.turn import Turn
from wakeful.store.base import Store, Transaction

_MOST_BYTES = {"telegram": 50_000_000, "discord": 10_000_000, "slack": 50_000_000}


class ChatFiles:
    """The tools' FilePoster."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # Called with the platform's name after a file was queued; set by the door's side, which is built later.
        self.on_post: Callable[[str], None] = lambda platform: None

    def most_bytes(self, turn: Turn) -> int | None:
        return _MOST_BYTES.get(turn.door.name) if turn.door.name == turn.address.platform else None

    async def post_file(self, turn: Turn, step: int, index: int, path: Path, caption: str) -> None:
        await self._store.write(partial(_put, turn, f"{turn.id}:file:{step}.{index}", path, caption))
        self.on_post(turn.address.platform)


async def _put(turn: Turn, key: str, path: Path, caption: str, tx: Transaction) -> None:
    post = Post(
        new_post_id(),
        key,
        turn.address.without_anchor(),
        PostKind.FILE,
        caption,
        turn.session_id,
        turn.id,
        await tx.posts.next_position(),
        details={"path": str(path)},
        created_at=await tx.now(),
    )
    await tx.posts.put(post)
