"""The Discord adapter against a Discord on loopback: what people write, press and call, and what was missed."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.platforms.discord_gateway import IDENTIFY, INVALID_SESSION, RECONNECT, RESUME
from tests.platforms.discord_kit import Line, chat_of, open_platform, receiving, words
from tests.platforms.discord_kit import post_to as post_for
from tests.platforms.discord_server import BEN, BOT, BOT_ID, DM, GUILD_ID, ROLE_ID, THREAD, DiscordServer, Trouble, user
from tests.platforms.recording_ingress import RecordingIngress
from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import Button, Message, TokenRefused
from wakeful.gateway.platforms.discord.line import LineBroken
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.session import Address, Sender

CHANNEL, TALK, DIRECT = "100", "101", "300"
HOUR = 3600.0


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as server:
        server.room(CHANNEL, name="general")
        server.room(TALK, THREAD, parent_id=CHANNEL, name="the plan")
        server.room(DIRECT, DM)
        yield server


async def test_a_direct_message_is_private(server: DiscordServer) -> None:
    async with receiving(server) as line:
        id = await server.write(DIRECT, "Hello")
        message = await line.ingress.first()

    assert line.bots == ["Wakeful"]
    assert (message.kind, message.text) == (ChatKind.PRIVATE, "Hello")
    assert message.address == Address("discord", DIRECT)
    assert message.address.sender == Sender(id, "7", "Ann", "Ann")


async def test_a_mention_is_cut_out_and_counts_as_for_the_bot(server: DiscordServer) -> None:
    async with receiving(server) as line:
        await server.write(CHANNEL, f"<@{BOT_ID}> what is new, <@8>?", mentions=[BOT, BEN])
        await server.write(CHANNEL, f"Ask <@!{BOT_ID}>.")
        await server.write(CHANNEL, f"<@&{ROLE_ID}> hello")
        await server.write(CHANNEL, "Nobody in particular.")
        await line.ingress.until(lambda: len(line.ingress.messages) == 4)

    assert line.ingress.texts == ["what is new, <@8>?", "Ask .", "hello", "Nobody in particular."]
    assert [message.is_for_bot for message in line.ingress.messages] == [True, True, True, False]
    assert {message.kind for message in line.ingress.messages} == {ChatKind.GROUP}
    assert line.ingress.messages[0].address.sender.chat_name == "general"


@pytest.mark.parametrize("is_listed", [True, False])
async def test_a_thread_belongs_to_the_chat_of_its_parent(server: DiscordServer, is_listed: bool) -> None:
    server.rooms[TALK].is_listed = is_listed
    async with receiving(server) as line:
        await server.write(TALK, "Hello")
        message = await line.ingress.first()
        await server.write(TALK, "again")
        await line.ingress.until(lambda: len(line.ingress.messages) == 2)

    asked = [name for name, _ in server.requests if name == f"GET /channels/{TALK}"]
    assert len(asked) == (0 if is_listed else 1)
    assert message.address == Address("discord", CHANNEL, TALK)
    assert message.address.sender.chat_name == "the plan"


async def test_a_reply_quotes_and_one_to_the_bot_is_for_it(server: DiscordServer) -> None:
    async with receiving(server) as line:
        asked = await server.write(CHANNEL, "Shall we?", by=BEN)
        await server.write(CHANNEL, "Yes", **_reply(server, asked))
        said = await line.platform.send(post_for(CHANNEL), words("I am here"))
        await server.write(CHANNEL, "Good", **_reply(server, said))
        await line.ingress.until(lambda: len(line.ingress.messages) == 3)

    quotes = [(message.text, message.quoted, message.is_for_bot) for message in line.ingress.messages[1:]]
    assert quotes == [("Yes", "Shall we?", False), ("Good", "I am here", True)]


async def test_a_reply_to_a_deleted_message_quotes_nothing(server: DiscordServer) -> None:
    async with receiving(server) as line:
        reference = {"message_id": "5", "channel_id": CHANNEL}
        await server.write(CHANNEL, "Yes", type=19, message_reference=reference, referenced_message=None)
        message = await line.ingress.first()

    assert (message.text, message.quoted) == ("Yes", "")


async def test_known_commands_are_for_the_bot_and_other_words_are_not(server: DiscordServer) -> None:
    async with receiving(server) as line:
        for text in ("/new", "!model fast", "/weather", "/new/path", "!newer"):
            await server.write(CHANNEL, text)
        await line.ingress.until(lambda: len(line.ingress.messages) == 5)

    assert [message.is_for_bot for message in line.ingress.messages] == [True, True, False, False, False]


async def test_what_no_person_has_written_is_no_message(server: DiscordServer) -> None:
    async with receiving(server) as line:
        await server.write(DIRECT, "mine", by=BOT)
        await server.write(CHANNEL, "another bot's", by=user("55", "Other", bot=True))
        await server.write(CHANNEL, "a webhook's", webhook_id="66")
        await server.write(CHANNEL, "", type=7)
        written = await server.write(CHANNEL, "Hello")
        edited = server.rooms[CHANNEL].messages[int(written)] | {"content": "Hello!", "guild_id": GUILD_ID}
        await server.gateway.dispatch("MESSAGE_UPDATE", edited)
        await server.write(CHANNEL, "the last")
        await line.ingress.until(lambda: "the last" in line.ingress.texts)

    assert line.ingress.texts == ["Hello", "the last"]


async def test_a_forwarded_message_brings_its_words(server: DiscordServer) -> None:
    async with receiving(server) as line:
        fields = {"type": 0, "content": "Look at this", "attachments": [], "embeds": [], "timestamp": None, "flags": 0}
        reference = {"type": 1, "message_id": "5", "channel_id": "404"}
        snapshots = [{"message": fields | {"timestamp": "2026-11-16T00:00:00+00:00", "edited_timestamp": None}}]
        await server.write(DIRECT, "", message_reference=reference, message_snapshots=snapshots)
        message = await line.ingress.first()

    assert message.text == "Look at this"


async def test_attachments_are_read_from_discord(server: DiscordServer) -> None:
    async with receiving(server) as line:
        await server.write(DIRECT, "", attachments=[server.attachment("cat.png", b"meow")])
        message = await line.ingress.first()
        [attachment] = message.attachments
        content = b"".join([piece async for piece in attachment.read()])

    assert (attachment.name, attachment.size, content) == ("cat.png", 4, b"meow")


async def test_a_message_whose_file_is_gone_is_taken_in_without_it(server: DiscordServer) -> None:
    class ReadingIngress(RecordingIngress):
        async def take(self, message):  # type: ignore[no-untyped-def]
            for attachment in message.attachments:
                async for _ in attachment.read():
                    pass
            await super().take(message)

    async with receiving(server, ReadingIngress()) as line:
        attachment = server.attachment("cat.png", b"meow")
        server.files.clear()
        await server.write(DIRECT, "My cat", attachments=[attachment])
        message = await line.ingress.first()

    assert (message.text, message.attachments) == ("My cat", ())


async def test_messages_enter_in_order_and_a_slow_chat_holds_up_no_other(server: DiscordServer) -> None:
    ingress = RecordingIngress(gates={CHANNEL: asyncio.Event()})
    async with receiving(server, ingress):
        for text in ("one", "two", "three"):
            await server.write(CHANNEL, text)
        await server.write(DIRECT, "quick")
        await ingress.until(lambda: ingress.texts == ["quick"])
        assert ingress.reached.count(CHANNEL) == 1
        ingress.gates[CHANNEL].set()
        await ingress.until(lambda: len(ingress.messages) == 4)

    assert ingress.texts == ["quick", "one", "two", "three"]


async def test_what_the_ingress_did_not_take_is_handed_in_again_before_later_messages(server: DiscordServer) -> None:
    ingress = RecordingIngress(failures=2)
    async with receiving(server, ingress):
        await server.write(DIRECT, "one")
        await server.write(DIRECT, "two")
        await ingress.until(lambda: len(ingress.messages) == 2)

    assert ingress.texts == ["one", "two"]


async def test_a_cut_line_is_resumed_and_brings_what_came_meanwhile(server: DiscordServer) -> None:
    async with receiving(server) as line:
        await server.write(DIRECT, "before")
        await line.ingress.first()
        server.gateway.cut()
        await server.write(DIRECT, "meanwhile")
        await line.ingress.until(lambda: len(line.ingress.messages) == 2)

    assert line.ingress.texts == ["before", "meanwhile"]
    assert server.gateway.openings == [IDENTIFY, RESUME]
    assert line.bots == ["Wakeful", "Wakeful"]


async def test_discord_may_ask_for_a_reconnect(server: DiscordServer) -> None:
    async with receiving(server) as line:
        await server.gateway.say(RECONNECT)
        await server.until(lambda: server.gateway.openings == [IDENTIFY, RESUME])
        await server.write(DIRECT, "Hello")
        await line.ingress.first()

    assert line.ingress.texts == ["Hello"]


async def test_a_line_that_was_closed_is_resumed_in_the_same_process_with_what_was_in_hand(
    server: DiscordServer,
) -> None:
    ingress = RecordingIngress(gates={DIRECT: asyncio.Event()})
    async with receiving(server, ingress) as line:
        await server.write(DIRECT, "in hand")
        await ingress.until(lambda: ingress.reached)
        await line.close()
        await server.write(DIRECT, "meanwhile")
        ingress.gates.clear()
        await line.open()
        await ingress.until(lambda: len(ingress.messages) == 2)

    assert ingress.texts == ["in hand", "meanwhile"]
    assert server.gateway.openings == [IDENTIFY, RESUME]
    assert server.gateway.close_codes[0] == 4000


async def test_after_an_invalid_session_what_was_missed_is_read_first(server: DiscordServer) -> None:
    seen = await server.write(DIRECT, "seen")
    chat = chat_of(DIRECT, seen, kind=ChatKind.PRIVATE)
    async with receiving(server, chats=[chat]) as line:
        await server.until(lambda: any(request.endswith("/messages") for request, _ in server.requests))
        sockets = [session.socket for session in server.gateway.sessions.values()]
        server.gateway.forget()
        await server.write(DIRECT, "missed")
        for socket in sockets:
            assert socket is not None
            await socket.send_json({"op": INVALID_SESSION, "d": False})
        await server.until(lambda: server.gateway.openings == [IDENTIFY, IDENTIFY])
        await server.write(DIRECT, "live")
        await line.ingress.until(lambda: "live" in line.ingress.texts)

    assert line.ingress.texts[:2] == ["missed", "live"]


async def test_a_session_that_discord_has_forgotten_is_begun_anew(server: DiscordServer) -> None:
    async with receiving(server) as line:
        server.gateway.cut()
        server.gateway.forget()
        await server.until(lambda: server.gateway.openings == [IDENTIFY, RESUME, IDENTIFY])
        await server.write(DIRECT, "Hello")
        await line.ingress.first()

    assert len(line.bots) == 2


async def test_a_start_reads_what_was_missed_in_chats_that_have_a_session(server: DiscordServer) -> None:
    now = time.time()
    server.room("200")
    chats: list[Chat] = []
    for room, thread in ((CHANNEL, ""), (CHANNEL, TALK), (DIRECT, "")):
        kind = ChatKind.PRIVATE if room == DIRECT else ChatKind.GROUP
        seen = await server.write(thread or room, "seen", at=now - HOUR)
        chats.append(chat_of(room, seen, thread, kind))
        await server.write(thread or room, f"missed in {thread or room}", at=now - HOUR / 2)
    await server.write("200", f"<@{BOT_ID}> nobody knows this chat", at=now - HOUR)

    async with receiving(server, chats=chats) as line:
        await line.ingress.until(lambda: len(line.ingress.messages) == 3)

    found = {message.text: (message.kind, message.address) for message in line.ingress.messages}
    assert found == {
        "missed in 100": (ChatKind.GROUP, Address("discord", CHANNEL)),
        "missed in 101": (ChatKind.GROUP, Address("discord", CHANNEL, TALK)),
        "missed in 300": (ChatKind.PRIVATE, Address("discord", DIRECT)),
    }


async def test_a_session_of_a_whole_channel_reads_it_and_all_threads_that_it_was_used_in(server: DiscordServer) -> None:
    now = time.time()
    server.room("102", THREAD, parent_id=CHANNEL)
    chats: list[Chat] = []
    for number, thread in enumerate((TALK, "102")):
        seen = await server.write(thread, "seen", at=now - HOUR + number)
        chats.append(replace(chat_of(CHANNEL, seen), thread_id=thread, last_at=float(number)))
    for room in (CHANNEL, TALK, "102"):
        await server.write(room, f"missed in {room}", at=now - HOUR / 2)
    # Before the last message of the other thread, and not taken in all the same.
    await server.write(TALK, "missed before", at=now - HOUR + 0.5)

    async with receiving(server, chats=chats) as line:
        await line.ingress.until(lambda: len(line.ingress.messages) == 4)

    assert sorted(line.ingress.texts) == ["missed before", "missed in 100", "missed in 101", "missed in 102"]


async def test_missed_messages_enter_before_newer_ones_of_their_chat(server: DiscordServer) -> None:
    seen = await server.write(CHANNEL, "seen")
    for number in range(150):
        await server.write(CHANNEL, f"missed {number}")
    server.troubles["GET messages"] = [Trouble.SLOW]

    async with receiving(server, chats=[chat_of(CHANNEL, seen)]) as line:
        await server.write(CHANNEL, "live")
        await server.write(DIRECT, "elsewhere")
        await line.ingress.until(lambda: line.ingress.texts == ["elsewhere"])
        server.gate.set()
        await line.ingress.until(lambda: line.ingress.texts[-1] == "live")

    # What came while it was read may come twice: the ingress knows it by its id.
    entered = list(dict.fromkeys(line.ingress.texts))
    assert entered == ["elsewhere", *(f"missed {number}" for number in range(150)), "live"]


async def test_only_a_day_and_two_hundred_messages_are_read(server: DiscordServer) -> None:
    now = time.time()
    seen = await server.write(CHANNEL, "seen", at=now - 30 * HOUR)
    await server.write(CHANNEL, "too old", at=now - 25 * HOUR)
    for number in range(210):
        await server.write(CHANNEL, str(number), at=now - 23 * HOUR + number)

    async with receiving(server, chats=[chat_of(CHANNEL, seen)]) as line:
        await server.write(DIRECT, "elsewhere")
        await line.ingress.until(lambda: len(line.ingress.messages) == 201)

    assert [text for text in line.ingress.texts if text != "elsewhere"] == [str(number) for number in range(200)]


async def test_missed_messages_are_asked_for_again_after_an_outage_and_not_where_the_bot_was_kicked_out(
    server: DiscordServer,
) -> None:
    server.room("200").is_forbidden = True
    seen = await server.write(CHANNEL, "seen")
    await server.write(CHANNEL, "missed")
    server.troubles["GET messages"] = [Trouble.UNAVAILABLE, Trouble.CUT_BEFORE]

    async with receiving(server, chats=[chat_of(CHANNEL, seen), chat_of("200", seen)]) as line:
        await server.write("200", "live")
        await line.ingress.until(lambda: len(line.ingress.messages) == 2)

    assert sorted(line.ingress.texts) == ["live", "missed"]


async def test_a_press_is_answered_to_the_presser_alone(server: DiscordServer) -> None:
    async with receiving(server) as line:
        buttons = [Button("Once", "post_1:once")]
        shown = await line.platform.send(post_for(CHANNEL, TALK), Message("May I?", buttons=buttons))
        token = await server.press(TALK, shown, "post_1:once", by=BEN)
        await server.until(lambda: server.answers[token])

    [press] = line.ingress.presses
    assert (press.value, press.message_id, press.kind) == ("post_1:once", shown, ChatKind.GROUP)
    assert press.address == Address("discord", CHANNEL, TALK)
    assert (press.address.sender.user_id, press.address.sender.user_name) == ("8", "Ben")
    [answer] = server.answers[token]
    assert (answer["type"], answer["data"]["content"], answer["data"]["flags"]) == (4, "Approved.", 64)


async def test_a_slow_press_is_answered_in_time_and_completed_later(
    server: DiscordServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.gateway.platforms.discord.interactions._ANSWER_SECONDS", 0.01)
    ingress = RecordingIngress(gates={DIRECT: asyncio.Event()})
    async with receiving(server, ingress) as line:
        shown = await line.platform.send(post_for(DIRECT), words("May I?"))
        token = await server.press(DIRECT, shown, "post_1:deny")
        await server.until(lambda: server.answers[token])
        ingress.gates[DIRECT].set()
        await server.until(lambda: len(server.answers[token]) == 2)

    at_once, later = server.answers[token]
    assert (at_once["type"], at_once["data"]["flags"]) == (5, 64)
    assert later["content"] == "Approved."


async def test_a_press_that_could_not_be_taken_says_so(server: DiscordServer) -> None:
    async with receiving(server, RecordingIngress(failures=1)) as line:
        shown = await line.platform.send(post_for(DIRECT), words("May I?"))
        token = await server.press(DIRECT, shown, "post_1:deny")
        await server.until(lambda: server.answers[token])

    assert server.answers[token][0]["data"]["content"].startswith("I cannot take that in just now.")


async def test_an_application_command_comes_as_a_message_and_is_answered(server: DiscordServer) -> None:
    async with receiving(server) as line:
        plain = await server.call_command(DIRECT, "new")
        token = await server.call_command(CHANNEL, "model", "fast")
        await server.until(lambda: server.answers[token] and server.answers[plain])

    by_text = {message.text: message for message in line.ingress.messages}
    assert by_text.keys() == {"/new", "/model fast"}
    assert by_text["/new"].kind is ChatKind.PRIVATE
    assert (by_text["/model fast"].kind, by_text["/model fast"].is_for_bot) == (ChatKind.GROUP, True)
    assert f"token-{by_text['/model fast'].address.sender.message_id}" == token
    assert server.answers[token][0]["data"]["flags"] == 64


async def test_a_command_waits_for_the_messages_before_it(server: DiscordServer) -> None:
    ingress = RecordingIngress(gates={DIRECT: asyncio.Event()})
    async with receiving(server, ingress):
        await server.write(DIRECT, "first")
        await ingress.until(lambda: ingress.reached)
        await server.call_command(DIRECT, "new")
        ingress.gates[DIRECT].set()
        await ingress.until(lambda: len(ingress.messages) == 2)

    assert ingress.texts == ["first", "/new"]


async def test_a_gateway_that_does_not_answer_is_left_in_time(
    server: DiscordServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.gateway.platforms.discord.line._OPEN_SECONDS", 0.05)
    server.troubles["GET bot"] = [Trouble.SILENT]

    async with asyncio.timeout(PATIENCE):
        with pytest.raises(TimeoutError):
            async with receiving(server):
                pass


async def test_a_missing_intent_is_refused_with_what_to_do(server: DiscordServer) -> None:
    server.gateway.has_message_content = False
    async with open_platform(server) as platform:
        with pytest.raises(TokenRefused, match="Message Content Intent"):
            await Line(platform, RecordingIngress()).open()


async def test_a_token_that_is_reset_while_connected_is_refused(server: DiscordServer) -> None:
    async with receiving(server) as line:
        assert line.job is not None
        server.gateway.token = "another"
        server.gateway.cut()
        server.gateway.forget()
        with pytest.raises(TokenRefused):
            await line.job


async def test_a_line_that_never_stands_is_left_to_the_door_to_open_again(server: DiscordServer) -> None:
    server.gateway.is_dumb = True
    async with open_platform(server) as platform:
        with pytest.raises(LineBroken):
            await Line(platform, RecordingIngress()).open()

        server.gateway.is_dumb = False
        line = Line(platform, RecordingIngress())
        await line.open()
        await line.close()


async def test_a_bot_that_has_connected_too_often_waits(server: DiscordServer) -> None:
    server.starts_left = 0
    async with open_platform(server) as platform:
        with pytest.raises(WakefulError, match="in again in 3600 s"):
            await Line(platform, RecordingIngress()).open()

    assert server.gateway.openings == []


async def test_an_event_that_cannot_be_read_does_not_break_the_line(
    server: DiscordServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with receiving(server) as line:
        await server.gateway.dispatch("MESSAGE_CREATE", {"channel_id": DIRECT})
        await server.write(DIRECT, "Hello")
        await line.ingress.first()

    assert server.gateway.openings == [IDENTIFY]
    assert "could not read an event" in caplog.text


async def test_heartbeats_go_on(server: DiscordServer) -> None:
    server.gateway.heartbeat_milliseconds = 10
    async with receiving(server):
        await server.until(lambda: server.gateway.heartbeats >= 3)


def _reply(server: DiscordServer, message_id: str) -> dict[str, Any]:
    message = server.rooms[CHANNEL].messages[int(message_id)]
    reference = {"message_id": message_id, "channel_id": CHANNEL}
    return {"type": 19, "message_reference": reference, "referenced_message": message}
