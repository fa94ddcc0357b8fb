"""Slack's adapter against a server that speaks Slack's protocol: what it receives, and what it confirms."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from tests.patience import PATIENCE, idle
from tests.platforms.slack_kit import RecordingIngress, receiving
from tests.platforms.slack_server import ANN, BOT, SlackServer, Trouble
from wakeful.gateway.messaging.platform import Refused
from wakeful.gateway.platforms.slack import names, receiver
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.session import Address, Sender


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        yield server


@pytest.fixture
def ingress() -> RecordingIngress:
    return RecordingIngress()


@pytest.mark.parametrize("api_url", ["{}/api/", "{}/api"])
async def test_a_direct_message_says_who_wrote_it_and_where(
    slack: SlackServer, ingress: RecordingIngress, api_url: str
) -> None:
    async with receiving(slack, ingress, api_url=api_url.format(slack.root)) as line:
        ts = await slack.write("D1", "hello")
        assert await ingress.texts(1) == ["hello"]

    message = ingress.messages[0]
    assert message.kind is ChatKind.PRIVATE
    assert message.address == Address("slack", "D1", "")
    assert message.address.sender == Sender(ts, ANN, "Ann Lee", "Ann Lee")
    assert line.names == ["wakeful"]


async def test_a_message_at_the_top_of_a_channel_begins_its_thread(
    slack: SlackServer, ingress: RecordingIngress
) -> None:
    async with receiving(slack, ingress):
        ts = await slack.write("C1", "good morning")
        await slack.write("C1", "indeed", thread_ts=ts)
        await ingress.texts(2)

    top, reply = ingress.messages
    assert [top.address.thread_id, reply.address.thread_id] == [ts, ts]
    assert [top.is_for_bot, reply.is_for_bot] == [False, False]
    assert top.kind is ChatKind.GROUP
    assert top.address.sender.chat_name == "name-of-C1"


async def test_a_mention_is_cut_out_and_handed_in_once_though_slack_sends_it_twice(
    slack: SlackServer, ingress: RecordingIngress
) -> None:
    ingress.held = ["C1"]
    async with receiving(slack, ingress):
        await slack.write("C1", f"<@{BOT}>: what is <@{BOT}> doing?")
        await slack.write("C1", "later")
        await ingress.until(lambda: ingress.tries == 1)
        ingress.gate.set()
        assert await ingress.texts(2) == ["what is doing?", "later"]
        await slack.until(lambda: len(slack.acknowledged) == 3)

    assert [message.is_for_bot for message in ingress.messages] == [True, False]


async def test_an_answer_to_the_bot_and_a_command_need_no_mention(
    slack: SlackServer, ingress: RecordingIngress
) -> None:
    async with receiving(slack, ingress):
        root = await slack.write("C1", "news of today", by=BOT)
        await slack.write("C1", "thanks", thread_ts=root)
        await slack.write("C1", "!stop")
        await slack.write("C1", "!important")
        await ingress.texts(3)

    assert [message.is_for_bot for message in ingress.messages] == [True, True, False]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
        ("ask <@UANN> or <@UXXX|zoe> or <@UXXX>", "ask @Ann Lee or @zoe or @UXXX"),
        ("in <#C7|random> and <#C1>", "in #random and #name-of-C1"),
        ("<!channel> <!here|here> <!subteam^S1|@team> <!subteam^S1>", "@channel @here @team @subteam"),
        ("at <!date^1392734382^{date}|noon>", "at noon"),
        ("see <https://a.org/x|the page> and <https://b.org>", "see the page (https://a.org/x) and https://b.org"),
        ("<http://a.org|a.org> <mailto:a@b.org|a@b.org>", "a.org a@b.org"),
        (f"{'x' * 3} <@{BOT}|wakeful>", "xxx"),
    ],
)
async def test_words_are_handed_in_as_a_person_reads_them(
    slack: SlackServer, ingress: RecordingIngress, written: str, read: str
) -> None:
    slack.channel("C1")
    async with receiving(slack, ingress):
        await slack.write("D1", written)
        assert await ingress.texts(1) == [read]


async def test_what_is_no_turn_is_acknowledged_and_left(slack: SlackServer, ingress: RecordingIngress) -> None:
    async with receiving(slack, ingress):
        await slack.write("D1", "my own", by=BOT)
        await slack.write("D1", "another bot", bot_id="B2")
        await slack.write("D1", "joined", subtype="channel_join")
        await slack.event(type="message", subtype="message_changed", channel="D1", ts="1.1", message={"text": "edit"})
        await slack.event(type="message", subtype="message_deleted", channel="D1", ts="1.2", deleted_ts="1.0")
        await slack.event(type="reaction_added", user=ANN, item={})
        await slack.event(type="message", user=ANN, channel="D1", ts=5)
        await slack.send("something_new", {})
        await slack.until(lambda: len(slack.acknowledged) == 8)
        await slack.write("D1", "a person", subtype="file_share")
        assert await ingress.texts(1) == ["a person"]


async def test_nothing_is_acknowledged_before_it_is_taken_in(slack: SlackServer, ingress: RecordingIngress) -> None:
    ingress.held = ["D1"]
    async with receiving(slack, ingress):
        await slack.write("D1", "hello")
        await ingress.until(lambda: ingress.tries == 1)
        await slack.send_again()
        await slack.write("D2", "and elsewhere")
        assert await ingress.texts(1) == ["and elsewhere"]
        await slack.until(lambda: len(slack.acknowledged) == 1)

        assert len(slack.unacknowledged) == 1
        ingress.gate.set()
        await slack.until(lambda: not slack.unacknowledged)

    # Sent twice, handed in once.
    assert ingress.tries == 2


async def test_a_stop_does_not_wait_for_what_is_in_hand_and_slack_sends_it_again(
    slack: SlackServer, ingress: RecordingIngress
) -> None:
    ingress.held = ["D1"]
    async with asyncio.timeout(PATIENCE), receiving(slack, ingress):
        await slack.write("D1", "hello")
        await ingress.until(lambda: ingress.tries == 1)

    ingress.gate.set()
    # Long enough for a job that were still there.
    await idle()
    assert ingress.messages == []
    assert len(slack.unacknowledged) == 1


async def test_what_could_not_be_taken_in_is_handed_in_again_before_what_came_later(
    slack: SlackServer, ingress: RecordingIngress
) -> None:
    ingress.failures = 2
    async with receiving(slack, ingress):
        await slack.write("D1", "first")
        await slack.write("D1", "second")
        assert await ingress.texts(2) == ["first", "second"]
        await slack.until(lambda: not slack.unacknowledged)


async def test_messages_of_a_channel_enter_by_their_ids(slack: SlackServer, ingress: RecordingIngress) -> None:
    ingress.held = ["C1"]
    async with receiving(slack, ingress):
        first, second, third = (slack.next_ts() for _ in range(3))
        for ts in (first, third, second):
            await slack.write("C1", f"at {ts}", ts=ts)
        await slack.write("C2", "beside it")
        assert await ingress.texts(1) == ["beside it"]
        ingress.gate.set()
        assert (await ingress.texts(4))[1:] == [f"at {first}", f"at {second}", f"at {third}"]


@pytest.mark.parametrize(("typed", "text"), [("status", "/status"), ("/model demo:x", "/model demo:x"), ("", "/help")])
async def test_a_slash_command_is_a_message(
    slack: SlackServer, ingress: RecordingIngress, typed: str, text: str
) -> None:
    slack.channel("C1")
    async with receiving(slack, ingress):
        envelope = await slack.command("C1", typed)
        assert await ingress.texts(1) == [text]
        await slack.until(lambda: envelope in slack.acknowledged)

    message = ingress.messages[0]
    assert message.is_for_bot
    assert message.address == Address("slack", "C1", "")
    assert float(message.address.sender.message_id) == pytest.approx(time.time(), abs=PATIENCE)


async def test_a_slash_command_that_slack_sends_again_counts_once(
    slack: SlackServer, ingress: RecordingIngress
) -> None:
    ingress.held = ["D1"]
    async with receiving(slack, ingress):
        await slack.command("D1", "new")
        await ingress.until(lambda: ingress.tries == 1)
        await slack.send_again()
        await slack.write("D2", "after it")
        await ingress.texts(1)
        ingress.gate.set()
        await slack.until(lambda: not slack.unacknowledged)

    assert [message.text for message in ingress.messages] == ["after it", "/new"]


@pytest.mark.parametrize("has_url", [True, False])
async def test_a_press_is_handed_in_and_answered_to_the_presser_alone(
    slack: SlackServer, ingress: RecordingIngress, has_url: bool
) -> None:
    root = slack.next_ts()
    async with receiving(slack, ingress):
        await slack.write("C1", "begin", ts=root)
        ts = await slack.write("C1", "May I?", by=BOT, thread_ts=root)
        envelope = await slack.press("C1", ts, "post_1:once", has_url=has_url)
        await slack.until(lambda: slack.whispers and envelope in slack.acknowledged)

    press = ingress.presses[0]
    assert (press.value, press.message_id, press.address) == ("post_1:once", ts, Address("slack", "C1", root))
    assert press.address.sender.user_name == "Ann Lee"
    whisper = slack.whispers[0]
    assert whisper["text"] == "Approved by &lt;you&gt; &amp; me."
    assert whisper["thread_ts"] == root
    assert whisper.get("user") == ANN or whisper["response_type"] == "ephemeral"


async def test_a_press_is_acknowledged_though_it_takes_long(
    slack: SlackServer, ingress: RecordingIngress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiver, "_ANSWER_SECONDS", 0.05)
    ingress.held = ["D1"]
    async with receiving(slack, ingress):
        ts = await slack.write("D1", "May I?", by=BOT)
        envelope = await slack.press("D1", ts, "post_1:once")
        await slack.until(lambda: envelope in slack.acknowledged)
        assert ingress.presses == []
        ingress.gate.set()
        await slack.until(lambda: slack.whispers)


async def test_names_are_asked_for_once_and_a_message_does_without(
    slack: SlackServer, ingress: RecordingIngress
) -> None:
    slack.troubles["users.info"] = [Trouble.BROKEN]
    async with receiving(slack, ingress):
        for number in range(3):
            await slack.write("D1", f"message {number}")
        await ingress.texts(3)

    assert [message.address.sender.user_name for message in ingress.messages] == [ANN, "Ann Lee", "Ann Lee"]
    assert len(slack.called("users.info")) == 2


async def test_a_message_does_not_wait_long_for_a_name(
    slack: SlackServer, ingress: RecordingIngress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names, "_ANSWER_SECONDS", 0.05)
    slack.troubles["users.info"] = [Trouble.SILENT]
    async with receiving(slack, ingress, timeout=2 * PATIENCE):
        await slack.write("D1", "hello")
        await ingress.texts(1)

    assert ingress.messages[0].address.sender.user_name == ANN


async def test_files_are_read_with_the_token(slack: SlackServer, ingress: RecordingIngress) -> None:
    files = [
        slack.put_file("a.txt", b"content"),
        slack.put_file("gone.txt", b"", mode="tombstone", url_private=""),
        slack.put_file("elsewhere.doc", b"", mode="external"),
    ]
    async with receiving(slack, ingress):
        await slack.write("D1", "", subtype="file_share", files=files)
        await ingress.texts(1)
        (attachment,) = ingress.messages[0].attachments
        read = b"".join([piece async for piece in attachment.read()])
        slack.bot_token = "another"
        with pytest.raises(Refused, match="files:read"):
            [piece async for piece in attachment.read()]

    assert (attachment.name, attachment.size, read) == ("a.txt", 7, b"content")


async def test_a_file_of_another_workspace_is_asked_for(slack: SlackServer, ingress: RecordingIngress) -> None:
    file = slack.put_file("a.txt", b"content")
    stub = {"id": file["id"], "name": None, "file_access": "check_file_info"}
    async with receiving(slack, ingress):
        await slack.write("D1", "", files=[stub], metadata=None)
        await ingress.texts(1)

    (attachment,) = ingress.messages[0].attachments
    assert (attachment.name, attachment.size) == ("a.txt", 7)


async def test_the_token_is_not_shown_to_other_servers(slack: SlackServer, ingress: RecordingIngress) -> None:
    async with SlackServer() as other:
        file = other.put_file("a.txt", b"content")
        async with receiving(slack, ingress):
            await slack.write("D1", "", files=[file])
            await ingress.texts(1)
            with pytest.raises(Refused):
                [piece async for piece in ingress.messages[0].attachments[0].read()]
