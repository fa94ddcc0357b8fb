"""How far sub-agents have come: each with what those below it have used, and what it does itself."""

from types import SimpleNamespace
from typing import Any, cast

from tests.store.nouns import a_session, a_task, a_turn
from wakeful.model.journal.entry import answer_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.tasks.task import TaskKind
from wakeful.store.base import Transaction
from wakeful.web.feeds.works import shown_work, works_in

_DELEGATION: dict[str, Any] = {"kind": TaskKind.DELEGATION}
SESSIONS = {
    session.id: session
    for session in (
        a_session("top"),
        # Its turn has ended; it has had another before.
        a_session("one", head="turn_2", input_tokens=10, output_tokens=1),
        a_session("two", active="turn_3", model="demo:other", input_tokens=100, output_tokens=2),
        a_session("below", head="turn_4", input_tokens=1000, output_tokens=3),
        a_session("deepest", input_tokens=10_000, output_tokens=4),
    )
}
CHILDREN = {"one": [], "two": ["below", "purged"], "below": ["deepest"], "deepest": []}
RUNNING = {
    "top": [
        a_task("task_one", child_session_id="one", **_DELEGATION),
        a_task("task_two", child_session_id="two", **_DELEGATION),
        a_task("task_gone", child_session_id="purged", **_DELEGATION),
        a_task("process"),
    ],
    "two": [a_task("task_below", child_session_id="below", **_DELEGATION), a_task("another_process")],
    "below": [a_task("task_deepest", child_session_id="deepest", **_DELEGATION)],
}
CHAINS = {"turn_2": ["turn_2", "turn_1"], "turn_3": ["turn_3"], "turn_4": ["turn_4"]}
_CALL = ToolCall("call_1", "terminal", '{"command": "make"}')
ANSWERS = {
    turn_id: answer_entry(turn_id, Answered(step, AssistantMessage(text, calls=calls), Usage(1, 1)))
    for turn_id, step, text, calls in (
        ("turn_1", 5, "long ago", ()),
        ("turn_2", 2, "I am done.", ()),
        ("turn_3", 3, "Now I build.", (_CALL,)),
        ("turn_4", 1, "", ()),
    )
}


async def _get(session_id: str) -> Any:
    return SESSIONS.get(session_id)


async def _children(session_id: str) -> list[str]:
    return CHILDREN[session_id]


async def _running_in(session_id: str) -> Any:
    return RUNNING.get(session_id, [])


async def _chain(turn_id: str, limit: int) -> Any:
    return [a_turn(each) for each in CHAINS[turn_id][:limit]]


async def _last_answers(turn_ids: list[str]) -> Any:
    return {turn_id: ANSWERS[turn_id] for turn_id in turn_ids if turn_id in ANSWERS}


async def _of_step(turn_id: str, step: int) -> Any:
    return [answer for answer in ANSWERS.values() if (answer.turn_id, answer.step) == (turn_id, step)]


TX = cast(
    Transaction,
    SimpleNamespace(
        sessions=SimpleNamespace(get=_get, children=_children),
        tasks=SimpleNamespace(running_in=_running_in),
        turns=SimpleNamespace(chain=_chain),
        journal=SimpleNamespace(last_answers=_last_answers, of_step=_of_step),
    ),
)


async def test_each_running_sub_agent_is_shown_with_what_is_below_it() -> None:
    found = await works_in(TX, "top")

    shown = {task_id: shown_work(work) for task_id, work in found.works.items()}
    assert {task_id: (work["steps"], work["sub_agents"]) for task_id, work in shown.items()} == {
        "task_one": (7, 0),
        "task_two": (4, 2),
    }
    used = {task_id: (work["input_tokens"], work["output_tokens"]) for task_id, work in shown.items()}
    assert used == {"task_one": (10, 1), "task_two": (11_100, 9)}
    assert found.sessions == {"one", "two", "below", "deepest"}


async def test_a_sub_agent_tells_what_it_does_and_its_model_if_that_is_another() -> None:
    one, two = (await works_in(TX, "top")).works.values()

    assert (one.tool, one.argument, one.words, one.model) == ("", "", "I am done.", "")
    assert (two.tool, two.argument, two.words, two.model) == ("terminal", "make", "Now I build.", "demo:other")


async def test_a_sub_agent_that_has_not_begun_has_done_nothing() -> None:
    (work,) = (await works_in(TX, "below")).works.values()

    assert work.spend == SESSIONS["deepest"].spend
    assert (work.steps, work.sub_agents, work.words, work.tool) == (0, 0, "", "")


async def test_a_session_without_sub_agents_has_no_works() -> None:
    found = await works_in(TX, "one")

    assert (found.works, found.sessions) == ({}, frozenset())
