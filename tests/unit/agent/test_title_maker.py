from collections.abc import AsyncGenerator

import pytest

from wakeful.agent.providers.base import AnswerPart, Finished, ModelRequest
from wakeful.agent.title_maker import TitleMaker
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.spend import Spend


class Model:
    def __init__(self, answer: str) -> None:
        self._answer = answer

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        yield Finished(AssistantMessage(self._answer), Usage(20, 4))

    async def close(self) -> None: ...


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ("Counting the sheep", "Counting the sheep"),
        ('\n**"Counting the sheep."**\nIt is about sheep.', "Counting the sheep"),
        ("Title: Eight words are still a title, not more", "Eight words are still a title, not more"),
        ("Sure! Here is a title for your conversation about sheep", ""),
        ("", ""),
    ],
)
async def test_a_title_has_at_most_eight_words(answer: str, title: str) -> None:
    maker = TitleMaker(lambda name: (Model(answer), name))
    assert await maker.ask("any:model", "count the sheep", "done") == (title, Spend(20, 4, 0.0, 24))


async def test_a_title_says_what_it_cost() -> None:
    maker = TitleMaker(lambda name: (Model("Sheep"), name), lambda model, usage: 0.25)

    assert await maker.ask("any:model", "count the sheep", "done") == ("Sheep", Spend(20, 4, 0.25))
