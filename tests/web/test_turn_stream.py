"""The stream of one turn: from the start or from a cursor, to its last event and no further."""

from tests.web.kit import Frame, Served


async def finished_turn(web: Served) -> tuple[str, list[Frame]]:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work", "token", "step", "finish")
    return turn_id, await web.finished(turn_id)


async def test_a_resume_at_every_point_is_the_rest_of_the_whole(web: Served) -> None:
    turn_id, whole = await finished_turn(web)

    assert [frame.event for frame in whole] == [
        "turn_started", "message", "token", "tool", "usage", "tool_complete", "usage", "done",
    ]  # fmt: skip
    for position, frame in enumerate(whole[:-1], start=1):
        assert await web.read("/api/chat/stream", stream_id=turn_id, last=frame.id) == whole[position:]
        assert await web.read("/api/chat/stream", stream_id=turn_id, after=frame.id) == whole[position:]


async def test_a_resume_after_the_last_event_is_answered_204(web: Served) -> None:
    turn_id, whole = await finished_turn(web)

    async with web.stream("/api/chat/stream", stream_id=turn_id, last=whole[-1].id) as reader:
        assert reader.status == 204


async def test_a_malformed_cursor_replays_from_the_start(web: Served) -> None:
    turn_id, whole = await finished_turn(web)

    assert len(whole) == 8
    for cursor in ("nonsense", "-1", "8", "1.5", "1e1", "٣", "2~", "2~x", "2~1~1", "0~1", "9" * 23, "0"):
        assert await web.read("/api/chat/stream", stream_id=turn_id, after=cursor) == whole, cursor


async def test_the_header_wins_over_the_query(web: Served) -> None:
    turn_id, whole = await finished_turn(web)

    assert await web.read("/api/chat/stream", stream_id=turn_id, last="4", after="2") == whole[5:]


async def test_a_live_reader_and_a_late_one_see_the_same(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work", "token")
    query = {"stream_id": turn_id}

    async with web.stream("/api/chat/stream", **query) as live:
        seen = await live.until("token")
        async with web.stream("/api/chat/stream", **query) as late:
            web.agent.order(turn_id, "token", "token", "finish")
            seen += await live.rest()
            assert await late.rest() == seen
    assert await web.finished(turn_id) == seen


async def test_the_headers_keep_proxies_from_buffering_the_stream(web: Served) -> None:
    turn_id, _ = await finished_turn(web)

    async with web.stream("/api/chat/stream", stream_id=turn_id) as reader:
        headers = reader.headers

    assert headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert (headers["Cache-Control"], headers["X-Accel-Buffering"]) == ("no-cache", "no")


async def test_a_head_request_is_answered_without_a_stream(web: Served) -> None:
    session_id = await web.new_session()

    reply = await web.request("HEAD", "/api/session/stream", "ann", params={"session_id": session_id})

    assert (reply.status, reply.json) == (200, None)


async def test_a_failed_turn_ends_with_the_reason(web: Served) -> None:
    session_id = await web.new_session()

    frames = await web.finished(await web.say(session_id, "work", "fail"))

    last = frames[-1]
    assert (last.event, last.data["code"], last.data["message"]) == (
        "failed", "model_unavailable", "The endpoint is down.",
    )  # fmt: skip
