"""Asking Telegram for updates: what is confirmed, what is passed over, and what an end leaves."""

import asyncio
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from msgspec import DecodeError, Raw

from tests.patience import PATIENCE
from tests.unit.gateway.platforms.telegram.client import ScriptedClient
from wakeful.gateway.platforms.telegram.client import TelegramRefusal
from wakeful.gateway.platforms.telegram.polling import Polling, read_update
from wakeful.gateway.platforms.telegram.wire import TgUpdate


class Receiver:
    """Takes updates in; those that are held wait, and those that are bad raise."""

    def __init__(self) -> None:
        self.taken: list[int] = []
        self.held: dict[int, asyncio.Event] = {}
        self.bad: set[int] = set()
        self.cancelled: list[int] = []

    async def take(self, update: TgUpdate) -> None:
        if update.update_id in self.bad:
            raise RuntimeError
        if update.update_id in self.held:
            try:
                await self.held[update.update_id].wait()
            except asyncio.CancelledError:
                self.cancelled.append(update.update_id)
                raise
        self.taken.append(update.update_id)


class Ended(Exception):
    pass


Page = list[int] | Exception | Callable[[], list[int]]


async def poll(receiver: Receiver, *pages: Page) -> tuple[ScriptedClient, list[str]]:
    """Let Telegram answer so, then break; return what it was asked, and how often the line stood."""
    left = list(pages)

    def answer(params: dict[str, Any]) -> Any:
        page = left.pop(0) if left else Ended()
        found = page() if callable(page) else page
        return found if isinstance(found, Exception) else [Raw(orjson.dumps({"update_id": one})) for one in found]

    client: Any = ScriptedClient({"getUpdates": answer, "deleteWebhook": lambda _: True})
    taking: Any = receiver
    stood: list[str] = []
    async with asyncio.timeout(PATIENCE):
        with pytest.raises((Ended, TelegramRefusal)):
            await Polling(client, taking, seconds=50.0).run(lambda: stood.append("stood"))
    return client, stood


def offsets(client: ScriptedClient) -> list[int | None]:
    return [params.get("offset") for params in client.asked("getUpdates")]


async def test_the_first_question_does_not_wait_and_the_line_then_stands() -> None:
    client, stood = await poll(Receiver(), [], [])

    asked = client.asked("getUpdates")
    assert [params["timeout"] for params in asked] == [0, 50, 50]
    assert asked[0]["allowed_updates"] == ("message", "callback_query")
    assert stood == ["stood"]


async def test_updates_that_are_taken_are_confirmed_by_the_next_question() -> None:
    receiver = Receiver()
    client, _ = await poll(receiver, [5, 6], [7], [])

    assert receiver.taken == [5, 6, 7]
    assert offsets(client) == [None, 7, 8, 8]


async def test_one_that_waits_holds_up_the_offset_and_is_not_taken_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wakeful.gateway.platforms.telegram.polling._GRACE_SECONDS", 0.001)
    monkeypatch.setattr("wakeful.gateway.platforms.telegram.polling._RECHECK_SECONDS", 0.001)
    receiver = Receiver()
    receiver.held[6] = asyncio.Event()

    def again() -> list[int]:
        receiver.held[6].set()
        return [6, 7]

    client, _ = await poll(receiver, [5, 6, 7], [6, 7], again, [])

    assert offsets(client)[:3] == [None, 6, 6]
    assert sorted(receiver.taken) == [5, 6, 7]


async def test_what_is_sent_again_is_asked_for_after_the_first_of_it_is_done() -> None:
    receiver = Receiver()
    receiver.held[5] = asyncio.Event()

    def again() -> list[int]:
        receiver.held[5].set()
        return [5]

    client, _ = await poll(receiver, [5], again, [])

    assert (receiver.taken, offsets(client)) == ([5], [None, None, 6, 6])


async def test_one_that_cannot_be_read_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    receiver = Receiver()
    receiver.bad = {5}
    client, _ = await poll(receiver, [5, 6], [])

    assert (receiver.taken, offsets(client)) == ([6], [None, 7, 7])
    assert "The update 5 of Telegram is passed over" in caplog.text


async def test_an_end_leaves_what_is_in_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wakeful.gateway.platforms.telegram.polling._GRACE_SECONDS", 0.001)
    receiver = Receiver()
    receiver.held[5] = asyncio.Event()
    await poll(receiver, [5])

    assert (receiver.taken, receiver.cancelled) == ([], [5])


async def test_a_webhook_is_removed_and_asked_again() -> None:
    active = TelegramRefusal(409, "Conflict: can't use getUpdates method while webhook is active")
    client, stood = await poll(Receiver(), active, [])

    assert [method for method, _ in client.calls[:3]] == ["getUpdates", "deleteWebhook", "getUpdates"]
    assert [params["timeout"] for params in client.asked("getUpdates")] == [0, 0, 50]
    assert stood == ["stood"]


@pytest.mark.parametrize(
    "refusal", [TelegramRefusal(409, "terminated by other getUpdates"), TelegramRefusal(400, "webhook is active")]
)
async def test_any_other_refusal_ends_the_line_before_it_stands(refusal: TelegramRefusal) -> None:
    client, stood = await poll(Receiver(), refusal)

    assert (client.asked("deleteWebhook"), stood) == ([], [])


def test_an_update_of_an_unknown_form_keeps_its_number_alone() -> None:
    assert read_update(b'{"update_id": 5, "message": {"chat": 1}}') == TgUpdate(5)


@pytest.mark.parametrize("body", [b"{", b'{"message": {}}', b'{"update_id": "5"}'])
def test_what_has_no_number_is_no_update(body: bytes) -> None:
    with pytest.raises(DecodeError):
        read_update(body)
