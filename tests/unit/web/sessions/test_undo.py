"""POST /api/session/undo: what is asked of the desk that undoes, and what it has done."""

from types import SimpleNamespace
from typing import Any, cast

import orjson
import pytest
from starlette.requests import Request

from wakeful.model.session import Address, Session
from wakeful.web.sessions.undo import UndoRoutes
from wakeful.web.web import Web


class Desk:
    def __init__(self) -> None:
        self.asked: tuple[Any, ...] = ()

    async def undo(self, session_id: str, turn_id: str, call_id: str, *, force: bool) -> Any:
        self.asked = (session_id, turn_id, call_id, force)
        return SimpleNamespace(undone={"a.txt": "restored"}, skipped={"b.txt": "changed"})


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({}, ("", "", False)),
        ({"turn_id": "turn_1"}, ("turn_1", "", False)),
        ({"turn_id": "turn_1", "call_id": "call_1", "force": True}, ("turn_1", "call_1", True)),
    ],
)
async def test_an_undo_is_of_what_the_client_names_and_forced_only_if_it_says_so(
    given: dict[str, Any], asked: tuple[Any, ...]
) -> None:
    async def find_session(request: Request, session_id: str) -> Session:
        return Session(session_id, "ann", Address("web"))

    async def receive() -> Any:
        return {"type": "http.request", "body": orjson.dumps({"session_id": "ses_1", **given})}

    desk = Desk()
    web = cast(Web, SimpleNamespace(find_session=find_session, engine=SimpleNamespace(undo_desk=desk)))

    answer = await UndoRoutes(web).undo(Request({"type": "http", "headers": []}, receive))

    assert desk.asked == ("ses_1", *asked)
    assert orjson.loads(answer.body) == {
        "undone": [{"path": "a.txt", "kind": "restored"}],
        "skipped": [{"path": "b.txt", "reason": "changed"}],
    }
