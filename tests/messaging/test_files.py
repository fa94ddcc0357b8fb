"""Files that the agent sends: posts of their chat, each once."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.messaging.kit import chatting
from tests.unit.model.files.test_file_type import PNG
from wakeful.gateway.messaging.files import ChatFiles
from wakeful.gateway.messaging.platform import OfferedFile
from wakeful.model.journal.message import UserMessage
from wakeful.model.messaging.post import PostKind
from wakeful.model.turn import Door
from wakeful.store.base import Store


async def test_a_file_is_posted_once_with_its_caption_between_the_words(store: Store, tmp_path: Path) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text("one")
    async with chatting(store, tmp_path) as chat:
        files = ChatFiles(store)
        files.on_post = lambda platform: chat.door.outbox.postman.job.wake()
        await chat.write("the plan, please", "5")
        turn = chat.agent.briefs[await chat.turn()].turn
        # A call that was cut off runs again.
        for _ in range(2):
            await files.post_file(turn, 1, 1, plan, "The **plan**")
        chat.agent.order(turn.id, "say There it is")
        await chat.shows("The <b>plan</b>", "There it is")
        posts = await chat.posts()

    assert [message.file for _, _, message in chat.platform.requests] == [plan, None]
    assert [post.kind for post in posts] == [PostKind.ANSWER, PostKind.FILE]


@pytest.mark.parametrize(("platform", "most"), [("telegram", 50_000_000), ("discord", 10_000_000), ("web", None)])
async def test_each_platform_has_its_largest_file_and_other_doors_have_none(
    store: Store, tmp_path: Path, platform: str, most: int | None
) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("hello", "5")
        turn = chat.agent.briefs[await chat.turn()].turn
        chat.agent.order(turn.id, "say Hi")
    there = replace(turn, door=Door(platform, True), address=replace(turn.address, platform=platform))

    assert ChatFiles(store).most_bytes(there) == most
    assert ChatFiles(store).most_bytes(replace(turn, door=Door("web", True))) is None, "a turn of the page in that chat"


async def test_a_picture_that_is_sent_reaches_the_model_as_a_picture_too(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("see", "5", attachments=[_file("cat.png", PNG), _file("note.png", b"no picture")])
        turn_id = await chat.turn()
        said = chat.agent.briefs[turn_id].messages[0]
        chat.agent.order(turn_id, "say Nice")

    assert isinstance(said, UserMessage)
    assert [(file.name, file.type) for file in said.files] == [("5-cat.png", "image/png")]
    assert said.text.endswith("[File: inbox/5-note.png, 10 bytes]")


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
async def test_a_file_alone_that_is_left_out_is_remarked_once_and_wakes_nobody(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        for _ in range(2):
            await chat.write("", "5", attachments=[_file("big.bin", b"x" * 1001)])
        await chat.shows("big.bin is too large (0.001 MB, at most 0.001 MB) and was left out.")
        await chat.write("/status", "6")
        await chat.platform.until(lambda: len(chat.platform.texts("1")) == 2)

    assert not chat.agent.briefs


def _file(name: str, content: bytes) -> OfferedFile:
    async def read() -> AsyncIterator[bytes]:
        yield content

    return OfferedFile(name, len(content), read)
