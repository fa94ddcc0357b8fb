"""Questions to a person in a chat: one post with buttons, answered by those who may talk there."""

import asyncio
from pathlib import Path

import pytest

from tests.engine.asking import DELETES
from tests.messaging.kit import Chatting, chatting
from wakeful.gateway.messaging.platform import Button, Press
from wakeful.model.approvals.approval import Choice, Question
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.session import Address, Sender
from wakeful.store.base import Store


async def asking(chat: Chatting) -> asyncio.Task[Choice | None]:
    await chat.write("clean up", "5")
    turn = chat.agent.briefs[await chat.turn()].turn
    question = Question("call_1", "terminal", "rm -r /srv", DELETES)
    answer = asyncio.create_task(chat.engine.approvals.ask(turn, 1, 1, question))
    await chat.platform.until(lambda: bool(chat.platform.texts("1")))
    return answer


def press(button: Button, user_id: str = "9") -> Press:
    return Press(Address("telegram", "1", "", Sender("", user_id, "Ada")), ChatKind.PRIVATE, button.value, "1")


def buttons(chat: Chatting) -> list[Button]:
    return list(chat.platform.requests[0][2].buttons)


async def test_a_question_shows_the_command_the_reason_and_the_answers(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        answer = await asking(chat)

        (shown,) = chat.platform.texts("1")
        assert shown == "May I run this?\n\n<pre>rm -r /srv</pre>\n\nIt deletes outside of the folder."
        assert [button.label for button in buttons(chat)] == ["Once", "Session", "Folder", "Deny"]
        assert all(len(button.value) <= 64 for button in buttons(chat))
        answer.cancel()


@pytest.mark.parametrize(
    ("number", "choice", "shown"), [(0, Choice.ONCE, "Approved (once) by Ada."), (3, Choice.DENY, "Denied by Ada.")]
)
async def test_a_press_answers_and_the_post_says_so(
    store: Store, tmp_path: Path, number: int, choice: Choice, shown: str
) -> None:
    async with chatting(store, tmp_path) as chat:
        answer = await asking(chat)
        first = await chat.ingress.press(press(buttons(chat)[number]))
        await chat.shows(shown)
        second = await chat.ingress.press(press(buttons(chat)[0]))

        assert await answer is choice
        assert (first.text, second.text) == (shown, "Already answered.")
        assert list(chat.platform.requests[-1][2].buttons) == []


async def test_a_stranger_answers_nothing(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        answer = await asking(chat)
        refused = await chat.ingress.press(press(buttons(chat)[0], user_id="66"))

        assert refused.text == "Only people who may talk to me can answer this."
        assert not answer.done()
        answer.cancel()


async def test_what_no_button_has_answers_nothing(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        answer = await asking(chat)
        forged = press(Button("", buttons(chat)[0].value.replace("once", "always")))

        assert (await chat.ingress.press(forged)).text == "Already answered."
        assert not answer.done()
        answer.cancel()


async def test_an_answer_from_elsewhere_takes_the_buttons_away(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        answer = await asking(chat)
        session_id = next(iter(chat.agent.briefs.values())).turn.session_id
        await chat.engine.approvals.answer(session_id, "call_1", Choice.ONCE)
        await chat.shows("Answered elsewhere.")
        late = await chat.ingress.press(press(buttons(chat)[0]))

        assert await answer is Choice.ONCE
        assert late.text == "Already answered."


async def test_a_command_answers_the_oldest_question(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        answer = await asking(chat)
        await chat.write("/deny", "6")
        await chat.shows("Answered elsewhere.", "Denied.")

        assert await answer is Choice.DENY


async def test_a_question_that_nobody_answers_in_time_says_so(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path, engine_changes={"approval_seconds": 0.05}) as chat:
        answer = await asking(chat)
        await chat.shows("Expired.")
        late = await chat.ingress.press(press(buttons(chat)[0]))

        assert await answer is None
        assert late.text == "Already answered."
        assert list(chat.platform.requests[-1][2].buttons) == []
