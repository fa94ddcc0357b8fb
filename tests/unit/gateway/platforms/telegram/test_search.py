"""A message to Telegram whose send went unanswered, asked for by an edit that changes nothing."""

from typing import Any

import pytest

from tests.unit.gateway.platforms.telegram.client import ScriptedClient
from wakeful.gateway.messaging.platform import Button, LookedUp, Message, NotTaken, Whereabouts
from wakeful.gateway.platforms.telegram.client import TelegramRefusal
from wakeful.gateway.platforms.telegram.ids import KnownIds
from wakeful.gateway.platforms.telegram.search import LostMessageSearch

NOT_FOUND = TelegramRefusal(400, "Bad Request: message to edit not found")
NOT_OURS = TelegramRefusal(400, "Bad Request: message can't be edited")
OURS = TelegramRefusal(400, "Bad Request: message is not modified")
BLOCKED = TelegramRefusal(403, "Forbidden: bot was blocked by the user")


class Search:
    def __init__(self, *known: int, **answers: Any) -> None:
        """`answers` are by the id, such as id12; any other id is not found."""
        self.ids = KnownIds()
        for message_id in known:
            self.ids.note("7", message_id)
        self.client = ScriptedClient(
            {"editMessageReplyMarkup": lambda params: answers.get(f"id{params['message_id']}", NOT_FOUND)}
        )

    async def find(self, highest: int = 10, message: Message | None = None) -> LookedUp:
        client: Any = self.client
        return await LostMessageSearch(client, self.ids).find("7", highest, message or Message("words"))

    @property
    def asked(self) -> list[int]:
        return [params["message_id"] for params in self.client.asked("editMessageReplyMarkup")]


@pytest.mark.parametrize("answer", [OURS, True])
async def test_the_first_id_that_is_ours_is_the_message(answer: Any) -> None:
    search = Search(10, 11, id12=NOT_OURS, id13=answer)

    assert await search.find() == LookedUp(Whereabouts.FOUND, "13")
    assert search.asked == [12, 13]
    assert search.ids.highest("7") == 13, "no other lost message is it"


async def test_where_none_is_ours_it_did_not_arrive() -> None:
    search = Search(10)

    assert await search.find() == LookedUp(Whereabouts.ABSENT)
    assert search.asked == list(range(11, 21))


async def test_a_chat_that_refuses_the_question_is_unknowable() -> None:
    search = Search(10, id11=BLOCKED)

    assert await search.find() == LookedUp(Whereabouts.UNKNOWABLE)
    assert search.asked == [11]


async def test_of_too_many_ids_none_is_asked_for() -> None:
    search = Search(10, 100)

    assert (await search.find(), search.asked) == (LookedUp(Whereabouts.UNKNOWABLE), [])


async def test_a_limit_ends_the_search_for_now() -> None:
    with pytest.raises(NotTaken):
        await Search(10, id11=NotTaken("limit", seconds=3.0)).find()


async def test_the_question_leaves_the_message_its_buttons() -> None:
    search = Search(10, id11=True)
    await search.find(message=Message("May I?", buttons=[Button("Once", "p:once")]))

    assert search.client.calls[0][1]["reply_markup"] == {
        "inline_keyboard": [[{"text": "Once", "callback_data": "p:once"}]]
    }
