"""Files on their way into a chat: the postman is called when the post is there, and finds all that it needs."""

import time
from pathlib import Path
from typing import Any

from tests.store.nouns import a_turn
from wakeful.gateway.messaging.files import ChatFiles
from wakeful.model.messaging.post import PostKind
from wakeful.model.session import Address, Sender
from wakeful.store.sqlite.store import SqliteStore


class NotedStore(SqliteStore):
    def __init__(self, path: Path, steps: list[str]) -> None:
        super().__init__(path, time.time, synchronous="OFF")
        self._steps = steps

    async def write(self, *given: Any, **how: Any) -> Any:
        done = await super().write(*given, **how)
        self._steps.append("written")
        return done


async def test_a_file_is_a_post_without_an_anchor_before_its_postman_is_woken(sqlite_path: Path) -> None:
    steps: list[str] = []
    store = NotedStore(sqlite_path, steps)
    await store.open()
    files = ChatFiles(store)
    turn = a_turn(address=Address("telegram", "1", "", Sender("55")))
    await files.post_file(turn, 1, 2, Path("/w/a.txt"), "the plan")
    files.on_post = steps.append
    await files.post_file(turn, 1, 2, Path("/w/a.txt"), "the plan")
    (post,) = await store.read(lambda tx: tx.posts.at_work("telegram"))
    await store.close()

    assert steps[-2:] == ["written", "telegram"]
    assert (post.kind, post.wanted, post.details, post.key) == (
        PostKind.FILE,
        "the plan",
        {"path": "/w/a.txt"},
        "t1:file:1.2",
    )
    assert (post.address, post.session_id, post.turn_id) == (Address("telegram", "1"), "s1", "t1")
