"""Edit and regenerate: a new turn replaces an old one, which is no longer shown."""

from typing import Any

import pytest

from tests.web.kit import Reply, Served


async def contents(web: Served, session_id: str) -> list[str]:
    return [message["content"] for message in (await web.shown(session_id))["messages"]]


async def again(web: Served, path: str, session_id: str, *orders: str, **more: Any) -> Reply:
    reply = await web.post(path, {"session_id": session_id, **more})
    if reply.status == 200:
        web.agent.order(reply.json["turn_id"], *orders)
        if orders:
            await web.finished(reply.json["turn_id"])
    return reply


@pytest.fixture
async def talk(web: Served) -> tuple[str, list[str]]:
    """Three questions with their answers."""
    session_id = await web.new_session()
    turns = []
    for words in ("one", "two", "three"):
        turns.append(await web.say(session_id, words, f"say {words}!"))
        await web.finished(turns[-1])
    return session_id, turns


async def test_an_edited_message_replaces_all_that_followed(web: Served, talk: tuple[str, list[str]]) -> None:
    session_id, turns = talk
    async with web.stream("/api/session/stream", session_id=session_id) as reader:
        await reader.until("initial")
        reply = await again(
            web, "/api/chat/edit", session_id, "say 2!", message_id=f"{turns[1]}.0.0", message="the second"
        )
        frames = await reader.until("session-updated")

    assert reply.json == {
        "session_id": session_id, "turn_id": reply.json["turn_id"], "stream_id": reply.json["turn_id"], "queued": False,
    }  # fmt: skip
    assert frames[-1].data["changed"] == ["messages"]
    assert await contents(web, session_id) == ["one", "one!", "the second", "2!"]
    shown = await web.shown(session_id)
    assert shown["session"]["message_count"] == 4
    assert [turn["number"] for turn in shown["turns"].values()] == [1, 2]
    assert [m.text for m in web.agent.briefs[reply.json["turn_id"]].messages] == ["one", "one!", "the second"]


async def test_the_first_message_can_be_edited(web: Served, talk: tuple[str, list[str]]) -> None:
    session_id, turns = talk
    await again(web, "/api/chat/edit", session_id, "say 1!", message_id=f"{turns[0]}.0.0", message="the first")

    assert await contents(web, session_id) == ["the first", "1!"]


async def test_the_last_answer_can_be_regenerated(web: Served, talk: tuple[str, list[str]]) -> None:
    session_id, _ = talk
    await again(web, "/api/chat/regenerate", session_id, "say 3!")
    await again(web, "/api/chat/regenerate", session_id, "say iii!")

    assert await contents(web, session_id) == ["one", "one!", "two", "two!", "three", "iii!"]


async def test_the_same_edit_twice_is_one(web: Served, talk: tuple[str, list[str]]) -> None:
    session_id, turns = talk
    how = {"message_id": f"{turns[1]}.0.0", "message": "second", "client_message_id": "c1"}
    first = await again(web, "/api/chat/edit", session_id, "say 2!", **how)
    await web.finished(await web.say(session_id, "more", "say more!"))
    second = await web.post("/api/chat/edit", {"session_id": session_id, **how})

    assert (second.status, second.json) == (200, first.json)
    assert await contents(web, session_id) == ["one", "one!", "second", "2!", "more", "more!"]


async def test_a_busy_session_refuses_both(web: Served, talk: tuple[str, list[str]]) -> None:
    session_id, turns = talk
    active = await web.say(session_id, "four")
    await web.running(active)

    edit = await web.post("/api/chat/edit", {"session_id": session_id, "message_id": f"{turns[0]}.0.0", "message": "x"})
    repeat = await web.post("/api/chat/regenerate", {"session_id": session_id})

    for reply in (edit, repeat):
        assert (reply.status, reply.code) == (409, "session_busy")
        assert reply.json["error"]["active_stream_id"] == active


async def test_notices_that_came_with_an_edited_message_are_kept(web: Served) -> None:
    session_id = await web.new_session()
    busy = await web.say(session_id, "busy")
    await web.begin_task(busy, "job")
    last = await web.say(session_id, "and?", "say well")
    await web.end_task("job")
    web.agent.order(busy, "finish")
    await web.finished(last)
    message = next(m for m in (await web.shown(session_id))["messages"] if m["content"] == "and?")

    reply = await again(web, "/api/chat/edit", session_id, "say ok", message_id=message["id"], message="so?")

    messages = (await web.shown(session_id))["messages"]
    assert [(m["source"], m["notice"] is not None) for m in messages[2:]] == [
        ("process_wakeup", True), ("user", False), ("assistant", False),
    ]  # fmt: skip
    assert messages[3]["content"] == "so?"
    assert reply.status == 200


async def test_an_answer_to_a_wake_up_can_be_regenerated(web: Served) -> None:
    session_id = await web.new_session()
    first = await web.say(session_id, "work")
    await web.begin_task(first, "job")
    web.agent.order(first, "finish")
    await web.finished(first)
    await web.end_task("job")
    woken = (await web.shown(session_id))["active"]["turn_id"]
    web.agent.order(woken, "say well")
    await web.finished(woken)

    reply = await again(web, "/api/chat/regenerate", session_id, "say better")

    messages = (await web.shown(session_id))["messages"]
    assert [(m["source"], m["turn_id"]) for m in messages[2:]] == [
        ("process_wakeup", reply.json["turn_id"]), ("assistant", reply.json["turn_id"]),
    ]  # fmt: skip
    assert messages[-1]["content"] == "better"


async def test_a_branch_can_edit_a_message_from_before_it_was_made(web: Served, talk: tuple[str, list[str]]) -> None:
    session_id, turns = talk
    branch = (await web.post("/api/session/branch", {"session_id": session_id})).json["session_id"]
    assert (await web.shown(branch))["session"]["message_count"] == 6

    await again(web, "/api/chat/edit", branch, "say 2!", message_id=f"{turns[1]}.0.0", message="other")

    assert await contents(web, branch) == ["one", "one!", "other", "2!"]
    assert await contents(web, session_id) == ["one", "one!", "two", "two!", "three", "three!"]


async def test_only_a_user_message_that_is_still_shown_can_be_edited(web: Served, talk: tuple[str, list[str]]) -> None:
    session_id, turns = talk
    other = await web.new_session()
    await again(web, "/api/chat/edit", session_id, "say 2!", message_id=f"{turns[1]}.0.0", message="second")

    for message_id in (f"{turns[0]}.1.0", f"{turns[2]}.0.0", f"{turns[0]}.end", "nonsense", "turn_x.0.0", "a\0b.0.0"):
        reply = await web.post("/api/chat/edit", {"session_id": session_id, "message_id": message_id, "message": "x"})
        assert (reply.status, reply.code) == (400, "invalid_request"), message_id
    foreign = {"session_id": other, "message_id": f"{turns[0]}.0.0", "message": "x"}
    assert (await web.post("/api/chat/edit", foreign)).code == "invalid_request"
    assert (await web.post("/api/chat/regenerate", {"session_id": other})).code == "invalid_request"
    assert (await web.post("/api/chat/regenerate", {"session_id": session_id}, "bob")).status == 404
