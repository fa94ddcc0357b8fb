"""Messages that cannot be taken in: the chat is told so once, and why."""

import errno
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.messaging.kit import chatting
from wakeful.engine.engine import Engine
from wakeful.errors import StoreFull
from wakeful.gateway.messaging.platform import OfferedFile
from wakeful.store.base import Store

FULL_DISK = "I cannot take messages just now: my disk is full."


async def test_a_full_queue_is_said_once_and_what_did_not_fit_is_no_turn(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.gateway.messaging.inbound.ingress._MOST_QUEUED", 2)
    told = "I cannot take messages just now: 2 messages wait here already."
    async with chatting(store, tmp_path) as chat:
        for number in range(1, 6):
            await chat.write(f"message {number}", str(number))
        await chat.write("/status", "6")
        await chat.platform.until(lambda: len(chat.platform.texts("1")) == 2)
        chat.agent.order(await chat.turn(1), "say one")
        chat.agent.order(await chat.turn(2), "say two")
        await chat.turn(3)
        for number in (7, 8, 9):
            await chat.write(f"message {number}", str(number))
        chat.agent.order(await chat.turn(3), "say three")
        chat.agent.order(await chat.turn(4), "say seven")
        chat.agent.order(await chat.turn(5), "say eight")
        await chat.platform.until(lambda: len(chat.platform.texts("1")) == 8)

    heard = [brief.messages[-1].text for brief in chat.agent.briefs.values()]
    assert heard == [f"message {number}" for number in (1, 2, 3, 7, 8)]
    assert chat.platform.texts("1").count(told) == 2, "once for each time that it was full"


async def test_a_message_for_which_there_is_no_room_on_the_disk_is_not_confirmed_and_the_chat_is_told_once(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with chatting(store, tmp_path) as chat:
        with monkeypatch.context() as broken:
            broken.setattr(Engine, "submit", _no_room)
            for _ in range(2):
                with pytest.raises(StoreFull):
                    await chat.write("Hello", "5")
        assert chat.platform.texts("1") == [FULL_DISK]
        # The platform hands it in again.
        await chat.write("Hello", "5")
        chat.agent.order(await chat.turn(), "say Hi")
        await chat.shows(FULL_DISK, "Hi")


async def test_a_file_that_does_not_fit_on_the_disk_is_told_and_tried_again(store: Store, tmp_path: Path) -> None:
    async def read() -> AsyncIterator[bytes]:
        for piece in (b"o", b"ne"):
            yield piece
            raise OSError(errno.ENOSPC, "No space left on device")

    async with chatting(store, tmp_path) as chat:
        with pytest.raises(OSError, match="No space"):
            await chat.write("see", "5", attachments=[OfferedFile("a.txt", 3, read)])
        assert chat.platform.texts("1") == [FULL_DISK]
        await chat.write("see", "5")
        chat.agent.order(await chat.turn(), "say Yes")


async def _no_room(*arguments: object, **options: object) -> None:
    raise StoreFull
