"""One connection to Slack: how it begins, what comes through it, and how its end is told."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.patience import PATIENCE
from wakeful.gateway.messaging.platform import NotTaken, Unanswered
from wakeful.gateway.platforms.slack.client import SlackClient
from wakeful.gateway.platforms.slack.line import Envelope, SlackLine, SlackLineEnded

URL = "wss://slack.example/?ticket=secret"


class Line(SlackLine):
    """A line whose connection a test makes, and which keeps what came through it."""

    def __init__(self, client: SlackClient) -> None:
        self.taken: list[Envelope] = []
        super().__init__(client, self._keep, ping_seconds=1.0)
        # What Slack says at once, or what opening the connection raises.
        self.begins: list[dict[str, Any] | Exception] = []
        self.sent: list[str] = []
        self.send_error: Exception | None = None

    def _keep(self, line: SlackLine, envelope: Envelope) -> None:
        assert line is self
        self.taken.append(envelope)

    async def connect(self) -> None:
        for said in self.begins:
            if isinstance(said, Exception):
                raise said
            await self.run_message_listeners(said, "")

    async def send_message(self, message: str) -> None:
        if self.send_error is not None:
            raise self.send_error
        self.sent.append(message)


@pytest.fixture
async def line() -> AsyncIterator[Line]:
    client = SlackClient("xoxb", "xapp", "http://localhost:1/api/", timeout=1.0)
    line = Line(client)
    yield line
    await line.close()
    await client.close()


async def test_a_line_stands_when_slack_has_greeted_even_if_twice(line: Line) -> None:
    line.begins = [{"type": "hello"}, {"type": "hello"}]
    await line.open(URL, PATIENCE)

    assert line.wss_uri == URL


@pytest.mark.parametrize("error", [aiohttp.ClientError(URL), OSError(URL)])
async def test_a_line_that_cannot_be_opened_is_told_without_its_address(line: Line, error: Exception) -> None:
    line.begins = [error]
    with pytest.raises(NotTaken, match="cannot be reached") as raised:
        await line.open(URL, PATIENCE)

    assert "secret" not in str(raised.value)
    assert raised.value.__cause__ is None


async def test_a_line_on_which_slack_does_not_greet_is_unanswered(line: Line) -> None:
    with pytest.raises(Unanswered, match="did not greet"):
        await line.open(URL, 0.0)


async def test_a_line_that_ends_before_slacks_first_frame_does_not_stand(line: Line) -> None:
    line.begins = [{"type": "disconnect", "reason": "warning"}]
    with pytest.raises(SlackLineEnded, match="before it began"):
        await line.open(URL, PATIENCE)


@pytest.mark.parametrize(
    ("reason", "sentence"), [("link_disabled", "Socket Mode is turned off"), ("too_many_websockets", "too_many")]
)
async def test_any_end_but_a_renewal_is_said(line: Line, reason: str, sentence: str) -> None:
    await line.run_message_listeners({"type": "disconnect", "reason": reason}, "")
    # The first reason counts.
    await line.run_message_listeners({"type": "disconnect", "reason": "warning"}, "")

    with pytest.raises(SlackLineEnded, match=sentence):
        await line.until_renewal()


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
async def test_a_renewal_is_no_fault(line: Line, reason: str) -> None:
    await line.run_message_listeners({"type": "disconnect", "reason": reason}, "")
    async with asyncio.timeout(PATIENCE):
        await line.until_renewal()


async def test_a_line_that_the_sdk_finds_silent_has_ended(line: Line) -> None:
    await line.connect_to_new_endpoint()
    with pytest.raises(SlackLineEnded, match="was cut"):
        await line.until_renewal()


async def test_an_envelope_is_handed_on_and_what_has_no_envelope_is_left(line: Line) -> None:
    await line.run_message_listeners({"type": "events_api", "envelope_id": "e1", "payload": {"a": 1}}, "")
    await line.run_message_listeners({"type": "slash_commands", "envelope_id": "e2", "payload": None}, "")
    await line.run_message_listeners({"type": "something"}, "")

    assert line.taken == [Envelope("e1", "events_api", {"a": 1}), Envelope("e2", "slash_commands", {})]


async def test_an_acknowledgement_names_its_envelope(line: Line) -> None:
    await line.acknowledge("e1")

    assert [("e1" in sent) for sent in line.sent] == [True]


@pytest.mark.parametrize("error", [aiohttp.ClientError(), ConnectionResetError()])
async def test_an_acknowledgement_that_does_not_go_through_is_left_to_slack(line: Line, error: Exception) -> None:
    line.send_error = error
    await line.acknowledge("e1")

    assert line.sent == []


async def test_the_end_of_a_line_ends_its_jobs(line: Line) -> None:
    await line.close()

    assert line.message_processor.done()
