"""Who may see what: the operator everything, others what is theirs, and nobody what was deleted."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.requests import Request

from tests.engine.kit import task_for
from wakeful.errors import ConfigError, NotAllowed, SessionNotFound, TaskNotFound
from wakeful.model.approvals.mode import Mode
from wakeful.model.session import Address, Session
from wakeful.model.turn import Door
from wakeful.store.base import Transaction
from wakeful.web.web import Web
from wakeful.wire.errors import InvalidRequest

OWN = Session("ses_1", "ann", Address("web"))
DELETED = replace(OWN, id="ses_2", purge_at=5.0)
BELOW = replace(OWN, id="ses_3", task_id="task_1")
TASK = replace(task_for("ses_1", "turn_1", "task_1"), owner="ann")
OF_DELETED = replace(TASK, id="task_2", session_id="ses_2")
OF_NOTHING = replace(TASK, id="task_3", session_id="ses_none")


def table(*rows: Any) -> Any:
    async def get(number: str) -> Any:
        return {row.id: row for row in rows}.get(number)

    return SimpleNamespace(get=get)


TX = cast(
    Transaction,
    SimpleNamespace(sessions=table(OWN, DELETED, BELOW), tasks=table(TASK, OF_DELETED, OF_NOTHING)),
)


@pytest.fixture
def web() -> Web:
    def check(model: str) -> None:
        if model != "demo:x":
            raise ConfigError("There is no such provider.")

    class Store:
        notifier = SimpleNamespace(listen=lambda _: None, watch=lambda _: None)

        async def read(self, body: Any) -> Any:
            return await body(TX)

    parts: dict[str, Any] = {"engine": None, "store": Store(), "tasks": None, "attachments": None}
    doors = {name: Door(name, async_delivery=True) for name in ("web", "terminal")}
    return Web(**parts, doors=doors, check_model=check, operator="root", model="demo:x", workspace="/")


def by(who: str, **headers: str) -> Request:
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "headers": given, "state": {"principal": who}})


def test_the_operator_sees_all_owners_and_others_see_themselves(web: Web) -> None:
    assert [web.owner_seen_by(by(who)) for who in ("root", "ann")] == [None, "ann"]
    assert [web.may_see(by(who), "ann") for who in ("root", "ann", "bob")] == [True, True, False]


def test_what_is_the_operators_is_refused_to_others(web: Web) -> None:
    web.require_operator(by("root"))
    with pytest.raises(NotAllowed):
        web.require_operator(by("ann"))


@pytest.mark.parametrize("who", ["root", "ann"])
async def test_a_session_is_found_by_its_owner_and_the_operator(web: Web, who: str) -> None:
    assert await web.require_session(TX, by(who), "ses_1") == OWN
    assert await web.find_session(by(who), "ses_1") == OWN
    assert await web.require_task(TX, by(who), "task_1") == TASK


@pytest.mark.parametrize(("who", "session_id"), [("bob", "ses_1"), ("ann", "ses_2"), ("root", "ses_2"), ("ann", "x")])
async def test_another_owners_session_is_as_unknown_as_one_that_is_gone(web: Web, who: str, session_id: str) -> None:
    for finding in (web.require_session(TX, by(who), session_id), web.find_session(by(who), session_id)):
        with pytest.raises(SessionNotFound) as refused:
            await finding
        assert str(refused.value) == f"There is no session {session_id}."


@pytest.mark.parametrize(
    ("who", "task_id"), [("bob", "task_1"), ("ann", "task_2"), ("ann", "task_3"), ("root", "task_2"), ("ann", "x")]
)
async def test_another_owners_task_is_as_unknown_as_one_that_is_gone(web: Web, who: str, task_id: str) -> None:
    with pytest.raises(TaskNotFound, match=f"There is no task {task_id}"):
        await web.require_task(TX, by(who), task_id)


def test_a_model_that_nobody_serves_is_refused_with_the_reason(web: Web) -> None:
    assert web.checked_model("demo:x") == "demo:x"
    with pytest.raises(InvalidRequest, match="There is no such provider"):
        web.checked_model("demo:y")


def test_a_request_comes_through_the_door_that_it_names(web: Web) -> None:
    assert web.door(by("ann")).name == "web"
    assert web.door(by("ann", x_wakeful_door="terminal")).name == "terminal"
    with pytest.raises(InvalidRequest):
        web.door(by("ann", x_wakeful_door="window"))


async def test_a_sub_agent_has_the_mode_of_the_session_at_the_top(web: Web) -> None:
    top = replace(OWN, mode=Mode.READ_ONLY)
    tx = cast(Transaction, SimpleNamespace(sessions=table(top, BELOW), tasks=table(TASK)))

    assert await web.mode_in(tx, BELOW) == Mode.READ_ONLY
    assert await web.mode_in(TX, BELOW) == web.mode
