"""What Slack sends, on its way to the ingress: its order, and when it is acknowledged."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.platforms.slack_kit import RecordingIngress
from tests.unit.gateway.platforms.slack.client import ScriptedClient
from wakeful.gateway.messaging.platform import Unanswered
from wakeful.gateway.platforms.slack.line import Envelope
from wakeful.gateway.platforms.slack.names import SlackNames
from wakeful.gateway.platforms.slack.reader import SlackBot, SlackReader
from wakeful.gateway.platforms.slack.receiver import SlackReceiver
from wakeful.gateway.platforms.slack.wire import SlackMessage


class Line:
    def __init__(self) -> None:
        self.acknowledged: list[str] = []
        self.changed = asyncio.Event()

    async def acknowledge(self, envelope_id: str) -> None:
        self.acknowledged.append(envelope_id)
        self.changed.set()

    async def until(self, *envelope_ids: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while sorted(self.acknowledged) != sorted(envelope_ids):
                self.changed.clear()
                await self.changed.wait()


class CatchUp:
    """What was missed, by its channel; each is read once, and only when the gate is open."""

    def __init__(self) -> None:
        self.missed_in: defaultdict[str, list[SlackMessage]] = defaultdict(list)
        self.gate = asyncio.Event()
        self.gate.set()

    @property
    def channels(self) -> list[str]:
        return list(self.missed_in)

    async def missed(self, channel: str) -> Sequence[SlackMessage]:
        found = self.missed_in.pop(channel, [])
        await self.gate.wait()
        return found


class Client(ScriptedClient):
    def __init__(self) -> None:
        super().__init__(
            {
                "users.info": lambda params: {"user": {"name": "Ann"}},
                "conversations.info": lambda params: {"channel": {"name": "general"}},
                "chat.postEphemeral": lambda params: {},
            }
        )
        self.said: list[tuple[str, Any]] = []
        self.error: Exception | None = None
        self.answered = asyncio.Event()

    async def answer(self, response_url: str, body: Any) -> None:
        self.said.append((response_url, body))
        self.answered.set()
        if self.error is not None:
            raise self.error


@dataclass
class Receiving:
    client: Client = field(default_factory=Client)
    line: Line = field(default_factory=Line)
    catch_up: CatchUp = field(default_factory=CatchUp)
    ingress: RecordingIngress = field(default_factory=RecordingIngress)

    def __post_init__(self) -> None:
        client: Any = self.client
        catch_up: Any = self.catch_up
        self.reader = SlackReader(SlackBot("UBOT", "wakeful"), client, SlackNames(client))
        self.receiver = SlackReceiver(client, self.reader, self.ingress, catch_up, retry_seconds=0.001)

    def take(self, envelope_id: str, kind: str = "events_api", **payload: Any) -> None:
        line: Any = self.line
        self.receiver.take(line, Envelope(envelope_id, kind, payload))

    def message(self, envelope_id: str, text: str, ts: str, channel: str = "D1", **values: Any) -> None:
        event = {"type": "message", "ts": ts, "channel": channel, "user": "U1", "text": text}
        self.take(envelope_id, event=event | values)

    def press(self, envelope_id: str, **values: Any) -> None:
        pressed = {
            "type": "block_actions",
            "user": {"id": "U1"},
            "channel": {"id": "C1"},
            "message": {"ts": "5.0", "thread_ts": "1.0"},
            "actions": [{"value": "post:once"}],
            "response_url": "https://hooks.example/1",
        }
        self.take(envelope_id, "interactive", **pressed | values)


def a_missed(text: str, ts: str, channel: str = "D1", user: str = "U1") -> SlackMessage:
    return SlackMessage(ts=ts, channel=channel, user=user, text=text)


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("events_api", {"event": {"type": "reaction_added"}}),
        ("events_api", {"event": None}),
        ("events_api", {"event": {"type": "message", "ts": "5.0", "channel": "D1", "user": "UBOT", "text": "mine"}}),
        ("events_api", {"event": {"type": "message", "ts": 5}}),
        ("interactive", {"type": "view_submission"}),
        ("interactive", {"type": "block_actions"}),
        ("slash_commands", {}),
        ("other", {"event": {"type": "message", "ts": "5.0", "channel": "D1", "user": "U1", "text": "hello"}}),
    ],
)
async def test_what_is_nothing_for_us_is_acknowledged_and_left(kind: str, payload: dict[str, Any]) -> None:
    slack = Receiving()
    slack.take("e1", kind, **payload)
    await slack.line.until("e1")
    await slack.receiver.close()

    assert (slack.ingress.tries, slack.receiver._jobs) == (0, set())


async def test_a_message_and_its_mention_are_one_and_both_are_acknowledged_after_it() -> None:
    slack = Receiving()
    slack.ingress.held = ["C1"]
    for number, kind in enumerate(("message", "app_mention"), start=1):
        slack.message(f"e{number}", "<@UBOT> hello", "5.0", "C1", type=kind)
    await slack.ingress.until(lambda: slack.ingress.tries == 1)
    assert slack.line.acknowledged == []
    slack.ingress.gate.set()
    await slack.line.until("e1", "e2")

    assert [one.text for one in slack.ingress.messages] == ["hello"]
    assert (slack.receiver._in_hand, slack.receiver._lanes) == ({}, {})


async def test_what_was_missed_comes_before_what_is_new_and_only_that_of_people() -> None:
    slack = Receiving()
    slack.catch_up.gate.clear()
    slack.catch_up.missed_in["D1"] = [a_missed("mine", "1.0", user="UBOT"), a_missed("missed", "2.0")]
    slack.receiver.begin()
    slack.message("e1", "newer", "4.0")
    slack.message("e2", "new", "3.0")
    slack.message("e3", "missed", "2.0")
    slack.catch_up.gate.set()
    await slack.line.until("e1", "e2", "e3")

    assert [one.text for one in slack.ingress.messages] == ["missed", "new", "newer"]


async def test_a_channel_that_waits_holds_up_no_other() -> None:
    slack = Receiving()
    slack.ingress.held = ["D1"]
    slack.message("e1", "held", "1.0")
    slack.message("e2", "next", "2.0")
    slack.message("e3", "beside", "3.0", "D2")
    await slack.line.until("e3")
    slack.ingress.gate.set()
    await slack.line.until("e1", "e2", "e3")

    assert [one.text for one in slack.ingress.messages] == ["beside", "held", "next"]


async def test_a_message_that_is_not_taken_in_is_handed_in_again() -> None:
    slack = Receiving()
    slack.ingress.failures = 2
    slack.message("e1", "hello", "1.0")
    await slack.line.until("e1")

    assert (slack.ingress.tries, len(slack.ingress.messages)) == (3, 1)


async def test_a_message_that_cannot_be_read_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    slack = Receiving()
    read = slack.reader.message

    async def fail(message: SlackMessage) -> Any:
        if message.text == "bad":
            raise RuntimeError
        return await read(message)

    monkeypatch.setattr(slack.reader, "message", fail)
    slack.message("e1", "bad", "1.0")
    slack.message("e2", "", "1.5")
    slack.message("e3", "good", "2.0")
    await slack.line.until("e1", "e2", "e3")

    assert [one.text for one in slack.ingress.messages] == ["good"]


async def test_a_command_that_comes_again_before_it_is_taken_in_counts_once() -> None:
    slack = Receiving()
    slack.ingress.held = ["C1"]
    for _ in range(2):
        slack.take("e1", "slash_commands", channel_id="C1", user_id="U1", text="status")
    await slack.ingress.until(lambda: slack.ingress.tries == 1)
    assert slack.line.acknowledged == []
    slack.ingress.gate.set()
    await slack.line.until("e1")
    slack.take("e1", "slash_commands", channel_id="C1", user_id="U1", text="status")
    await slack.line.until("e1", "e1")

    first, again = slack.ingress.messages
    assert (first.text, again.text) == ("/status", "/status")
    assert float(first.address.sender.message_id) > 1.7e9


async def test_a_press_is_acknowledged_when_it_is_answered_and_the_presser_is_told() -> None:
    slack = Receiving()
    slack.press("e1")
    async with asyncio.timeout(PATIENCE):
        await slack.client.answered.wait()

    body = {"text": "Approved by &lt;you&gt; &amp; me.", "thread_ts": "1.0", "response_type": "ephemeral"}
    assert slack.client.said == [("https://hooks.example/1", body | {"replace_original": False})]
    assert slack.line.acknowledged == ["e1"]
    assert [one.value for one in slack.ingress.presses] == ["post:once"]


async def test_a_press_is_acknowledged_in_time_though_its_answer_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wakeful.gateway.platforms.slack.receiver._ANSWER_SECONDS", 0.001)
    slack = Receiving()
    slack.ingress.held = ["C1"]
    slack.press("e1")
    await slack.line.until("e1")
    assert slack.client.said == []
    slack.ingress.gate.set()
    async with asyncio.timeout(PATIENCE):
        await slack.client.answered.wait()


async def test_a_press_without_an_address_for_the_answer_is_answered_in_the_channel() -> None:
    slack = Receiving()
    slack.press("e1", response_url="", message={"ts": "5.0"})
    await slack.ingress.until(lambda: slack.ingress.presses)
    await asyncio.gather(*slack.receiver._jobs)

    said = {"channel": "C1", "user": "U1", "text": "Approved by &lt;you&gt; &amp; me."}
    assert slack.client.calls[-1] == ("chat.postEphemeral", said)


async def test_a_press_that_is_none_of_ours_is_acknowledged_and_not_answered() -> None:
    slack = Receiving()
    slack.press("e1", actions=[{"value": ""}])
    await slack.line.until("e1")
    await asyncio.gather(*slack.receiver._jobs)

    assert (slack.client.said, slack.ingress.presses) == ([], [])


async def test_a_press_counts_though_its_answer_is_lost(caplog: pytest.LogCaptureFixture) -> None:
    slack = Receiving()
    slack.client.error = Unanswered("cut")
    slack.press("e1")
    async with asyncio.timeout(PATIENCE):
        await slack.client.answered.wait()
    await asyncio.gather(*slack.receiver._jobs, return_exceptions=True)

    assert len(slack.ingress.presses) == 1
    assert "passed over" not in caplog.text


async def test_a_job_that_breaks_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    slack = Receiving()
    slack.client.error = RuntimeError("a bug")
    slack.press("e1")
    await slack.line.until("e1")
    await asyncio.gather(*slack.receiver._jobs, return_exceptions=True)

    assert "Something from Slack was passed over" in caplog.text


async def test_a_stop_leaves_what_is_in_hand_unacknowledged(caplog: pytest.LogCaptureFixture) -> None:
    slack = Receiving()
    slack.ingress.held = ["D1", "C1"]
    slack.message("e1", "held", "1.0")
    slack.press("e2", channel={"id": "D1"})
    await slack.ingress.until(lambda: slack.ingress.tries == 2)
    await slack.receiver.close()

    assert (slack.line.acknowledged, slack.receiver._jobs, caplog.text) == ([], set(), "")
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()], "the press has ended too"
