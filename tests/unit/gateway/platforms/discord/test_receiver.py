"""What Discord's receiver reads after an outage: not too much at a time, the newest chats first, and nothing twice."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from tests.patience import PATIENCE, idle
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
        await idle()
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
        await idle()

    assert interactions.pressed == [("press", ingress)]


class Reader:
    """Reads each message as its words; what has none is no message."""

    async def read(self, message: Any) -> IncomingMessage | None:
        address = Address("discord", str(message.channel.id), "", Sender("1"))
        files: Any = message.files
        return IncomingMessage(ChatKind.GROUP, address, message.text, False, "", files) if message.text else None


def a_message(text: str, channel: int = 5, files: Any = ()) -> Any:
    return SimpleNamespace(channel=SimpleNamespace(id=channel), text=text, files=files)


def reading(histories: Any, chats: Sequence[Chat] = ()) -> DiscordReceiver:
    receiver = a_receiver(histories, chats)
    reader: Any = Reader()
    receiver._reader = reader
    return receiver


async def test_messages_of_a_channel_enter_in_their_order_and_hold_up_no_other() -> None:
    receiver, ingress = reading(Histories()), RecordingIngress(gates={"5": asyncio.Event()})
    async with asyncio.timeout(PATIENCE), receiver.at_work(ingress, lambda: None):
        for text, channel in (("one", 5), ("", 5), ("two", 5), ("beside", 6)):
            receiver.message(a_message(text, channel))
        await ingress.until(lambda: ingress.texts == ["beside"])
        ingress.gates["5"].set()
        await ingress.until(lambda: len(ingress.texts) == 3)
        while receiver._lanes:  # noqa: ASYNC110 - nothing says that a lane has ended
            await asyncio.sleep(0)

    assert ingress.texts == ["beside", "one", "two"]
    assert (receiver._working, receiver._progress._open) == (set(), {})


async def test_what_waits_when_the_line_closes_is_handed_in_the_next_time() -> None:
    receiver, first, second = reading(Histories()), RecordingIngress(gates={"5": asyncio.Event()}), RecordingIngress()
    async with asyncio.timeout(PATIENCE):
        async with receiver.at_work(first, lambda: None):
            receiver.message(a_message("one"))
            await first.until(lambda: first.reached)
        receiver.message(a_message("two"))
        async with receiver.at_work(second, lambda: None):
            await second.until(lambda: len(second.texts) == 2)

    assert (first.texts, second.texts) == ([], ["one", "two"])


async def test_what_comes_in_a_new_session_waits_for_what_was_missed() -> None:
    histories, ingress = Histories(), RecordingIngress()
    missed = [a_message("missed", 7)]

    async def messages_after(channel: str, after: int, limit: int) -> list[Any]:
        await histories.gate.wait()
        return missed

    histories.messages_after = messages_after  # type: ignore[method-assign]
    receiver = reading(histories, [a_chat(7)])
    stood: list[str] = []
    async with asyncio.timeout(PATIENCE), receiver.at_work(ingress, lambda: stood.append("stood")):
        receiver.identified()
        receiver.message(a_message("new", 7))
        receiver.message(a_message("elsewhere", 8))
        await ingress.until(lambda: ingress.texts == ["elsewhere"])
        histories.gate.set()
        await ingress.until(lambda: len(ingress.texts) == 3)
        receiver.resumed()

    assert ingress.texts == ["elsewhere", "missed", "new"]
    assert stood == ["stood", "stood"]


async def test_a_message_whose_files_are_gone_is_taken_in_without_them() -> None:
    class Picky(RecordingIngress):
        async def take(self, message: IncomingMessage) -> None:
            if message.attachments:
                raise Refused("The file is gone.")
            await super().take(message)

    receiver, ingress = reading(Histories()), Picky()
    async with asyncio.timeout(PATIENCE), receiver.at_work(ingress, lambda: None):
        receiver.message(a_message("see", files=["a file"]))
        await ingress.until(lambda: ingress.texts)

    assert ingress.texts == ["see"]


async def test_what_was_not_taken_is_handed_in_again_before_what_came_later() -> None:
    receiver, ingress = reading(Histories()), RecordingIngress(failures=2)
    async with asyncio.timeout(PATIENCE), receiver.at_work(ingress, lambda: None):
        receiver.message(a_message("one"))
        receiver.message(a_message("two"))
        await ingress.until(lambda: len(ingress.texts) == 2)

    assert ingress.texts == ["one", "two"]
