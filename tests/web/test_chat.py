"""Sending messages: the receipt, what a busy session does, and what can be withdrawn."""

import asyncio

from tests.web.kit import Served


async def test_a_message_starts_a_turn_whose_stream_has_all_of_it(web: Served) -> None:
    session_id = await web.new_session()

    reply = await web.post("/api/chat/start", {"session_id": session_id, "message": "hello"})
    web.agent.order(reply.json["turn_id"], "token", "finish")
    frames = await web.finished(reply.json["stream_id"])

    assert reply.json == {
        "session_id": session_id,
        "turn_id": reply.json["turn_id"],
        "stream_id": reply.json["turn_id"],
        "queued": False,
    }
    assert [frame.event for frame in frames] == ["turn_started", "message", "token", "usage", "done"]
    assert [frame.id for frame in frames] == ["1", "2", "2~1", "3", "4"]


async def test_the_same_client_message_id_is_one_message(web: Served) -> None:
    session_id = await web.new_session()
    given = {"session_id": session_id, "message": "once", "client_message_id": "c-1"}

    first = await web.post("/api/chat/start", given)
    again = await web.post("/api/chat/start", given | {"message": "other words", "if_busy": "reject"})

    assert (again.status, again.json) == (200, first.json)
    assert [message["content"] for message in (await web.shown(session_id))["messages"]] == ["once"]


async def test_the_same_client_message_id_at_the_same_time_is_one_message(web: Served) -> None:
    session_id = await web.new_session()
    given = {"session_id": session_id, "message": "once", "client_message_id": "c-1"}

    replies = await asyncio.gather(*(web.post("/api/chat/start", given) for _ in range(8)))

    assert {reply.status for reply in replies} == {200}
    assert len({reply.json["turn_id"] for reply in replies}) == 1


async def test_a_message_to_a_busy_session_is_queued_and_its_stream_waits(web: Served) -> None:
    session_id = await web.new_session()
    first = await web.say(session_id, "first")

    second = await web.post("/api/chat/start", {"session_id": session_id, "message": "second"})
    queued = (await web.shown(session_id))["queued"]
    web.agent.order(second.json["turn_id"], "finish")
    web.agent.order(first, "finish")

    assert second.json["queued"] is True
    assert [(row["turn_id"], row["message"], row["source"]) for row in queued] == [
        (second.json["turn_id"], "second", "user")
    ]
    assert queued[0]["created_at"].endswith("Z")
    assert (await web.finished(second.json["stream_id"]))[-1].event == "done"


async def test_reject_names_the_stream_of_the_turn_that_runs(web: Served) -> None:
    session_id = await web.new_session()
    first = await web.say(session_id, "first")

    reply = await web.post("/api/chat/start", {"session_id": session_id, "message": "second", "if_busy": "reject"})

    assert (reply.status, reply.code) == (409, "session_busy")
    assert reply.json["error"]["active_stream_id"] == first
    assert (await web.shown(session_id))["queued"] == []


async def test_a_steering_message_joins_the_turn_and_its_stream_names_that_turn(web: Served) -> None:
    session_id = await web.new_session()
    running = await web.say(session_id, "work")

    steering = await web.say(session_id, "left, please", if_busy="steer")
    web.agent.order(running, "step", "finish")

    (last,) = await web.finished(steering)
    assert (last.event, last.data["joined"]) == ("done", running)
    frames = await web.finished(running)
    assert [frame.data["content"] for frame in frames if frame.event == "message"] == ["work", "left, please"]
    words = [message for message in (await web.shown(session_id))["messages"] if message["role"] == "user"]
    assert [(message["content"], message["turn_id"]) for message in words] == [
        ("work", running),
        ("left, please", running),
    ]


async def test_a_steering_message_that_no_step_took_gets_its_own_turn(web: Served) -> None:
    session_id = await web.new_session()
    running = await web.say(session_id, "work")

    steering = await web.say(session_id, "left, please", "finish", if_busy="steer")
    web.agent.order(running, "finish")

    frames = await web.finished(steering)
    assert [frame.event for frame in frames] == ["turn_started", "message", "usage", "done"]


async def test_an_interrupting_message_goes_ahead_of_the_queue(web: Served) -> None:
    session_id = await web.new_session()
    running = await web.say(session_id, "work")
    waiting = await web.say(session_id, "later")

    urgent = await web.post("/api/chat/start", {"session_id": session_id, "message": "now!", "if_busy": "interrupt"})

    assert urgent.json["queued"] is False
    last = (await web.finished(running))[-1]
    assert (last.event, last.data["code"]) == ("cancelled", "interrupted")
    shown = await web.shown(session_id)
    assert shown["active"]["turn_id"] == urgent.json["turn_id"]
    assert [row["turn_id"] for row in shown["queued"]] == [waiting]


async def test_a_queued_message_can_be_withdrawn_and_its_stream_ends(web: Served) -> None:
    session_id = await web.new_session()
    running = await web.say(session_id, "work")
    queued = await web.say(session_id, "never mind")

    async with web.stream("/api/chat/stream", stream_id=queued) as reader:
        reply = await web.post("/api/chat/withdraw", {"session_id": session_id, "turn_id": queued})
        frames = await reader.rest()

    assert (reply.status, reply.json) == (200, {"ok": True})
    assert [frame.event for frame in frames] == ["cancelled"]
    assert (await web.shown(session_id))["queued"] == []
    for turn_id in (queued, running):
        late = await web.post("/api/chat/withdraw", {"session_id": session_id, "turn_id": turn_id})
        assert (late.status, late.code) == (409, "not_queued")


async def test_cancel_stops_the_turn_and_keeps_the_queue(web: Served) -> None:
    session_id = await web.new_session()
    running = await web.say(session_id, "work")
    queued = await web.say(session_id, "next")

    reply = await web.post("/api/chat/cancel", {"session_id": session_id})

    assert (reply.status, reply.json) == (200, {"cancelled": True})
    assert (await web.finished(running))[-1].event == "cancelled"
    assert (await web.shown(session_id))["active"]["turn_id"] == queued


async def test_cancel_of_an_idle_session_cancels_nothing(web: Served) -> None:
    session_id = await web.new_session()

    reply = await web.post("/api/chat/cancel", {"session_id": session_id})

    assert (reply.status, reply.json) == (200, {"cancelled": False})


async def test_a_turn_keeps_the_door_and_the_model_that_its_message_named(web: Served) -> None:
    session_id = await web.new_session()
    given = {"session_id": session_id, "message": "hi", "model": "demo:other"}

    reply = await web.post("/api/chat/start", given, **{"X-Wakeful-Door": "ask"})
    turn = (await web.running(reply.json["turn_id"])).turn

    assert (turn.door.name, turn.door.async_delivery, turn.model) == ("ask", False, "demo:other")
    # The session's address: its notices go there, whichever door a message came through.
    assert turn.address.platform == "web"


async def test_a_message_without_a_model_is_answered_by_the_sessions_model(web: Served) -> None:
    session_id = await web.new_session(model="demo:mine")

    turn_id = await web.say(session_id, "hi")

    assert (await web.running(turn_id)).turn.model == "demo:mine"


async def test_a_message_may_hold_any_text(web: Served) -> None:
    session_id = await web.new_session()
    text = "NUL \0, emoji 🌊, a line\u2028separator, a newline\n, quotes \"'"

    turn_id = await web.say(session_id, text, "finish")

    frames = await web.finished(turn_id)
    assert next(frame.data["content"] for frame in frames if frame.event == "message") == text
    assert (await web.shown(session_id))["messages"][0]["content"] == text
