"""A wake-up on each platform finds its way back to the thread and the message that it came from, once."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.acceptance.command import Command, until
from tests.acceptance.messengers.messenger import Messenger, Place, Shown
from tests.acceptance.messengers.messengers import PLATFORMS, open_messenger, settings_of
from tests.acceptance.messengers.model import ChattyModel, answer_text, ask_text, heard_text
from tests.held_job import HeldJob


@pytest.fixture(params=PLATFORMS)
async def messenger(request: pytest.FixtureRequest) -> AsyncIterator[Messenger]:
    async with AsyncExitStack() as ending:
        yield await open_messenger(request.param, ending)


@pytest.fixture
async def talking(wakeful: Command, messenger: Messenger) -> AsyncIterator[Command]:
    """The command, with this platform's door and a model."""
    async with ChattyModel() as model:
        yield wakeful.having(WAKEFUL_MODEL="openai:scripted", OPENAI_BASE_URL=model.url, **settings_of([messenger]))


async def test_a_wake_up_comes_home_after_other_talk_a_new_conversation_and_a_kill(
    talking: Command, messenger: Messenger, tmp_path: Path
) -> None:
    # Threads of one channel: what is written at its top on Slack begins one.
    place_a, place_b = [place for place in messenger.places(4) if not place.is_private]
    job = HeldJob(tmp_path / "over")
    command = job.command("echo job-1; exit 3")
    async with talking.serving():
        await _until(messenger.is_heard)
        a, asked = await messenger.write(place_a, ask_text(1, [command]))
        await _until(lambda: answer_text(1) in _texts(messenger, a))
        b, _ = await messenger.write(place_b, ask_text(2))
        await _until(lambda: _texts(messenger, b) == [answer_text(2)])
        await messenger.write(a, "!new")
        await _until(lambda: "New conversation." in _texts(messenger, a))
    # The server was killed. The job ends while there is none.
    job.end()
    async with talking.serving():
        await _until(lambda: len(_texts(messenger, a)) == 4)
        # What might come twice or go astray would come before the answer to this.
        await messenger.write(b, ask_text(3))
        await _until(lambda: _texts(messenger, b) == [answer_text(2), answer_text(3)])

    woken = _shown(messenger, a)[-1]
    assert woken.text == f"⏰ {command[:80]} (exit code 3)\n\n{heard_text('job-1')}"
    assert woken.reply_to == ("" if messenger.name == "slack" else asked)
    assert len(messenger.shown()) == 6


async def _until(condition: Callable[[], bool]) -> None:
    async def holds() -> bool:
        return condition()

    await until(holds)


def _shown(messenger: Messenger, place: Place) -> list[Shown]:
    return [shown for shown in messenger.shown() if shown.place == place]


def _texts(messenger: Messenger, place: Place) -> list[str]:
    return [shown.text for shown in _shown(messenger, place)]
