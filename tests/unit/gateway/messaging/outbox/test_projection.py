"""The facts of a session as posts: which there are, where they go, and that a fact makes no second one."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.store.nouns import a_row, a_turn, close_turn, have_row, have_session
from wakeful.gateway.messaging.outbox import projection as projection_module
from wakeful.gateway.messaging.outbox.projection import PostWriter, Projection
from wakeful.gateway.messaging.settings import DoorSettings, ShownProgress
from wakeful.model import event as events
from wakeful.model.event import NewEvent
from wakeful.model.inbox import RowKind
from wakeful.model.journal.entry import Entry, answer_entry, input_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.messaging.post import Post, PostKind
from wakeful.model.opening import Opening
from wakeful.model.session import Address, Sender
from wakeful.model.turn import Door, Turn
from wakeful.store.base import Store, Transaction

DOOR = DoorSettings()
CHAT = Address("telegram", "1")
# Who wrote, and the message that is answered.
WRITTEN = Address("telegram", "1", "", Sender("55", "9"))
NOTICE = {"kind": "exit", "command": "make", "exit_code": 0}


async def begin(store: Store, turn_id: str = "t1", session: dict[str, Any] | None = None, **changes: Any) -> Turn:
    """Open a turn of a chat."""
    usual: dict[str, Any] = {"address": CHAT, "chat_key": "telegram:private:1"}
    await have_session(store, "s1", **usual | (session or {}))
    turn = a_turn(turn_id, **{"address": WRITTEN} | changes)
    await store.write(lambda tx: tx.open(Opening(turn)), lock=["s1"])
    return turn


async def record(store: Store, *facts: NewEvent, turn_id: str | None = "t1", entries: Sequence[Entry] = ()) -> None:
    async def body(tx: Transaction) -> None:
        await tx.journal.add(entries)
        await tx.events.append("s1", turn_id, facts)

    await store.write(body, lock=["s1"])


async def project(store: Store, settings: DoorSettings = DOOR, platform: str = "telegram") -> bool:
    return await store.write(lambda tx: Projection({platform: settings}).advance(tx, "s1"))


async def posts(store: Store) -> list[Post]:
    found = await store.read(lambda tx: tx.posts.page(limit=100))
    return sorted(found, key=lambda post: (post.position, post.part))


async def texts(store: Store) -> list[str]:
    return [post.wanted for post in await posts(store)]


def answer(text: str, step: int = 1, turn_id: str = "t1") -> Entry:
    return answer_entry(turn_id, Answered(step, AssistantMessage(text), Usage(1, 1)))


def used(step: int = 1) -> NewEvent:
    return NewEvent.of(events.USAGE, {"step": step, "usage": {}})


def tool(call_id: str, name: str = "terminal") -> NewEvent:
    return NewEvent.of(events.TOOL, {"step": 1, "call_id": call_id, "name": name, "arguments": '{"command": "ls"}'})


def result(call_id: str, text: str = "ok") -> NewEvent:
    return NewEvent.of(events.TOOL_COMPLETE, {"step": 1, "call_id": call_id, "result": text})


def failed(message: str = "It broke.") -> NewEvent:
    return NewEvent.of(events.FAILED, {"turn_id": "t1", "code": "model_unavailable", "message": message})


STOPPED = NewEvent.of(events.CANCELLED, {"turn_id": "t1"})
DONE = NewEvent.of(events.DONE, {"turn_id": "t1"})


async def test_an_answer_is_one_post_however_often_it_is_made(store: Store) -> None:
    await begin(store)
    await record(store, used(), entries=[answer("Hi")])
    await project(store)
    await store.write(lambda tx: tx.outbox_cursors.put("s1", 0))
    await project(store)
    await record(store, DONE)
    await project(store)

    (post,) = await posts(store)
    assert (post.wanted, post.kind, post.key, post.turn_id) == ("Hi", PostKind.ANSWER, "t1:1:0", "t1")
    assert post.address == CHAT, "in private nothing is replied to"


async def test_a_page_is_made_at_a_time_and_none_twice(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projection_module, "_PAGE", 2)
    await begin(store)
    await record(store, tool("a"), tool("b"), tool("c"))

    assert [await project(store), await project(store), await project(store)] == [True, False, False]
    assert (await texts(store))[0].count("• terminal") == 3


async def test_sessions_of_other_doors_and_of_sub_agents_have_no_posts(store: Store) -> None:
    await begin(store, session={"task_id": "k1"})
    await record(store, used(), entries=[answer("Hi")])

    assert await project(store, platform="slack") is False
    await project(store)

    assert await posts(store) == []
    assert await store.write(lambda tx: tx.outbox_cursors.hold("s1")) > 0, "and are not looked at again"
    assert await store.write(lambda tx: Projection({"telegram": DOOR}).advance(tx, "none")) is False


async def test_a_turn_of_the_page_is_not_posted(store: Store) -> None:
    await begin(store, door=Door("web", True))
    await record(store, used(), DONE, entries=[answer("Hi")])
    await project(store)

    assert await posts(store) == []


@pytest.mark.parametrize(
    ("session", "changes", "anchors"),
    [
        ({"chat_key": "telegram:group:1"}, {}, ["55", "", ""]),
        ({}, {"is_wakeup": True, "source": "process_wakeup"}, ["55", "", ""]),
        ({}, {}, ["", "", ""]),
        ({"chat_key": "telegram:group:1", "address": Address("telegram", "2")}, {}, ["", "", ""]),
    ],
)
async def test_only_the_first_post_replies_in_a_group_and_when_work_has_ended(
    store: Store, session: dict[str, Any], changes: dict[str, Any], anchors: list[str]
) -> None:
    await begin(store, session=session, **changes)
    await record(store, used(1), used(2), DONE, entries=[answer("a" * 5000), answer("b", 2)])
    await project(store)

    found = await posts(store)
    assert [post.address.sender.message_id for post in found] == anchors
    assert {post.address.chat_id for post in found} == {session.get("address", CHAT).chat_id}
    assert [post.part for post in found] == [0, 1000, 0]
    assert found[0].position == found[1].position < found[2].position


async def test_what_is_left_of_longer_words_that_were_taken_back_shows_nothing(store: Store) -> None:
    turn = await begin(store)
    session = await store.read(lambda tx: tx.sessions.get("s1"))
    assert session is not None

    async def write(text: str, tx: Transaction) -> list[Post]:
        return await PostWriter(tx, session, DOOR).answer(turn, 1, text)

    first = await store.write(partial(write, "a" * 5000))
    second = await store.write(partial(write, "short"))

    assert [post.id for post in first] == [post.id for post in second]
    assert await texts(store) == ["short", "…"]
    assert await store.write(partial(write, "  ")) == []


async def test_calls_stand_in_one_post_each_with_its_result_if_that_is_wanted(store: Store) -> None:
    await begin(store)
    await record(store, tool("a"), tool("b", "other"), result("a"), result("unknown"))
    await project(store, replace(DOOR, progress=ShownProgress.ALL))

    (post,) = await posts(store)
    assert (post.wanted, post.kind) == ("• terminal: ls → ok\n• other: ls", PostKind.PROGRESS)


@pytest.mark.parametrize(("progress", "shown"), [(ShownProgress.SHORT, ["• terminal: ls"]), (ShownProgress.OFF, [])])
async def test_less_of_them_is_shown_where_less_is_wanted(
    store: Store, progress: ShownProgress, shown: list[str]
) -> None:
    await begin(store)
    await record(store, tool("a"), result("a"), NewEvent.of(events.STEP_ABANDONED, {"step": 1}))
    await project(store, replace(DOOR, progress=progress))

    assert await texts(store) == shown


@pytest.mark.parametrize(("attempt", "said"), [(0, ["The model could not answer: It broke."]), (1, [])])
async def test_a_failure_is_said_once(store: Store, attempt: int, said: list[str]) -> None:
    await begin(store, attempt=attempt)
    await record(store, failed())
    await project(store)

    assert await texts(store) == said


def noticed(step: int = 0) -> Entry:
    return input_entry("t1", step, 0, {"source": "process_wakeup", "message_id": "k1", "text": "", "notice": NOTICE})


@pytest.mark.parametrize("has_answered", [False, True])
async def test_a_wake_up_that_fails_says_what_ended_unless_it_has_said_so(store: Store, has_answered: bool) -> None:
    await begin(store, is_wakeup=True, source="process_wakeup")
    await record(store, failed(), entries=[noticed(), *([answer("Hm.")] if has_answered else [])])
    await project(store)

    line, error = "⏰ make (exit code 0)", "The model could not answer: It broke."
    assert await texts(store) == ([f"{line}\n\nHm.", error] if has_answered else [f"{line}\n\n{error}"])


async def test_a_wake_up_is_posted_when_it_ends_with_all_its_words(store: Store) -> None:
    await begin(store, is_wakeup=True, source="process_wakeup")
    await record(store, used(1), tool("a"), used(2), entries=[noticed(), answer("One."), answer("Two.", 2)])
    await project(store)
    assert await posts(store) == []

    await record(store, DONE)
    await project(store)
    assert await texts(store) == ["⏰ make (exit code 0)\n\nOne.", "Two."]


async def test_a_stopped_answer_says_so_once(store: Store) -> None:
    await begin(store)
    await record(store, used(1), tool("a"), used(2), entries=[answer("One."), answer("Two.", 2)])
    await record(store, STOPPED, STOPPED)
    await project(store)

    assert await texts(store) == ["One.", "• terminal: ls", "Two.\n\n(stopped)"]


async def test_a_turn_that_is_stopped_before_it_said_anything_has_no_post(store: Store) -> None:
    await begin(store)
    await record(store, STOPPED)
    await project(store)

    assert await posts(store) == []


def required(choices: Sequence[str] = ("once", "deny")) -> NewEvent:
    data = {"call_id": "c1", "command": "rm -r /", "reason": "deletes a folder", "choices": list(choices)}
    return NewEvent.of(events.APPROVAL_REQUIRED, data)


@pytest.mark.parametrize(("choice", "words"), [("expired", "Expired."), ("once", "Answered elsewhere.")])
async def test_a_question_has_buttons_until_it_is_answered(store: Store, choice: str, words: str) -> None:
    await begin(store, session={"chat_key": "telegram:group:1"})
    await record(store, required(), turn_id=None)
    await project(store)
    (asked,) = await posts(store)
    await record(store, NewEvent.of(events.APPROVAL_ANSWERED, {"call_id": "c1", "choice": choice}), turn_id=None)
    await project(store)
    (answered,) = await posts(store)

    assert (asked.kind, asked.details["choices"], asked.turn_id) == (PostKind.APPROVAL, ["once", "deny"], "t1")
    assert asked.wanted == "May I run this?\n```\nrm -r /\n```\nIt deletes a folder."
    assert asked.address.sender.message_id == "55"
    assert (answered.id, answered.wanted, answered.details["choices"]) == (asked.id, words, [])


async def test_a_question_after_its_turn_goes_to_the_chat_and_an_answer_by_its_buttons_stays(store: Store) -> None:
    await begin(store)
    await close_turn(store, "t1")
    await record(store, required(choices=()), turn_id=None)
    await record(store, NewEvent.of(events.APPROVAL_ANSWERED, {"call_id": "c1", "choice": "once"}), turn_id=None)
    await project(store)

    (post,) = await posts(store)
    assert (post.address, post.turn_id) == (CHAT, None)
    assert post.wanted.startswith("May I run this?"), "what the press has written stays"


def waits(**data: str) -> NewEvent:
    return NewEvent.of(events.WAKE_WAITS, data)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({}, "2 notices wait: I have woken myself too often this hour. Write to me to go on."),
        ({"reason": "budget"}, "2 notices wait: I have woken myself too often this hour. Write to me to go on."),
        ({"reason": "spend"}, "3 things wait: today's budget is spent. Write to me to go on."),
    ],
)
async def test_what_waits_is_said_once_until_a_person_writes(store: Store, data: dict[str, str], sentence: str) -> None:
    await begin(store)
    await close_turn(store, "t1")
    for key, row in (("n1", {"kind": RowKind.NOTICE}), ("n2", {"kind": RowKind.NOTICE}), ("m1", {"source": "cron"})):
        await have_row(store, a_row(key, **row))
    await have_row(store, a_row("m2"))
    await record(store, waits(**data), waits(**data), turn_id=None)
    await project(store)
    assert await texts(store) == [sentence]
    await begin(store, "t2", is_wakeup=True, source="process_wakeup")
    await close_turn(store, "t2")
    await record(store, waits(**data), turn_id=None)
    await project(store)
    assert await texts(store) == [sentence], "a wake-up is no person"
    await begin(store, "t3")
    await close_turn(store, "t3")
    await record(store, waits(**data), turn_id=None)
    await project(store)

    assert await texts(store) == [sentence, sentence]
    assert [post.address for post in await posts(store)] == [CHAT, CHAT]


async def test_nothing_is_said_where_nothing_waits_any_more(store: Store) -> None:
    await begin(store)
    await have_row(store, a_row("m1"))
    await record(store, waits(reason="spend"), waits(), turn_id=None)
    await project(store)

    assert await texts(store) == []
