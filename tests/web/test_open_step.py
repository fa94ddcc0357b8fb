"""A session opened in the middle of an answer: the snapshot has the words that are not yet in the journal."""

from tests.web.kit import Served


async def test_the_snapshot_has_the_words_of_the_open_step(web: Served) -> None:
    session_id = await web.new_session()
    async with web.stream("/api/session/stream", session_id=session_id, turns="inline") as reader:
        turn_id = await web.say(session_id, "work", *["token"] * 3)
        text = ""
        while text != "node node node ":
            text += "".join(frame.data["text"] for frame in await reader.until("token") if frame.event == "token")

    shown = await web.shown(session_id)

    assert shown["active"]["turn_id"] == turn_id
    assert shown["active"]["partial"] == {"step": 1, "text": "node node node ", "reasoning": ""}


async def test_the_snapshot_and_the_frames_after_it_have_all_words_of_the_step(web: Served) -> None:
    session_id = await web.new_session()
    async with web.stream("/api/session/stream", session_id=session_id, turns="inline") as reader:
        turn_id = await web.say(session_id, "work", *["token"] * 300)
        await reader.until("token")
        shown = await web.shown(session_id)

    async with web.stream("/api/session/stream", session_id=session_id, last=shown["cursor"], turns="inline") as reader:
        web.agent.order(turn_id, "finish")
        later = "".join(f.data["text"] for f in await reader.until("turn_completed") if f.event == "token")

    assert shown["active"]["partial"]["text"] + later == "node " * 300


async def test_between_two_steps_there_are_no_open_words(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    await web.running(turn_id)

    assert (await web.shown(session_id))["active"]["partial"] is None


async def test_the_words_of_a_stopped_turn_stay_visible(web: Served) -> None:
    session_id = await web.new_session()
    async with web.stream("/api/session/stream", session_id=session_id, turns="inline") as reader:
        turn_id = await web.say(session_id, "work", *["token"] * 3)
        text = ""
        while text != "node node node ":
            text += "".join(frame.data["text"] for frame in await reader.until("token") if frame.event == "token")
        await web.post("/api/chat/cancel", {"session_id": session_id})
        await reader.until("turn_completed")

    messages = (await web.shown(session_id))["messages"]

    assert [(message["id"], message["role"], message["content"]) for message in messages[1:]] == [
        (f"{turn_id}.1.0", "assistant", "node node node "),
        (f"{turn_id}.end", "note", "Stopped."),
    ]
    assert messages[1]["html"] == "<p>node node node</p>\n"
    earlier = (await web.shown(session_id, before=messages[1]["id"]))["messages"]
    assert [message["content"] for message in earlier] == ["work"]
