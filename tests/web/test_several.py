"""Several sessions on one connection, with one cursor over all of them."""

from tests.web.kit import Frame, Reader, Served
from wakeful.web.cursor import parse_cursors


async def seen(reader: Reader, count: int) -> list[Frame]:
    """Read this number of frames of the log."""
    frames: list[Frame] = []
    while len(frames) < count:
        frame = await reader.next()
        assert frame is not None
        if frame.event != "initial" and not frame.data.get("recovered"):
            frames.append(frame)
    return frames


def of(session_id: str, frames: list[Frame]) -> list[tuple[str, str]]:
    """Return the frames of one session, with its part of their cursors."""
    own = [frame for frame in frames if frame.data["session_id"] == session_id]
    return [(frame.event, str(parse_cursors(frame.id, {session_id: 10**6})[session_id])) for frame in own]


async def two_histories(web: Served) -> tuple[str, str]:
    one, two = await web.new_session(), await web.new_session()
    for session_id in (one, two, one):
        await web.finished(await web.say(session_id, "hi", "token", "finish"))
    return one, two


async def test_it_begins_with_the_state_of_each_session(web: Served) -> None:
    one, two = await two_histories(web)

    async with web.stream("/api/stream", sessions=f"{one},{two},{one}") as reader:
        initial = [await reader.next(), await reader.next()]

    assert {frame.data["session_id"]: frame.data["last_event_id"] for frame in initial if frame} == {one: 8, two: 4}
    assert {frame.id for frame in initial if frame} == {f"{one}:8,{two}:4"}


async def test_a_resume_at_every_point_is_the_rest_of_each(web: Served) -> None:
    one, two = await two_histories(web)
    query = {"sessions": f"{one},{two}", "turns": "inline"}
    async with web.stream("/api/stream", last=f"{one}:0,{two}:0", **query) as reader:
        whole = await seen(reader, 21)

    for position, frame in enumerate(whole[:-1], start=1):
        async with web.stream("/api/stream", last=frame.id, **query) as reader:
            rest = await seen(reader, len(whole) - position)
        for session_id in (one, two):
            assert of(session_id, rest) == of(session_id, whole[position:])


async def test_a_session_that_the_cursor_does_not_know_starts_at_its_end(web: Served) -> None:
    one, two = await two_histories(web)

    async with web.stream("/api/stream", sessions=f"{one},{two}", last=f"{one}:4,gone:7") as reader:
        frames = await seen(reader, 2)
        await web.patch("/api/session", {"session_id": two, "title": "New"})
        frames += await seen(reader, 1)

    assert [(frame.data["session_id"], frame.event) for frame in frames] == [
        (one, "server_turn_started"),
        (one, "turn_completed"),
        (two, "session-updated"),
    ]
    assert frames[-1].id == f"{one}:8,{two}:5"


async def test_a_malformed_cursor_replays_everything(web: Served) -> None:
    one, two = await two_histories(web)

    async with web.stream("/api/stream", sessions=f"{one},{two}", last="17") as reader:
        frames = await seen(reader, 6)
    async with web.stream("/api/stream", sessions=f"{one},{two}", last=f"{one}:x,{two}:4") as reader:
        partly = await seen(reader, 4)

    assert [event for event, _ in of(one, frames)] == ["server_turn_started", "turn_completed"] * 2
    assert [event for event, _ in of(two, frames)] == ["server_turn_started", "turn_completed"]
    assert len(of(one, partly)) == 4


async def test_a_reader_that_goes_leaves_nothing_behind(web: Served) -> None:
    one, two = await two_histories(web)

    async with web.stream("/api/stream", sessions=f"{one},{two}") as reader:
        await reader.next()
        await reader.next()
        await web.patch("/api/session", {"session_id": two, "title": "New"})
        await reader.until("session-updated")
        assert web.followers() == 2

    await web.wait_for_no_followers()
