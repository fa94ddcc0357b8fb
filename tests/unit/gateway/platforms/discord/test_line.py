"""When Discord's line is opened again by itself, and when that is left to the door."""

from typing import Any

import discord
import pytest
from discord.gateway import ReconnectWebSocket

from wakeful.gateway.messaging.platform import TokenRefused
from wakeful.gateway.platforms.discord.line import DiscordLine, IntentsRefused, LineBroken
from wakeful.gateway.platforms.discord.progress import ResumePoint


class Events:
    """Of a client: what it is told about a session that another process has begun."""

    recalled_roles: tuple[int, ...] = ()

    def __init__(self) -> None:
        self.reads = 0

    @property
    def events(self) -> "Events":
        return self

    def read_missed(self) -> None:
        self.reads += 1


class Kept:
    def __init__(self, point: ResumePoint | None) -> None:
        self._point = point
        self.loads = 0

    async def load(self) -> ResumePoint | None:
        self.loads += 1
        return self._point


POINT = ResumePoint("session", 5, "wss://gateway.example", (7,), has_missed=True)


def a_line(
    monkeypatch: pytest.MonkeyPatch, point: ResumePoint | None, *ends: Any
) -> tuple[DiscordLine, Events, list[str | None]]:
    """Return a line that ends so each time it is followed: whether it stood, what it raises, and the session then."""
    client: Any = Events()
    kept: Any = Kept(point)
    line, left, followed = DiscordLine(client, kept), list(ends), []

    async def follow() -> None:
        followed.append(line._session)
        stands, error, line._session = left.pop(0)
        if stands:
            line.note_standing()
        raise error

    monkeypatch.setattr(line, "_follow", follow)
    return line, client, followed


def reconnect(*, resume: bool) -> ReconnectWebSocket:
    return ReconnectWebSocket(None, resume=resume)


@pytest.mark.parametrize(
    ("ends", "followed"),
    [
        # A RESUME that Discord does not answer.
        ([(False, reconnect(resume=True), "session")], ["session"]),
        # A session that Discord has forgotten is begun anew, at once.
        ([(False, reconnect(resume=False), None), (False, reconnect(resume=False), None)], ["session", None]),
        # A line that stood is opened again, at once.
        ([(True, reconnect(resume=True), "session"), (False, reconnect(resume=True), "session")], ["session"] * 2),
    ],
)
async def test_a_line_that_does_not_stand_is_left_to_the_door(
    monkeypatch: pytest.MonkeyPatch, ends: list[Any], followed: list[str | None]
) -> None:
    line, client, seen = a_line(monkeypatch, POINT, *ends)

    with pytest.raises(LineBroken):
        await line.run()

    assert seen == followed
    assert (client.recalled_roles, client.reads) == ((7,), 1)


async def test_the_session_of_another_process_is_recalled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = (False, reconnect(resume=True), None)
    line, client, followed = a_line(monkeypatch, POINT, broken, broken)
    for _ in range(2):
        with pytest.raises(LineBroken):
            await line.run()

    assert (followed, client.reads) == (["session", None], 1)


async def test_without_one_a_new_session_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    line, client, followed = a_line(monkeypatch, None, (False, reconnect(resume=False), None))
    with pytest.raises(LineBroken):
        await line.run()

    assert (followed, client.recalled_roles, client.reads) == ([None], (), 0)


class Socket:
    def __init__(self, code: int) -> None:
        self.close_code = code


@pytest.mark.parametrize(
    ("code", "error"),
    [(4004, TokenRefused), (4013, IntentsRefused), (4014, IntentsRefused), (4011, LineBroken), (1006, LineBroken)],
)
async def test_what_closes_a_line_is_told_and_its_session_is_over(
    monkeypatch: pytest.MonkeyPatch, code: int, error: type[Exception]
) -> None:
    socket: Any = Socket(code)
    closed = discord.ConnectionClosed(socket, shard_id=None)
    again = (False, reconnect(resume=True), None)
    line, _, followed = a_line(monkeypatch, POINT, (True, closed, "session"), again)

    with pytest.raises(error) as caught:
        await line.run()
    with pytest.raises(LineBroken):
        await line.run()

    assert type(caught.value) is error
    assert followed == ["session", None]
