"""Readers that resume in the middle of words: whatever their cursor, each fact and each word comes once."""

import pytest

from tests.web.kit import Frame, Reader, Served
from wakeful.model.event import NewEvent
from wakeful.model.journal.fact import ReasoningDelta, StepAbandoned, TextDelta
from wakeful.store.base import Transaction

SESSION = "/api/session/stream"
TURN = "/api/chat/stream"


def said(frames: list[Frame]) -> str:
    return "".join(frame.data["text"] for frame in frames if frame.event in ("token", "reasoning"))


async def until_said(reader: Reader, text: str) -> list[Frame]:
    """Return the frames after the greeting, up to these words."""
    frames: list[Frame] = []
    while said(frames) != text:
        frame = await reader.next()
        assert frame is not None
        if frame.event != "initial" and not frame.data.get("recovered"):
            frames.append(frame)
    return frames


async def speaking_turn(web: Served, words: int) -> tuple[str, str, list[Frame]]:
    """Start a turn that has said this many words and goes on; return its session, the turn and the frames so far."""
    session_id = await web.new_session()
    async with web.stream(SESSION, session_id=session_id, turns="inline") as reader:
        turn_id = await web.say(session_id, "work", *["token"] * words)
        return session_id, turn_id, await until_said(reader, "node " * words)


async def rest_of(web: Served, session_id: str, cursor: str, **query: str) -> list[Frame]:
    """Return what a reader gets after this cursor, up to the end of the turn."""
    async with web.stream(SESSION, session_id=session_id, last=cursor, turns="inline", **query) as reader:
        frames = await reader.until("turn_completed")
    return [frame for frame in frames if frame.event != "initial" and not frame.data.get("recovered")]


@pytest.mark.parametrize("end", ["finish", "fail", "stop"])
async def test_a_resume_at_every_frame_is_the_rest_of_the_whole_also_while_the_turn_speaks(
    web: Served, end: str
) -> None:
    session_id, turn_id, began = await speaking_turn(web, 4)
    for position, frame in enumerate(began[:-1], start=1):
        async with web.stream(SESSION, session_id=session_id, last=frame.id, turns="inline") as reader:
            assert await until_said(reader, said(began[position:])) == began[position:], frame.id

    if end == "stop":
        await web.post("/api/chat/cancel", {"session_id": session_id})
    else:
        web.agent.order(turn_id, end)

    whole = await rest_of(web, session_id, "0")
    assert whole[: len(began)] == began
    for position, frame in enumerate(whole[:-1], start=1):
        assert await rest_of(web, session_id, frame.id) == whole[position:], frame.id


async def test_the_stream_of_a_turn_goes_on_at_every_word(web: Served) -> None:
    _, turn_id, _ = await speaking_turn(web, 3)
    async with web.stream(TURN, stream_id=turn_id, last="2~1") as reader:
        live = [await reader.next(), await reader.next()]
    web.agent.order(turn_id, "finish")
    whole = await web.finished(turn_id)

    assert [frame.id for frame in whole] == ["1", "2", "2~1", "2~2", "2~3", "3", "4"]
    assert live == whole[3:5]
    for position, frame in enumerate(whole[:-1], start=1):
        assert await web.read(TURN, stream_id=turn_id, last=frame.id) == whole[position:]


@pytest.mark.parametrize("path", [SESSION, TURN])
async def test_a_live_reader_and_a_late_one_get_the_same_bytes(web: Served, path: str) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    await web.running(turn_id)
    query = {SESSION: {"session_id": session_id, "turns": "inline"}, TURN: {"stream_id": turn_id}}[path]
    last = {SESSION: "turn_completed", TURN: "done"}[path]

    async with web.stream(path, **query) as live:
        for fact in (ReasoningDelta(1, "Hm."), TextDelta(1, 'Say "x"\u2028'), TextDelta(1, "\n\n🌊"), StepAbandoned(1)):
            web.agent.tell(turn_id, fact)
        web.agent.order(turn_id, "token", "token", "step", "token", "finish")
        await live.until(last)
    async with web.stream(path, after="0", **query) as late:
        await late.until(last)

    _, greeting, frames = live.raw.rpartition("id: 1.1\n" if path == SESSION else "id: 1\n")
    assert greeting + frames == late.raw[late.raw.index(greeting) :]
    assert frames.count("event: token\n") == 5
    assert "event: step_abandoned\n" in frames


async def test_facts_that_come_between_words_come_once_and_words_stay_whole(web: Served) -> None:
    session_id, turn_id, began = await speaking_turn(web, 2)
    await web.patch("/api/session", {"session_id": session_id, "title": "New"})
    shown = await web.shown(session_id)
    async with web.stream(SESSION, session_id=session_id, last=began[-1].id, turns="inline") as reader:
        updated = (await reader.until("session-updated"))[-1]
    web.agent.order(turn_id, "token", "finish")
    whole = await rest_of(web, session_id, "0")

    # The position in the words stays, whatever else happens.
    assert (began[-1].id, updated.id, shown["cursor"]) == ("2~2~2", "3~2~2", "3~2~2")
    words, facts = said(whole), [frame.event for frame in whole if frame.event != "token"]
    for cursor, seen, passed in [
        ("2~2~2", 2, 3),
        ("2~2~1", 1, 3),
        ("2", 0, 3),
        ("3~2~2", 2, 4),
        ("3~2~1", 1, 4),
        ("3", 0, 4),
    ]:
        rest = await rest_of(web, session_id, cursor)
        assert said(rest) == words.removeprefix("node " * seen), cursor
        assert [frame.event for frame in rest if frame.event != "token"] == facts[passed:], cursor


async def test_a_cut_between_two_frames_of_a_fact_that_comes_between_words_loses_no_word(web: Served) -> None:
    session_id, turn_id, _ = await speaking_turn(web, 2)
    queued = await web.say(session_id, "no")
    await web.post("/api/chat/withdraw", {"session_id": session_id, "turn_id": queued})
    async with web.stream(SESSION, session_id=session_id, last="2~2~1", turns="inline") as reader:
        frames = await reader.until("session-updated")
    web.agent.order(turn_id, "token", "finish")

    assert [(frame.id, frame.event) for frame in frames[2:]] == [
        ("3~2~1", "message_queued"), ("4.1~2~1", "cancelled"), ("4~2~1", "session-updated"),
    ]  # fmt: skip
    rest = await rest_of(web, session_id, "4.1~2~1")
    assert [frame.id for frame in rest] == ["4~2~1", "4~2~2", "4~2~3", "5", "6.1", "6"]
    assert said(rest) == "node " * 2


async def test_a_position_beyond_the_words_so_far_waits_for_them(web: Served) -> None:
    session_id, turn_id, _ = await speaking_turn(web, 2)

    async with web.stream(SESSION, session_id=session_id, last="2~2~4", turns="inline") as reader:
        web.agent.order(turn_id, *["token"] * 4, "finish")
        frames = await reader.until("usage")

    assert [frame.id for frame in frames if frame.event == "token"] == ["2~2~5", "2~2~6"]


@pytest.mark.parametrize("query", [{}, {"html": "1"}])
async def test_a_reader_with_more_words_than_are_kept_goes_back_to_those(web: Served, query: dict[str, str]) -> None:
    session_id, turn_id, _ = await speaking_turn(web, 2)
    await web.post("/api/chat/cancel", {"session_id": session_id})
    await web.finished(turn_id)

    frames = await rest_of(web, session_id, "2~2~9", **query)

    sent = [(frame.id, frame.event) for frame in frames if frame.event != "answer_html"]
    assert sent == [
        ("2~2~0", "step_abandoned"),
        ("2~2~1", "token"),
        ("2~2~2", "token"),
        ("3.1", "cancelled"),
        ("3", "turn_completed"),
    ]
    assert frames[0].data == {"session_id": session_id, "turn_id": turn_id, "step": 1}
    assert [frame.data["blocks"] for frame in frames if frame.event == "answer_html"][-1:] in (
        [],
        [["<p>node node</p>\n"]],
    )
    turn = await web.read(TURN, stream_id=turn_id, last="2~9")
    assert [(frame.id, frame.event) for frame in turn] == [
        ("2~0", "step_abandoned"), ("2~1", "token"), ("2~2", "token"), ("3", "cancelled"),
    ]  # fmt: skip


async def test_a_cursor_in_words_that_have_ended_resumes_after_its_fact(web: Served) -> None:
    session_id, turn_id, _ = await speaking_turn(web, 2)
    web.agent.order(turn_id, "step", "token", "finish")
    whole = await rest_of(web, session_id, "0")

    after_result = [frame.event for frame in whole].index("tool_complete") + 1
    assert await rest_of(web, session_id, "5") == whole[after_result:]
    assert [frame.event for frame in await rest_of(web, session_id, "5~2~1")] == [f.event for f in whole[after_result:]]


async def test_a_log_of_an_older_version_has_its_words_as_events(web: Served) -> None:
    session_id, turn_id, _ = await speaking_turn(web, 1)
    web.agent.order(turn_id, "finish")
    await web.finished(turn_id)
    pieces = [NewEvent.of("token", {"step": 2, "text": text}) for text in ("*Old* ", "words")]
    after = [NewEvent.of("usage", {"step": 2, "usage": {}}), NewEvent.of("done", {})]

    async def body(tx: Transaction) -> None:
        await tx.events.append(session_id, turn_id, [*pieces, *after])

    await web.store.write(body, lock=[session_id])
    frames = await rest_of(web, session_id, "4", html="1")

    assert [(frame.id, frame.event) for frame in frames] == [
        ("5", "token"), ("6", "token"), ("6", "answer_html"), ("7", "usage"), ("8.1", "done"), ("8", "turn_completed"),
    ]  # fmt: skip
    assert said(frames) == "*Old* words"
    assert frames[2].data["blocks"] == ["<p><em>Old</em> words</p>\n"]


async def test_readers_without_the_turns_get_no_words_and_keep_their_position(web: Served) -> None:
    session_id, turn_id, _ = await speaking_turn(web, 2)

    async with web.stream(SESSION, session_id=session_id, last="2~2~1") as reader:
        await web.patch("/api/session", {"session_id": session_id, "title": "New"})
        (updated,) = (await reader.until("session-updated"))[2:]
        web.agent.order(turn_id, "token", "finish")
        frames = await reader.until("turn_completed")

    assert updated.id == "3~2~1"
    assert [(frame.id, frame.event) for frame in frames] == [("5", "turn_completed")]


async def test_each_of_several_sessions_has_a_position_in_words(web: Served) -> None:
    one, turn_id, _ = await speaking_turn(web, 2)
    two, _, _ = await speaking_turn(web, 3)
    query = {"sessions": f"{one},{two}", "turns": "inline"}

    async with web.stream("/api/stream", last=f"{one}:2~2~1,{two}:2~2~3", **query) as reader:
        word = (await reader.until("token"))[-1]
        web.agent.order(turn_id, "finish")
        completed = (await reader.until("turn_completed"))[-1]

    assert (word.id, word.data["session_id"]) == (f"{one}:2~2~2,{two}:2~2~3", one)
    assert completed.id == f"{one}:4,{two}:2~2~3"


async def test_a_page_that_is_reloaded_while_a_turn_speaks_has_every_word_once(web: Served) -> None:
    session_id, turn_id, began = await speaking_turn(web, 3)

    shown = await web.shown(session_id)
    async with web.stream(SESSION, session_id=session_id, last=shown["cursor"], turns="inline", html="1") as reader:
        first = await reader.until("answer_html")
        web.agent.order(turn_id, "token", "finish")
        frames = await reader.until("turn_completed")

    assert (shown["cursor"], shown["last_event_id"]) == (began[-1].id, 2)
    assert shown["active"]["partial"] == {"step": 1, "text": "node node node ", "reasoning": ""}
    assert first[-1].data["blocks"] == ["<p>node node node</p>\n"]
    assert said(first + frames) == "node "
    looks = [frame.data["blocks"] for frame in frames if frame.event == "answer_html"]
    assert looks[-1] == ["<p>node node node node</p>\n"]
