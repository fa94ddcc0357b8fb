"""Updates on their way to the ingress: their order, and what a person sees who presses a button."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec import convert

from tests.patience import PATIENCE
from tests.platforms.recording_ingress import RecordingIngress
from tests.unit.gateway.platforms.telegram.client import ScriptedClient
from tests.unit.gateway.platforms.telegram.test_reader import ANN, READER
from wakeful.gateway.messaging.platform import Unanswered
from wakeful.gateway.platforms.telegram.ids import KnownIds
from wakeful.gateway.platforms.telegram.receiver import Receiver
from wakeful.gateway.platforms.telegram.wire import TgUpdate


@dataclass
class Receiving:
    retry_seconds: float = 0.001
    client: ScriptedClient = field(default_factory=lambda: ScriptedClient({"answerCallbackQuery": lambda _: True}))
    ingress: RecordingIngress = field(default_factory=RecordingIngress)
    ids: KnownIds = field(default_factory=KnownIds)

    def __post_init__(self) -> None:
        client: Any = self.client
        self.receiver = Receiver(client, READER, self.ingress, self.ids, retry_seconds=self.retry_seconds)

    async def take(self, **update: Any) -> None:
        async with asyncio.timeout(PATIENCE):
            await self.receiver.take(convert({"update_id": 1} | update, TgUpdate))


def a_message(text: str = "hello", message_id: int = 3, chat_id: int = 7, **values: Any) -> dict[str, Any]:
    chat = {"id": chat_id, "type": "private"}
    return {"message_id": message_id, "chat": chat, "from": ANN, "text": text} | values


def a_press(**values: Any) -> dict[str, Any]:
    return {"id": "q1", "from": ANN, "message": a_message(), "data": "post:once"} | values


async def test_the_id_of_every_message_is_known() -> None:
    telegram = Receiving()
    await telegram.take(message=a_message("", 12))
    await telegram.take(message=a_message("hello", 11))

    assert (telegram.ids.highest("7"), telegram.ingress.texts) == (12, ["hello"])


async def test_messages_of_a_chat_enter_in_their_order_and_hold_up_no_other() -> None:
    telegram = Receiving()
    telegram.ingress.gates["7"] = asyncio.Event()
    first = asyncio.create_task(telegram.take(message=a_message("first", 1)))
    await telegram.ingress.until(lambda: telegram.ingress.reached == ["7"])
    second = asyncio.create_task(telegram.take(message=a_message("second", 2)))
    await telegram.take(message=a_message("beside", 3, chat_id=8))
    assert telegram.ingress.reached == ["7", "8"]
    telegram.ingress.gates["7"].set()
    await asyncio.gather(first, second)

    assert telegram.ingress.texts == ["beside", "first", "second"]
    assert not telegram.receiver._turns, "nothing is kept of a chat that waits for nothing"


@pytest.mark.parametrize(
    ("values", "move"),
    [({"migrate_to_chat_id": -100}, ("-7", "-100")), ({"migrate_from_chat_id": -100}, ("-100", "-7"))],
)
async def test_a_group_that_moves_is_no_message(values: dict[str, Any], move: tuple[str, str]) -> None:
    telegram = Receiving()
    await telegram.take(message=a_message(chat_id=-7, **values))

    assert (telegram.ingress.moves, telegram.ingress.texts) == ([move], [])


async def test_what_is_not_taken_is_handed_in_again() -> None:
    telegram = Receiving()
    telegram.ingress.failures = 2
    await telegram.take(message=a_message())

    assert telegram.ingress.texts == ["hello"]


async def test_what_is_not_taken_is_given_back_where_telegram_sends_it_again() -> None:
    telegram = Receiving(retry_seconds=0.0)
    telegram.ingress.failures = 1
    with pytest.raises(ConnectionError):
        await telegram.take(message=a_message())

    assert telegram.ingress.reached == ["7"]


async def test_a_press_is_answered_with_what_the_ingress_says() -> None:
    telegram = Receiving()
    await telegram.take(callback_query=a_press())

    assert [press.value for press in telegram.ingress.presses] == ["post:once"]
    assert telegram.client.asked("answerCallbackQuery") == [{"callback_query_id": "q1", "text": "Approved."}]


async def test_a_press_that_is_none_of_ours_is_answered_with_nothing() -> None:
    telegram = Receiving()
    await telegram.take(callback_query=a_press(message=None))

    assert telegram.ingress.presses == []
    assert telegram.client.asked("answerCallbackQuery") == [{"callback_query_id": "q1", "text": ""}]


async def test_a_press_that_takes_long_is_answered_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wakeful.gateway.platforms.telegram.receiver._ANSWER_SECONDS", 0.001)
    answered = asyncio.Event()
    telegram = Receiving()
    telegram.client.answers["answerCallbackQuery"] = lambda _: answered.set()
    telegram.ingress.gates["7"] = asyncio.Event()
    pressing = asyncio.create_task(telegram.take(callback_query=a_press()))
    async with asyncio.timeout(PATIENCE):
        await answered.wait()
    assert not pressing.done()
    telegram.ingress.gates["7"].set()
    await pressing

    assert telegram.client.asked("answerCallbackQuery") == [{"callback_query_id": "q1", "text": ""}]
    assert len(telegram.ingress.presses) == 1


async def test_a_long_answer_is_cut_to_what_telegram_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    telegram = Receiving()

    async def press(press: Any) -> str:
        return "a" * 201

    monkeypatch.setattr(telegram.receiver, "_press", press)
    await telegram.take(callback_query=a_press())

    assert telegram.client.asked("answerCallbackQuery")[0]["text"] == "a" * 200


async def test_a_press_counts_though_its_answer_is_lost() -> None:
    telegram = Receiving()
    telegram.client.answers["answerCallbackQuery"] = lambda _: Unanswered("cut")
    await telegram.take(callback_query=a_press())

    assert len(telegram.ingress.presses) == 1


async def test_a_press_that_is_given_up_is_not_handed_in_any_more() -> None:
    telegram = Receiving()
    telegram.ingress.gates["7"] = asyncio.Event()
    pressing = asyncio.create_task(telegram.take(callback_query=a_press()))
    await telegram.ingress.until(lambda: telegram.ingress.reached)
    pressing.cancel()
    await asyncio.gather(pressing, return_exceptions=True)
    telegram.ingress.gates["7"].set()
    left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    await asyncio.gather(*left, return_exceptions=True)

    assert telegram.ingress.presses == []
