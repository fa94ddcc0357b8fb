"""Buttons and commands on Discord: what is handed in, and what the person sees in time."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.platforms.recording_ingress import RecordingIngress
from wakeful.gateway.messaging.platform import IncomingMessage, Unanswered
from wakeful.gateway.platforms.discord.channels import DiscordChannel
from wakeful.gateway.platforms.discord.interactions import DiscordInteractions
from wakeful.model.messaging.chat import ChatKind

SILENT = {"flags": 64, "allowed_mentions": {"parse": []}}


class Discord:
    """The client, and the channels that it knows."""

    def __init__(self, error: Exception | None = None) -> None:
        self.calls: list[tuple[str, str, Any]] = []
        self.called = asyncio.Event()
        self._error = error

    async def call(self, route: Any, payload: Any) -> None:
        self.calls.append((route.method, route.url, payload))
        self.called.set()
        if self._error is not None:
            raise self._error

    async def find(self, id: int, *, is_private: bool) -> DiscordChannel:
        return DiscordChannel(ChatKind.PRIVATE if is_private else ChatKind.GROUP, str(id))


def an_interaction(guild_id: int | None = 1, message_id: int | None = 3, **data: Any) -> Any:
    return SimpleNamespace(
        id=8,
        token="token",
        application_id=4,
        channel_id=5,
        guild_id=guild_id,
        data={"custom_id": "post:once", "name": "model"} | data,
        message=None if message_id is None else SimpleNamespace(id=message_id),
        user=SimpleNamespace(id=9, display_name="Ann"),
    )


def interactions(client: Any) -> DiscordInteractions:
    return DiscordInteractions(client, client)


@pytest.mark.parametrize(("guild_id", "kind"), [(1, ChatKind.GROUP), (None, ChatKind.PRIVATE)])
@pytest.mark.parametrize(("message_id", "known"), [(3, "3"), (None, "0")])
async def test_a_press_says_who_pressed_what_where(
    guild_id: int | None, kind: ChatKind, message_id: int | None, known: str
) -> None:
    client, ingress = Discord(), RecordingIngress()
    await interactions(client).press(an_interaction(guild_id, message_id), ingress)

    (press,) = ingress.presses
    assert (press.kind, press.value, press.message_id, press.address.chat_id) == (kind, "post:once", known, "5")
    assert (press.address.sender.user_id, press.address.sender.message_id) == ("9", known)
    method, path, payload = client.calls[0]
    assert (method, path.endswith("/interactions/8/token/callback")) == ("POST", True)
    assert payload == {"type": 4, "data": SILENT | {"content": "Approved."}}


@pytest.mark.parametrize(
    ("options", "text"), [({}, "/model"), ({"options": [{"value": "demo:x"}, {"value": 2}]}, "/model demo:x 2")]
)
async def test_a_command_is_handed_in_as_a_message_for_the_bot(options: dict[str, Any], text: str) -> None:
    client, handed = Discord(), []

    async def hand_in(channel: str, message: IncomingMessage) -> None:
        handed.append((channel, message.text, message.is_for_bot, message.address.sender.message_id))

    await interactions(client).command(an_interaction(**options), hand_in)

    assert handed == [("5", text, True, "8")]
    assert client.calls[0][2]["data"]["content"] == text


async def test_what_takes_long_is_acknowledged_in_time_and_answered_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wakeful.gateway.platforms.discord.interactions._ANSWER_SECONDS", 0.001)
    client, ingress = Discord(), RecordingIngress(gates={"5": asyncio.Event()})
    pressing = asyncio.create_task(interactions(client).press(an_interaction(), ingress))
    async with asyncio.timeout(PATIENCE):
        await client.called.wait()
        assert [payload for _, _, payload in client.calls] == [{"type": 5, "data": SILENT}]
        ingress.gates["5"].set()
        await pressing

    method, path, payload = client.calls[1]
    assert (method, path.endswith("/webhooks/4/token/messages/@original")) == ("PATCH", True)
    assert payload == {"content": "Approved.", "allowed_mentions": {"parse": []}}


async def test_what_could_not_be_taken_in_says_so() -> None:
    client, ingress = Discord(), RecordingIngress(failures=1)
    await interactions(client).press(an_interaction(), ingress)

    assert client.calls[0][2]["data"]["content"].startswith("I cannot take that in just now.")


async def test_a_press_counts_though_its_answer_is_lost() -> None:
    client, ingress = Discord(Unanswered("cut")), RecordingIngress()
    await interactions(client).press(an_interaction(), ingress)

    assert len(ingress.presses) == 1


async def test_a_press_that_is_given_up_is_not_handed_in_any_more() -> None:
    client, ingress = Discord(), RecordingIngress(gates={"5": asyncio.Event()})
    pressing = asyncio.create_task(interactions(client).press(an_interaction(), ingress))
    await ingress.until(lambda: ingress.reached)
    pressing.cancel()
    await asyncio.gather(pressing, return_exceptions=True)
    ingress.gates["5"].set()
    left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    await asyncio.gather(*left, return_exceptions=True)

    assert (ingress.presses, client.calls) == ([], [])
