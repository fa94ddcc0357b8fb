"""The Discord adapter against a Discord on loopback: what it sends, edits, looks up and checks."""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.platforms.discord_kit import COMMANDS, no_chats, open_platform, post_to, receiving, settings_for, words
from tests.platforms.discord_server import ANN, BOT, THREAD, TOKEN, DiscordServer, Trouble
from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import (
    Button,
    Cure,
    Message,
    NotTaken,
    Refused,
    TokenRefused,
    Unanswered,
    Whereabouts,
)
from wakeful.gateway.platforms.discord.adapter import DiscordPlatform
from wakeful.model.session import Address

CHANNEL = "100"


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as server:
        server.room(CHANNEL)
        yield server


@pytest.fixture
async def platform(server: DiscordServer) -> AsyncIterator[DiscordPlatform]:
    async with open_platform(server) as platform:
        yield platform


async def test_a_post_is_sent_with_its_id_as_enforced_nonce_and_mentions_no_one(
    server: DiscordServer, platform: DiscordPlatform
) -> None:
    post = post_to(CHANNEL)

    message_id = await platform.send(post, words("Hello @everyone"))

    assert server.rooms[CHANNEL].messages[int(message_id)]["content"] == "Hello @everyone"
    _, sent = server.requests[-1]
    assert (sent["nonce"], sent["enforce_nonce"], sent["allowed_mentions"]) == (post.id, True, {"parse": []})


async def test_a_post_to_a_thread_goes_into_the_thread(server: DiscordServer, platform: DiscordPlatform) -> None:
    server.room("101", THREAD, parent_id=CHANNEL)

    await platform.send(post_to(CHANNEL, "101"), words("Hello"))

    assert server.rooms["101"].said == ["Hello"]
    assert server.rooms[CHANNEL].said == []


async def test_an_anchor_is_replied_to_and_one_that_is_gone_fails_nothing(
    server: DiscordServer, platform: DiscordPlatform
) -> None:
    asked = await server.write(CHANNEL, "How are you?")

    answer = await platform.send(post_to(CHANNEL), words("Well", reply_to=asked))
    lonely = await platform.send(post_to(CHANNEL), words("Alone", reply_to="12345"))

    messages = server.rooms[CHANNEL].messages
    assert messages[int(answer)]["message_reference"]["message_id"] == asked
    assert "message_reference" not in messages[int(lonely)]


async def test_an_edit_changes_the_words_and_takes_the_buttons_away(
    server: DiscordServer, platform: DiscordPlatform
) -> None:
    post = post_to(CHANNEL)
    question = Message("May I?", buttons=[Button("Once", "post:once"), Button("Deny", "post:deny")])
    message_id = await platform.send(post, question)
    shown = server.rooms[CHANNEL].messages[int(message_id)]
    row = shown["components"][0]["components"]
    assert [(button["label"], button["custom_id"]) for button in row] == [("Once", "post:once"), ("Deny", "post:deny")]

    await platform.edit(replace(post, message_id=message_id), words("Denied by Ann."))

    assert (shown["content"], shown["components"]) == ("Denied by Ann.", [])


async def test_a_file_is_uploaded_with_its_caption(
    server: DiscordServer, platform: DiscordPlatform, tmp_path: Path
) -> None:
    file = tmp_path / "plan.txt"
    file.write_bytes(b"12345")

    message_id = await platform.send(post_to(CHANNEL), Message("The plan", file=file))

    shown = server.rooms[CHANNEL].messages[int(message_id)]
    assert shown["content"] == "The plan"
    assert [(file["filename"], file["size"]) for file in shown["attachments"]] == [("plan.txt", 5)]
    open_files = [Path(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")]
    assert not [link for link in open_files if link.is_symlink() and link.resolve() == file], "it is closed again"


async def test_a_file_that_is_too_large_or_gone_is_refused_before_it_is_sent(
    server: DiscordServer, platform: DiscordPlatform, tmp_path: Path
) -> None:
    large = tmp_path / "large.bin"
    with large.open("wb") as file:
        file.truncate(10_000_001)

    with pytest.raises(Refused, match=r"large\.bin is too large for Discord \(10 MB, at most 10 MB\)"):
        await platform.send(post_to(CHANNEL), Message("", file=large))
    with pytest.raises(Refused, match=r"gone\.bin cannot be read"):
        await platform.send(post_to(CHANNEL), Message("", file=tmp_path / "gone.bin"))

    assert server.requests == []


async def test_a_file_that_has_become_a_link_is_not_sent(
    server: DiscordServer, platform: DiscordPlatform, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("secret")
    (tmp_path / "plan.txt").symlink_to("key")

    with pytest.raises(Refused, match=r"plan\.txt cannot be read"):
        await platform.send(post_to(CHANNEL), Message("", file=tmp_path / "plan.txt"))

    assert not [request for request, _ in server.requests if request.startswith("POST")]


async def test_a_long_limit_is_not_slept_through(server: DiscordServer, platform: DiscordPlatform) -> None:
    server.troubles["POST messages"] = [Trouble.LIMITED]

    with pytest.raises(NotTaken) as caught:
        await platform.send(post_to(CHANNEL), words("Hello"))

    assert (caught.value.seconds, caught.value.cure) == (30.0, None)
    assert server.rooms[CHANNEL].said == []


async def test_a_limit_of_a_proxy_in_front_of_discord_names_its_time_too(
    server: DiscordServer, platform: DiscordPlatform
) -> None:
    server.troubles["POST messages"] = [Trouble.BANNED]

    with pytest.raises(NotTaken) as caught:
        await platform.send(post_to(CHANNEL), words("Hello"))

    assert caught.value.seconds == 17.0


async def test_one_chat_does_not_wait_for_the_limit_of_another(
    server: DiscordServer, platform: DiscordPlatform
) -> None:
    server.room("200")
    server.troubles["POST messages"] = [Trouble.SLOW]
    slow = asyncio.create_task(platform.send(post_to(CHANNEL), words("slow")))
    await server.until(lambda: any(request.startswith("POST") for request, _ in server.requests))

    await platform.send(post_to("200"), words("quick"))
    server.gate.set()
    await slow

    assert (server.rooms["200"].said, server.rooms[CHANNEL].said) == (["quick"], ["slow"])


async def test_a_bad_gateway_is_repeated_with_the_same_nonce(server: DiscordServer, platform: DiscordPlatform) -> None:
    server.troubles["POST messages"] = [Trouble.BAD_GATEWAY_AFTER]

    message_id = await platform.send(post_to(CHANNEL), words("Hello"))

    assert server.rooms[CHANNEL].said == ["Hello"]
    assert int(message_id) in server.rooms[CHANNEL].messages


async def test_a_request_that_is_never_answered_holds_up_no_other_to_its_channel(server: DiscordServer) -> None:
    platform = DiscordPlatform(settings_for(server, timeout=0.3), chats=no_chats)
    server.troubles["POST messages"] = [Trouble.SILENT]
    post = post_to(CHANNEL, attempted_at=time.time())
    try:
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(Unanswered):
                await platform.send(post, words("Hello"))
            found = await platform.look_up(post, words("Hello"))
    finally:
        await platform.close()

    assert found.whereabouts is Whereabouts.FOUND
    assert server.rooms[CHANNEL].said == ["Hello"]


@pytest.mark.parametrize("trouble", [Trouble.CUT_BEFORE, Trouble.CUT_AFTER, Trouble.UNAVAILABLE])
async def test_a_post_without_an_answer_is_found_by_its_nonce_and_never_doubled(
    server: DiscordServer, platform: DiscordPlatform, trouble: Trouble
) -> None:
    server.troubles["POST messages"] = [trouble]
    post = post_to(CHANNEL, attempted_at=time.time())

    with pytest.raises(Unanswered):
        await platform.send(post, words("Hello"))
    found = await platform.look_up(post, words("Hello"))

    assert server.rooms[CHANNEL].said == ["Hello"]
    assert found.whereabouts is Whereabouts.FOUND
    assert int(found.message_id) in server.rooms[CHANNEL].messages


async def test_an_old_post_is_looked_for_among_the_messages_of_its_channel(
    server: DiscordServer, platform: DiscordPlatform
) -> None:
    at = time.time() - 600
    asked = await server.write(CHANNEL, "Well?", at=at - 60)
    reference = {"message_reference": {"message_id": asked, "channel_id": CHANNEL}}
    await server.write(CHANNEL, "Done.", by=BOT, at=at - 30, **reference)
    await server.write(CHANNEL, "Done.", by=BOT, at=at)
    await server.write(CHANNEL, "Done.", by=ANN, at=at + 1, **reference)
    sent = await server.write(CHANNEL, "Done.", by=BOT, at=at + 1, **reference)

    found = await platform.look_up(post_to(CHANNEL, attempted_at=at), words("Done.", reply_to=asked))
    other = await platform.look_up(post_to(CHANNEL, attempted_at=at), words("Failed.", reply_to=asked))

    assert (found.whereabouts, found.message_id) == (Whereabouts.FOUND, sent)
    assert other.whereabouts is Whereabouts.ABSENT
    assert not any(request.startswith("POST") for request, _ in server.requests)


async def test_an_old_post_is_found_by_the_words_that_it_had_when_it_was_sent(
    server: DiscordServer, platform: DiscordPlatform
) -> None:
    at = time.time() - 600
    sent = await server.write(CHANNEL, "Here:\n```py\nprint(1)\n```", by=BOT, at=at + 1)

    grown = words("Here:\n```py\nprint(1)\nprint(2)\n```\nThat is all.")
    found = await platform.look_up(post_to(CHANNEL, attempted_at=at), grown)

    assert found.message_id == sent


async def test_of_several_that_look_the_same_the_last_is_the_post(
    server: DiscordServer, platform: DiscordPlatform
) -> None:
    at = time.time() - 600
    sent = [await server.write(CHANNEL, "Done.", by=BOT, at=at + number) for number in range(3)]

    found = await platform.look_up(post_to(CHANNEL, attempted_at=at), words("Done."))

    assert found.message_id == sent[-1]


async def test_a_post_that_discord_will_not_take_is_absent(server: DiscordServer, platform: DiscordPlatform) -> None:
    server.rooms[CHANNEL].is_forbidden = True

    early = await platform.look_up(post_to(CHANNEL, attempted_at=time.time()), words("Hello"))
    late = await platform.look_up(post_to(CHANNEL, attempted_at=time.time() - 600), words("Hello"))

    assert early.whereabouts is late.whereabouts is Whereabouts.ABSENT


async def test_a_server_that_cannot_be_asked_leaves_the_post_unknown(
    server: DiscordServer, platform: DiscordPlatform
) -> None:
    server.troubles["GET messages"] = [Trouble.UNAVAILABLE, Trouble.LIMITED]
    post = post_to(CHANNEL, attempted_at=time.time() - 600)

    with pytest.raises(Unanswered):
        await platform.look_up(post, words("Hello"))
    with pytest.raises(NotTaken):
        await platform.look_up(post, words("Hello"))


async def test_words_that_are_too_long_are_to_be_shortened(server: DiscordServer, platform: DiscordPlatform) -> None:
    with pytest.raises(NotTaken) as caught:
        await platform.send(post_to(CHANNEL), words("x" * 2001))

    assert caught.value.cure is Cure.SHORTER


async def test_an_anchor_that_discord_refuses_is_to_be_left_out(
    server: DiscordServer, platform: DiscordPlatform
) -> None:
    joined = await server.write(CHANNEL, type=7)

    with pytest.raises(NotTaken) as caught:
        await platform.send(post_to(CHANNEL), words("Welcome", reply_to=joined))

    assert caught.value.cure is Cure.NO_ANCHOR


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_channel_that_is_closed_or_gone_refuses(
    server: DiscordServer, platform: DiscordPlatform, is_known: bool
) -> None:
    server.rooms[CHANNEL].is_forbidden = True

    with pytest.raises(Refused, match="Missing Access" if is_known else "Unknown Channel"):
        await platform.send(post_to(CHANNEL if is_known else "404"), words("Hello"))


async def test_an_edit_of_a_message_that_is_gone_is_refused(server: DiscordServer, platform: DiscordPlatform) -> None:
    with pytest.raises(Refused, match="Unknown Message"):
        await platform.edit(replace(post_to(CHANNEL), message_id="1"), words("Hello"))


async def test_nothing_is_sent_where_no_server_listens(server: DiscordServer, platform: DiscordPlatform) -> None:
    await platform.check()
    await server.stop()

    with pytest.raises(NotTaken, match="cannot be reached"):
        await platform.send(post_to(CHANNEL), words("Hello"))


async def test_a_page_instead_of_an_answer_says_what_to_check(server: DiscordServer, platform: DiscordPlatform) -> None:
    server.troubles["GET users"] = [Trouble.UNREADABLE]

    with pytest.raises(NotTaken, match="WAKEFUL_DISCORD_API_URL"):
        await platform.send(post_to(CHANNEL), words("Hello"))


async def test_a_server_that_comes_up_later_is_logged_in_to(server: DiscordServer, platform: DiscordPlatform) -> None:
    server.troubles["GET users"] = [Trouble.UNAVAILABLE]

    with pytest.raises(NotTaken):
        await platform.send(post_to(CHANNEL), words("Hello"))
    await platform.send(post_to(CHANNEL), words("Hello"))

    assert server.rooms[CHANNEL].said == ["Hello"]


async def test_a_sender_that_gives_up_holds_nothing_up(server: DiscordServer, platform: DiscordPlatform) -> None:
    server.troubles["POST messages"] = [Trouble.SLOW]
    post = post_to(CHANNEL, attempted_at=time.time())

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await platform.send(post, words("Hello"))
    server.gate.set()
    found = await platform.look_up(post, words("Hello"))

    assert found.whereabouts is Whereabouts.FOUND
    assert server.rooms[CHANNEL].said == ["Hello"]


async def test_a_sender_that_gives_up_during_a_global_limit_leaves_the_way_open_for_others(
    server: DiscordServer, platform: DiscordPlatform
) -> None:
    server.room("200")
    server.troubles["POST messages"] = [Trouble.LIMITED]
    server.retry_after, server.is_global_limit = 0.1, True

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await platform.send(post_to(CHANNEL), words("Hello"))
    await platform.send(post_to("200"), words("Here I am"))

    assert server.rooms["200"].said == ["Here I am"]


async def test_an_answer_is_not_held_back_by_the_limit_that_it_announces(
    server: DiscordServer, platform: DiscordPlatform
) -> None:
    await platform.check()
    spent = {"X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "3600"}
    server.headers = spent | {"X-RateLimit-Bucket": "abc", "X-RateLimit-Reset": str(time.time() + 3600)}

    await platform.send(post_to(CHANNEL), words("one"))
    await platform.send(post_to(CHANNEL), words("two"))

    assert server.rooms[CHANNEL].said == ["one", "two"]


async def test_typing_is_shown_and_says_when_it_is_not(server: DiscordServer, platform: DiscordPlatform) -> None:
    await platform.show_typing(Address("discord", CHANNEL))
    with pytest.raises(WakefulError):
        await platform.show_typing(Address("discord", "404"))
    await platform.show_typing(Address("discord", CHANNEL), is_over=True)

    asked = [request for request, _ in server.requests if request.endswith("typing")]
    assert asked == ["POST /channels/100/typing", "POST /channels/404/typing"]


async def test_commands_are_registered(server: DiscordServer) -> None:
    async with receiving(server):
        pass

    assert [(command["name"], command["description"]) for command in server.commands] == COMMANDS
    assert [[option["name"] for option in command["options"]] for command in server.commands] == [[], ["name"]]


async def test_a_wrong_token_is_refused_and_posts_wait_for_a_better_one(
    server: DiscordServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with open_platform(server, token="wrong-token") as platform:
        with pytest.raises(TokenRefused, match="WAKEFUL_DISCORD_TOKEN"):
            await platform.run(None, print)  # type: ignore[arg-type]
        with pytest.raises(NotTaken):
            await platform.send(post_to(CHANNEL), words("Hello"))

        [(name, state, sentence)] = await platform.check()

    assert (name, state) == ("discord", "fail")
    assert "WAKEFUL_DISCORD_TOKEN" in sentence
    assert "wrong-token" not in caplog.text


async def test_a_check_names_the_bot_or_the_intent_that_is_missing(server: DiscordServer) -> None:
    async with open_platform(server) as platform:
        [(_, state, sentence)] = await platform.check()
    assert (state, sentence) == ("ok", "Wakeful, with the message content intent")

    server.has_message_content = False
    async with open_platform(server) as platform:
        [(_, state, sentence)] = await platform.check()
    assert state == "fail"
    assert "Message Content Intent" in sentence


async def test_the_token_stands_in_no_log_line(server: DiscordServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.troubles["POST messages"] = [Trouble.LIMITED, Trouble.CUT_AFTER, Trouble.BANNED]

    async with receiving(server) as line:
        for _ in range(3):
            with pytest.raises((NotTaken, Unanswered)):
                await line.platform.send(post_to(CHANNEL), words("Hello"))
        server.gateway.cut()

    assert TOKEN not in caplog.text
