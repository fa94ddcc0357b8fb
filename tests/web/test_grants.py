"""Questions and grants over the web: listed, answered, revoked."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.web.kit import Served
from wakeful.model.approvals.approval import Choice, Question, Reason

DISCARDS = Reason("discard_work", "discards uncommitted work", None, "git reset --hard")
HIDES = Reason("unclear", "hides what it does")


@dataclass(frozen=True, slots=True)
class Asked:
    session_id: str
    answer: asyncio.Task[Choice | None]


async def ask(web: Served, *reasons: Reason, who: str = "ann", title: str = "Tidy up") -> Asked:
    """Make a session with a call that waits for an answer."""
    session_id = await web.new_session(who, title=title)
    turn = (await web.running(await web.say(session_id, "go on", who=who))).turn
    question = Question("call_1", "terminal", "git reset --hard; true", reasons)
    answer = asyncio.create_task(web.engine.approvals.ask(turn, 1, 1, question))
    while not (await web.shown(session_id, who))["approvals"]:
        assert not answer.done()
    return Asked(session_id, answer)


async def respond(web: Served, asked: Asked, choice: str, who: str = "ann") -> Any:
    answer = {"session_id": asked.session_id, "call_id": "call_1", "choice": choice}
    return await web.post("/api/approval/respond", answer, who)


async def grants(web: Served, who: str = "ann", **query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await web.get("/api/grants", who, **query)).json["grants"]
    return found


async def revoke(web: Served, grant_id: str, who: str = "ann") -> int:
    return (await web.request("DELETE", "/api/grants", who, params={"id": grant_id})).status


async def test_open_questions_of_all_sessions_are_listed_for_their_owner_and_the_operator(
    web: Served, tmp_path: Path
) -> None:
    one, two = await ask(web, DISCARDS), await ask(web, HIDES, who="bob", title="Look")

    async def waiting(who: str) -> list[tuple[str, str]]:
        listed = (await web.get("/api/approvals", who)).json["approvals"]
        assert all(row["workspace"] == str(tmp_path) for row in listed)
        return [(row["session_id"], row["session_title"]) for row in listed]

    assert await waiting("ann") == [(one.session_id, "Tidy up")]
    assert await waiting("operator") == [(one.session_id, "Tidy up"), (two.session_id, "Look")]
    assert (await web.get("/api/home")).json["reported"] == [], "it is asked, not reported"
    await respond(web, one, "deny")
    assert await waiting("ann") == []


async def test_a_question_that_can_only_be_allowed_once_refuses_a_longer_choice(web: Served) -> None:
    asked = await ask(web, DISCARDS, HIDES)

    for choice in ("session", "folder", "always"):
        refused = await respond(web, asked, choice)
        assert (refused.status, refused.code) == (400, "once_only")
    assert (await respond(web, asked, "once")).status == 200
    assert await asked.answer is Choice.ONCE
    assert await grants(web) == []


@pytest.mark.parametrize("choice", ["folder", "always"])
async def test_a_grant_of_a_folder_says_what_it_allows_and_where(web: Served, tmp_path: Path, choice: str) -> None:
    await respond(web, await ask(web, DISCARDS), choice)

    (grant,) = await grants(web)
    assert (grant["kind"], grant["words"]) == ("discard_work", "discard uncommitted work")
    assert (grant["scope"], grant["session_id"], grant["folder"]) == ("folder", None, str(tmp_path))
    assert (grant["uses"], grant["last_used_at"]) == (0, None)
    assert grant["created_at"] < grant["expires_at"]
    assert grant["example"] == "git reset --hard; true"


async def test_the_grants_of_a_session_are_those_that_hold_in_it(web: Served, tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    first, other = await ask(web, DISCARDS), await web.new_session()
    below = await web.new_session(workspace=str(tmp_path / "below"))
    await respond(web, first, "session")
    (own,) = await grants(web, session_id=first.session_id)
    assert (own["scope"], own["session_id"], own["session_title"]) == ("session", first.session_id, "Tidy up")
    assert await grants(web, session_id=other) == []

    await respond(web, await ask(web, DISCARDS), "folder")
    for session_id in (other, below):
        (general,) = await grants(web, session_id=session_id)
        assert (general["scope"], general["session_title"]) == ("folder", None)
    assert (await web.get("/api/grants", "bob", session_id=other)).status == 404


async def test_grants_are_seen_and_revoked_by_their_owner_and_the_operator_only(web: Served) -> None:
    await respond(web, await ask(web, DISCARDS), "session")
    (grant,) = await grants(web)
    assert await grants(web, "bob") == []
    assert await grants(web, "operator") == [grant]

    assert await revoke(web, grant["id"], "bob") == 404
    assert await revoke(web, grant["id"]) == 200
    assert await revoke(web, grant["id"]) == 404

    await respond(web, await ask(web, DISCARDS), "session")
    (grant,) = await grants(web)
    assert await revoke(web, grant["id"], "operator") == 200
    assert await grants(web) == []


async def test_a_grant_to_revoke_must_be_named(web: Served) -> None:
    assert (await web.request("DELETE", "/api/grants", "ann")).status == 400
