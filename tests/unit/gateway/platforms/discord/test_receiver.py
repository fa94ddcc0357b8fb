"""What Discord's receiver reads after an outage: not too much at a time, the newest chats first, and nothing twice."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from tests.patience import PATIENCE
from tests.platforms.kept_memory import KeptMemory
from tests.platforms.recording_ingress import RecordingIngress
from wakeful.gateway.messaging.platform import IncomingMessage, Refused
from wakeful.gateway.platforms.discord.progress import GatewayProgress
from wakeful.gateway.platforms.discord.receiver import DiscordReceiver
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.session import Address, Sender


@dataclass
class Histories:
    """A client whose channels have nothing to read, once the gate is open; it stands for the channels too."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    read: list[tuple[str, int]] = field(default_factory=list)
    under_way: int = 0
    most: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def learn(self, chat: Chat) -> str:
        return chat.thread_id or chat.chat_id

    async def messages_after(self, channel: str, after: int, limit: int) -> list[Any]:
        assert limit == 200
        self.read.append((channel, after))
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        self.changed.set()
        await self.gate.wait()
        self.under_way -= 1
        self.changed.set()
        if channel == "1":
            raise Refused("Missing Access")
        return []

    async def until(self, condition: Any) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self.changed.clear()
                await self.changed.wait()


def a_receiver(histories: Any, chats: Sequence[Chat] = (), interactions: Any = None) -> DiscordReceiver:
    async def known(since: float) -> list[Chat]:
        assert since == 0.0
        return list(chats)

    unused: Any = None
    progress = GatewayProgress(KeptMemory().memory, tuple)
    return DiscordReceiver(histories, histories, unused, interactions, known, progress, 0.01)


def a_chat(number: int, last: str = "99", thread_id: str = "", key: str = "") -> Chat:
    key = key or f"discord:group:{number}"
    return Chat(
        key, "discord", ChatKind.GROUP, str(number), thread_id, "ses", last_message_id=last, last_at=float(number)
    )


@pytest.mark.parametrize("is_at_work", [True, False])
async def test_four_channels_are_read_at_a_time_where_people_talked_last_first(is_at_work: bool) -> None:
    histories = Histories()
    receiver = a_receiver(histories, [*(a_chat(number) for number in range(6)), a_chat(9, last="no id")])
    if not is_at_work:
        receiver.identified()
    async with receiver.at_work(RecordingIngress(), lambda: None):
        if is_at_work:
            receiver.identified()
        await histories.until(lambda: histories.under_way == 4)
        assert [channel for channel, _ in histories.read] == ["5", "4", "3", "2"]
        histories.gate.set()
        await histories.until(lambda: len(histories.read) == 6 and not histories.under_way)

    assert histories.most == 4
    assert not receiver._jobs


async def test_a_channel_is_read_where_its_session_was_used_in_threads_alone() -> None:
    histories = Histories()
    histories.gate.set()
    shared = "discord:group:7"
    threads = [a_chat(7, thread_id="71", key=shared), a_chat(7, thread_id="72", key=shared)]
    receiver = a_receiver(histories, [*threads, a_chat(8, thread_id="81", key="discord:group:8:81")])
    async with receiver.at_work(RecordingIngress(), lambda: None):
        receiver.identified()
        await histories.until(lambda: len(histories.read) == 4)

    assert sorted(channel for channel, _ in histories.read) == ["7", "71", "72", "81"]


class Interactions:
    """Hands in each command, and notes which are answered."""

    def __init__(self) -> None:
        self.answered: list[str] = []
        self.pressed: list[Any] = []

    async def command(self, interaction: Any, hand_in: Any) -> None:
        address = Address("discord", "5", "", Sender("1"))
        await hand_in("5", IncomingMessage(ChatKind.GROUP, address, interaction.text, is_for_bot=True))
        self.answered.append(interaction.text)

    async def press(self, interaction: Any, ingress: Any) -> None:
        self.pressed.append((interaction.text, ingress))


def an_interaction(text: str, kind: discord.InteractionType, channel_id: int | None = 5) -> Any:
    return SimpleNamespace(type=kind, channel_id=channel_id, text=text)


async def test_a_command_is_answered_when_it_is_taken_in_and_those_of_a_channel_in_their_order() -> None:
    interactions, ingress = Interactions(), RecordingIngress(gates={"5": asyncio.Event()})
    receiver = a_receiver(Histories(), interactions=interactions)
    command = discord.InteractionType.application_command
    receiver.interaction(an_interaction("too early", command))
    async with asyncio.timeout(PATIENCE), receiver.at_work(ingress, lambda: None):
        for text in ("/one", "/two"):
            receiver.interaction(an_interaction(text, command))
        receiver.interaction(an_interaction("nowhere", command, None))
        await ingress.until(lambda: ingress.reached)
        for _ in range(10):
            await asyncio.sleep(0)
        assert (ingress.reached, interactions.answered) == (["5"], [])
        ingress.gates["5"].set()
        await ingress.until(lambda: ingress.texts == ["/one", "/two"])
        while interactions.answered != ["/one", "/two"]:  # noqa: ASYNC110 - nothing says that it is answered
            await asyncio.sleep(0)


async def test_a_press_goes_to_the_ingress_that_is_open() -> None:
    interactions, ingress = Interactions(), RecordingIngress()
    receiver = a_receiver(Histories(), interactions=interactions)
    async with receiver.at_work(ingress, lambda: None):
        receiver.interaction(an_interaction("press", discord.InteractionType.component))
        receiver.interaction(an_interaction("ping", discord.InteractionType.ping))
        for _ in range(10):
            await asyncio.sleep(0)

    assert interactions.pressed == [("press", ingress)]
