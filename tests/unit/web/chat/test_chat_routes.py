"""Routes of chat: what they submit to the engine, with which model, key, files and source."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import orjson
import pytest
from starlette.requests import Request

from tests.store.nouns import DOOR, a_session, a_turn
from wakeful.engine.inbox.rewinding import Retake
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.model.inbox import IfBusy
from wakeful.model.session import Session
from wakeful.store.base import Transaction
from wakeful.web.chat import routes
from wakeful.web.chat.routes import ChatRoutes
from wakeful.web.web import Web
from wakeful.wire.errors import InvalidRequest


class Desk:
    """Stands in for what the routes ask, and keeps what reaches it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.submitted: list[Submission] = []
        self.befores: list[Any] = []
        self.claimed: list[tuple[Any, ...]] = []
        self.withdrawn: list[tuple[str, str]] = []
        self.engine = self.attachments = self.store = self
        self.model = "demo:server"

    async def find_session(self, request: Request, session_id: str) -> Session:
        assert (request.state.principal, session_id) == ("ann", self.session.id)
        return self.session

    async def require_session(self, tx: Transaction, request: Request, session_id: str) -> Session:
        return await self.find_session(request, session_id)

    async def read(self, body: Any) -> Any:
        return await body("tx")

    def door(self, request: Request) -> Any:
        return DOOR

    def checked_model(self, name: str) -> str:
        return f"checked {name}"

    async def submit(self, submission: Submission, before: Any = None) -> Receipt:
        self.submitted.append(submission)
        self.befores.append(before)
        return Receipt(submission.session_id, "turn_9", is_queued=True)

    async def claim(self, ids: list[str], session: Session, principal: str) -> Any:
        self.claimed.append((ids, session.id, principal))
        return tuple(f"file {of}" for of in ids)

    async def withdraw(self, session_id: str, turn_id: str) -> None:
        self.withdrawn.append((session_id, turn_id))

    async def cancel(self, session_id: str) -> bool:
        return session_id == self.session.id


@pytest.fixture
def desk() -> Desk:
    return Desk(a_session())


async def told(desk: Desk, route: str, **given: Any) -> Any:
    async def receive() -> Any:
        return {"type": "http.request", "body": orjson.dumps({"session_id": "s1", **given})}

    request = Request({"type": "http", "headers": [], "state": {"principal": "ann"}}, receive)
    answer = await getattr(ChatRoutes(cast(Web, desk)), route)(request)
    return orjson.loads(answer.body)


@pytest.mark.parametrize(
    ("given", "of_session", "model"),
    [
        ({"model": " demo:own "}, "demo:model", "checked demo:own"),
        ({}, "demo:model", "demo:model"),
        ({}, "", "demo:server"),
    ],
)
async def test_a_message_is_answered_by_its_own_model_the_sessions_or_the_servers(
    desk: Desk, given: dict[str, Any], of_session: str, model: str
) -> None:
    desk.session = replace(desk.session, model=of_session)

    await told(desk, "start", message="hi", **given)

    assert [submission.model for submission in desk.submitted] == [model]


async def test_a_message_is_submitted_as_it_was_sent(desk: Desk) -> None:
    receipt = await told(desk, "start", message=" hi ", client_message_id="m1", if_busy="steer")

    (submission,) = desk.submitted
    assert receipt == {"session_id": "s1", "turn_id": "turn_9", "stream_id": "turn_9", "queued": True}
    assert (submission.text, submission.dedupe_key, submission.if_busy) == (" hi ", "m1", IfBusy.STEER)
    assert (submission.session_id, submission.door, submission.address) == ("s1", DOOR, desk.session.address)
    assert (submission.attachments, desk.claimed) == ((), [])


async def test_messages_without_an_id_are_never_taken_for_the_same(desk: Desk) -> None:
    for _ in range(2):
        await told(desk, "start", message="hi")

    first, second = (submission.dedupe_key for submission in desk.submitted)
    assert first.startswith("msg_")
    assert first != second
    assert {submission.if_busy for submission in desk.submitted} == {IfBusy.QUEUE}


async def test_a_message_has_each_of_its_files_once(desk: Desk) -> None:
    await told(desk, "start", attachments=["b", "a", "b"])

    assert desk.claimed == [(["b", "a"], "s1", "ann")]
    assert desk.submitted[0].attachments == cast(Any, ("file b", "file a"))


@pytest.mark.parametrize("given", [{}, {"message": " \n"}, {"message": "", "attachments": []}])
async def test_a_message_without_words_and_files_is_refused(desk: Desk, given: dict[str, Any]) -> None:
    for route, more in (("start", {}), ("edit", {"message_id": "t1.0.0"})):
        with pytest.raises(InvalidRequest, match="message must be a non-empty text"):
            await told(desk, route, **given, **more)
    assert desk.submitted == []


async def test_an_edit_of_no_message_is_refused(desk: Desk) -> None:
    with pytest.raises(InvalidRequest, match="message_id must be the id of a message"):
        await told(desk, "edit", message="hi", message_id="x")


@pytest.mark.parametrize(
    ("text", "is_wakeup", "source"), [("hi", False, "user"), ("", False, "cron"), ("hi", True, "cron")]
)
async def test_an_answer_that_is_given_again_has_the_source_of_what_it_answers(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, text: str, is_wakeup: bool, source: str
) -> None:
    asked: list[tuple[Any, ...]] = []
    retake = Retake(a_turn(source="cron", is_wakeup=is_wakeup), cast(Any, ("an input",)), text)

    async def is_accepted(tx: Any, session_id: str, key: str) -> bool:
        asked.append((tx, session_id, key))
        return False

    async def edited(tx: Any, session: Session, *what: Any) -> Retake:
        asked.append((tx, session.id, *what))
        return retake

    monkeypatch.setattr(routes, "is_accepted", is_accepted)
    monkeypatch.setattr(routes, "edited", edited)
    monkeypatch.setattr(routes, "rewind", lambda *what: what)

    await told(desk, "edit", message="hi", message_id="t1.2.3", client_message_id="m1", attachments=["a"])

    (submission,) = desk.submitted
    assert asked == [("tx", "s1", "m1"), ("tx", "s1", "t1", (2, 3), "hi", ("file a",))]
    assert (submission.text, submission.inputs, submission.source) == (text, retake.inputs, source)
    assert desk.befores == [("s1", retake.turn, "m1")]


async def test_an_edit_that_comes_twice_is_done_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def is_accepted(tx: Any, session_id: str, key: str) -> bool:
        return True

    monkeypatch.setattr(routes, "is_accepted", is_accepted)

    await told(desk, "edit", message="hi", message_id="t1.0.0", client_message_id="m1")
    await told(desk, "regenerate", client_message_id="m1")

    assert [(submission.text, submission.dedupe_key) for submission in desk.submitted] == [("hi", "m1"), ("", "m1")]
    assert desk.befores == [None, None]


@pytest.mark.parametrize(
    ("given", "of_session", "model", "focus"),
    [
        ({"focus": " the tests "}, "demo:model", "demo:model", "the tests"),
        ({}, "", "demo:server", ""),
    ],
)
async def test_a_conversation_is_summed_up_with_its_model_and_focus(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], of_session: str, model: str, focus: str
) -> None:
    desk.session = replace(desk.session, model=of_session)
    asked: list[tuple[Any, ...]] = []

    def compaction_of(session: Session, *what: Any) -> Any:
        asked.append((session.id, *what))
        return SimpleNamespace(session_id=session.id)

    monkeypatch.setattr(routes, "compaction_of", compaction_of)
    monkeypatch.setattr(routes, "require_messages", lambda session_id: f"messages of {session_id}")

    assert await told(desk, "compact", **given) == {"turn_id": "turn_9", "stream_id": "turn_9"}
    assert asked == [("s1", DOOR, model, focus)]
    assert desk.befores == ["messages of s1"]


async def test_a_turn_is_withdrawn_or_cancelled_in_its_session(desk: Desk) -> None:
    assert await told(desk, "withdraw", turn_id="turn_3") == {"ok": True}
    assert desk.withdrawn == [("s1", "turn_3")]
    assert await told(desk, "cancel") == {"cancelled": True}
