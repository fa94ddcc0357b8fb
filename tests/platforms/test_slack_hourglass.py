"""The hourglass on Slack: it stands on a message while that is answered, and on no other."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.platforms.kept_memory import KeptMemory
from tests.platforms.slack_kit import RecordingIngress, a_platform, a_post, receiving
from tests.platforms.slack_server import SlackServer, Trouble
from wakeful.gateway.messaging.platform import NotTaken
from wakeful.gateway.platforms.slack import hourglass
from wakeful.gateway.platforms.slack.adapter import SlackPlatform
from wakeful.gateway.platforms.slack.client import SlackClient

HOURGLASS = {"hourglass_flowing_sand"}


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        yield server


@pytest.fixture
async def platform(slack: SlackServer) -> AsyncIterator[SlackPlatform]:
    platform = a_platform(slack)
    yield platform
    await platform.close()


async def test_an_hourglass_stands_on_the_message_while_it_is_answered(
    slack: SlackServer, platform: SlackPlatform
) -> None:
    slack.retry_after = 0.01
    asked = await slack.write("D1", "question")
    address = a_post("D1", "", asked).address
    reactions = slack.reactions["D1", asked]
    slack.troubles["reactions.add"] = [Trouble.LIMITED]
    slack.troubles["reactions.remove"] = [Trouble.LIMITED]

    with pytest.raises(NotTaken):
        await platform.show_typing(address)
    await platform.show_typing(address)
    await platform.show_typing(address)
    assert reactions == HOURGLASS
    assert len(slack.called("reactions.add")) == 2

    await platform.show_typing(address, is_over=True)
    assert reactions == set()
    await platform.show_typing(address, is_over=True)
    assert len(slack.called("reactions.remove")) == 2


async def test_an_hourglass_of_an_earlier_process_is_taken_off(slack: SlackServer, platform: SlackPlatform) -> None:
    asked = await slack.write("D1", "question")
    slack.reactions["D1", asked] = set(HOURGLASS)
    address = a_post("D1", "", asked).address

    await platform.show_typing(address)
    await platform.show_typing(address, is_over=True)

    assert slack.reactions["D1", asked] == set()


async def test_an_hourglass_that_was_cut_off_on_its_way_is_taken_off(
    slack: SlackServer, platform: SlackPlatform
) -> None:
    asked = await slack.write("D1", "question")
    address = a_post("D1", "", asked).address
    slack.troubles["reactions.add"] = [Trouble.SLOW]
    showing = asyncio.create_task(platform.show_typing(address))
    await slack.until(lambda: slack.called("reactions.add"))
    showing.cancel()
    slack.gate.set()
    slack.reactions["D1", asked] = set(HOURGLASS)

    await platform.show_typing(address, is_over=True)

    assert slack.reactions["D1", asked] == set()


async def test_a_turn_does_not_wait_long_for_its_hourglass(
    slack: SlackServer, platform: SlackPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hourglass, "_END_SECONDS", 0.05)
    asked = await slack.write("D1", "question")
    address = a_post("D1", "", asked).address
    await platform.show_typing(address)
    slack.troubles["reactions.remove"] = [Trouble.SLOW]

    await platform.show_typing(address, is_over=True)
    assert slack.reactions["D1", asked] == HOURGLASS
    slack.gate.set()
    await slack.until(lambda: not slack.reactions["D1", asked])


async def test_nothing_is_shown_where_there_is_no_message(slack: SlackServer, platform: SlackPlatform) -> None:
    await platform.show_typing(a_post().address)

    assert slack.requests == []


async def test_an_hourglass_whose_turn_ended_with_its_process_is_taken_off_by_the_next(slack: SlackServer) -> None:
    kept = KeptMemory()
    asked = await slack.write("D1", "question")
    async with receiving(slack, RecordingIngress(), memory=kept.memory) as line:
        await line.platform.show_typing(a_post("D1", "", asked).address)
    assert slack.reactions["D1", asked] == HOURGLASS

    async with receiving(slack, RecordingIngress(), memory=kept.memory):
        await slack.until(lambda: not slack.reactions["D1", asked])
        await kept.until(lambda: kept.values["hourglasses"] == [])


async def test_an_hourglass_stays_where_the_next_process_goes_on_with_the_turn(slack: SlackServer) -> None:
    kept = KeptMemory()
    ended, going_on = await slack.write("D1", "question"), await slack.write("D1", "another")
    async with receiving(slack, RecordingIngress(), memory=kept.memory) as line:
        for asked in (ended, going_on):
            await line.platform.show_typing(a_post("D1", "", asked).address)

    platform = a_platform(slack, memory=kept.memory)
    await platform.show_typing(a_post("D1", "", going_on).address)
    running = asyncio.create_task(platform.run(RecordingIngress(), lambda _: None))
    await slack.until(lambda: not slack.reactions["D1", ended])
    await slack.until(lambda: slack.lines)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await platform.close()

    assert slack.reactions["D1", going_on] == HOURGLASS


class SlowSlack(SlackClient):
    """Answers the removal of a reaction when it is told to."""

    def __init__(self) -> None:
        self.bearing: set[tuple[str, str]] = set()
        self.has_removed, self.answers = asyncio.Event(), asyncio.Event()

    async def call(self, method: str, **fields: Any) -> dict[str, Any]:
        key = (fields["channel"], fields["timestamp"])
        if method == "reactions.add":
            self.bearing.add(key)
            return {}
        self.bearing.discard(key)
        self.has_removed.set()
        await self.answers.wait()
        return {}


async def test_an_hourglass_that_is_put_back_during_its_removal_is_remembered() -> None:
    kept, slow = KeptMemory(), SlowSlack()
    glass = hourglass.Hourglass(slow, kept.memory)
    address = a_post("D1", "", "5.000001").address
    await glass.show(address)
    removing = asyncio.create_task(glass.remove(address))
    await slow.has_removed.wait()
    await glass.show(address)
    slow.answers.set()
    await removing

    assert slow.bearing == {("D1", "5.000001")}
    assert [tuple(key) for key in kept.values["hourglasses"]] == [("D1", "5.000001")]


async def test_a_limit_does_not_let_an_hourglass_of_the_last_process_be_forgotten(slack: SlackServer) -> None:
    slack.retry_after = 0.01
    kept = KeptMemory()
    asked, other = await slack.write("D1", "question"), await slack.write("D1", "other")
    async with receiving(slack, RecordingIngress(), memory=kept.memory) as line:
        await line.platform.show_typing(a_post("D1", "", asked).address)
    slack.troubles["reactions.add"] = [Trouble.LIMITED]
    platform = a_platform(slack, memory=kept.memory)
    with pytest.raises(NotTaken):
        await platform.show_typing(a_post("D1", "", asked).address)
    await platform.show_typing(a_post("D1", "", asked).address, is_over=True)
    await platform.show_typing(a_post("D1", "", other).address)
    await platform.close()

    assert not slack.reactions["D1", asked] or asked in [key[1] for key in kept.values["hourglasses"]]
