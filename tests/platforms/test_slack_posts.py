"""Slack's adapter against a server that speaks Slack's protocol: what it sends, and what it knows of it afterwards."""

import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.platforms.slack_kit import a_platform, a_post, words
from tests.platforms.slack_server import SlackServer, Trouble
from wakeful.gateway.messaging.platform import Button, Cure, LookedUp, NotTaken, Refused, Unanswered, Whereabouts
from wakeful.gateway.platforms.slack.adapter import SlackPlatform

ABSENT = LookedUp(Whereabouts.ABSENT)


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        server.channel("D1")
        yield server


@pytest.fixture
async def platform(slack: SlackServer) -> AsyncIterator[SlackPlatform]:
    platform = a_platform(slack)
    yield platform
    await platform.close()


async def test_a_post_goes_to_its_thread_and_bears_its_id(slack: SlackServer, platform: SlackPlatform) -> None:
    root = await slack.write("C1", "question")
    post = a_post("C1", root, root)

    ts = await platform.send(post, words("*bold* &amp; <https://a.org|a page>", reply_to=root))

    assert slack.channels["C1"].messages[ts]["thread_ts"] == root
    (sent,) = slack.called("chat.postMessage")
    assert sent["text"] == "*bold* &amp; <https://a.org|a page>"
    assert sent["metadata"] == {"event_type": "wakeful_post", "event_payload": {"post": post.id}}
    assert [sent["unfurl_links"], sent["unfurl_media"], sent["link_names"]] == [False, False, False]


async def test_at_the_top_of_a_direct_message_there_is_no_thread(slack: SlackServer, platform: SlackPlatform) -> None:
    asked = await slack.write("D1", "question")

    await platform.send(a_post("D1", "", asked), words(reply_to=asked))

    assert "thread_ts" not in slack.called("chat.postMessage")[0]


async def test_an_edit_takes_the_buttons_off(slack: SlackServer, platform: SlackPlatform) -> None:
    post = a_post()
    buttons = [Button("Once", f"{post.id}:once"), Button("Deny", f"{post.id}:deny")]
    ts = await platform.send(post, words("May I?", buttons=buttons))
    shown = slack.channels["D1"].messages[ts]
    section, actions = shown["blocks"]
    assert section["text"]["text"] == "May I?"
    assert [button["value"] for button in actions["elements"]] == [f"{post.id}:once", f"{post.id}:deny"]

    await platform.edit(replace(post, message_id=ts), words("Approved."))

    assert (shown["text"], shown["blocks"]) == ("Approved.", [])
    assert shown["metadata"]["event_payload"] == {"post": post.id}


async def test_a_long_question_fills_several_blocks(slack: SlackServer, platform: SlackPlatform) -> None:
    block = "```\n" + "\n".join(f"echo {number}" for number in range(350)) + "\n```"

    ts = await platform.send(a_post(), words(f"May I?\n{block}", buttons=[Button("Once", "1")]))

    *sections, _ = slack.channels["D1"].messages[ts]["blocks"]
    assert len(sections) > 1
    assert all(section["text"]["text"].count("```") == 2 for section in sections)


@pytest.mark.parametrize(
    ("trouble", "is_there"),
    [
        (Trouble.BROKEN, False),
        (Trouble.UNREADABLE, False),
        (Trouble.CUT_BEFORE, False),
        (Trouble.CUT_AFTER, True),
        (Trouble.FATAL, True),
    ],
)
async def test_a_send_without_an_answer_is_not_repeated_but_looked_up(
    slack: SlackServer, platform: SlackPlatform, trouble: Trouble, is_there: bool
) -> None:
    root = await slack.write("C1", "question")
    await platform.send(a_post("C1", root, root), words())
    slack.troubles["chat.postMessage"] = [trouble]
    post = replace(a_post("C1", root, root), attempted_at=time.time())

    with pytest.raises(Unanswered):
        await platform.send(post, words())

    said = [one["ts"] for one in slack.channels["C1"].said if one["metadata"]["event_payload"]["post"] == post.id]
    assert len(said) == is_there
    assert await platform.look_up(post, words()) == (LookedUp(Whereabouts.FOUND, said[0]) if is_there else ABSENT)


async def test_a_slow_answer_is_no_answer(slack: SlackServer) -> None:
    platform = a_platform(slack, timeout=0.5)
    slack.troubles["chat.postMessage"] = [Trouble.SLOW]

    with pytest.raises(Unanswered):
        await platform.send(a_post(), words())

    slack.gate.set()
    await slack.until(lambda: slack.channels["D1"].said)
    await platform.close()


async def test_a_limit_names_its_time(slack: SlackServer, platform: SlackPlatform) -> None:
    slack.troubles["chat.postMessage"] = [Trouble.LIMITED]

    with pytest.raises(NotTaken) as raised:
        await platform.send(a_post(), words())

    assert (raised.value.seconds, raised.value.cure) == (3.0, None)
    assert slack.channels["D1"].said == []


async def test_a_server_that_is_not_there_has_taken_nothing(slack: SlackServer, unused_tcp_port: int) -> None:
    platform = a_platform(slack, api_url=f"http://127.0.0.1:{unused_tcp_port}/api")

    with pytest.raises(NotTaken, match="cannot be reached"):
        await platform.send(a_post(), words())

    await platform.close()


@pytest.mark.parametrize("code", ["not_in_channel", "is_archived", "restricted_action", "channel_not_found"])
async def test_a_chat_that_is_closed_to_the_bot_is_refused(
    slack: SlackServer, platform: SlackPlatform, code: str
) -> None:
    slack.channel("C1", refusal=code)

    with pytest.raises(Refused, match=code):
        await platform.send(a_post("C1"), words())
    with pytest.raises(Refused, match=code):
        await platform.edit(replace(a_post("C1"), message_id="1.1"), words())


async def test_a_message_that_is_too_long_is_to_be_made_shorter(slack: SlackServer, platform: SlackPlatform) -> None:
    ts = await platform.send(a_post(), words())
    slack.longest = 10

    with pytest.raises(NotTaken) as sent:
        await platform.send(a_post(), words("x" * 11))
    with pytest.raises(NotTaken) as edited:
        await platform.edit(replace(a_post(), message_id=ts), words("x" * 11))

    assert [sent.value.cure, edited.value.cure] == [Cure.SHORTER, Cure.SHORTER]


async def test_without_its_thread_a_post_goes_to_the_channel(slack: SlackServer, platform: SlackPlatform) -> None:
    slack.channel("C1")
    post = replace(a_post("C1", "1.000001", "1.000001"), attempted_at=time.time())

    with pytest.raises(NotTaken) as raised:
        await platform.send(post, words())
    ts = await platform.send(post, words())

    assert raised.value.cure is Cure.NO_ANCHOR
    assert "thread_ts" not in slack.channels["C1"].messages[ts]
    assert await platform.look_up(post, words()) == LookedUp(Whereabouts.FOUND, ts)


async def test_an_edit_of_a_message_that_is_gone_is_refused(slack: SlackServer, platform: SlackPlatform) -> None:
    with pytest.raises(Refused, match="message_not_found"):
        await platform.edit(replace(a_post("D1", "1.1"), message_id="1.2"), words())


async def test_with_a_token_that_slack_refuses_posts_wait(slack: SlackServer, platform: SlackPlatform) -> None:
    slack.bot_token = "another"
    post = replace(a_post(), message_id="1.1", attempted_at=1.0)

    with pytest.raises(NotTaken):
        await platform.send(post, words())
    with pytest.raises(NotTaken):
        await platform.edit(post, words())
    with pytest.raises(NotTaken):
        await platform.look_up(post, words())


async def test_what_cannot_be_read_cannot_be_known(slack: SlackServer, platform: SlackPlatform) -> None:
    found = await platform.look_up(replace(a_post("CGONE"), attempted_at=1.0), words())

    assert found.whereabouts is Whereabouts.UNKNOWABLE


async def test_a_file_is_posted_with_its_words(slack: SlackServer, platform: SlackPlatform, tmp_path: Path) -> None:
    root = await slack.write("C1", "question")
    path = tmp_path / "plot.png"
    path.write_bytes(b"picture")

    await platform.send(a_post("C1", root, root), words("here", file=path))

    (shown,) = slack.channels["C1"].said
    assert (shown["text"], shown["thread_ts"], shown["files"][0]["name"]) == ("here", root, "plot.png")
    assert slack.files[shown["files"][0]["id"]]["content"] == b"picture"


@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize(("trouble", "is_there"), [(Trouble.CUT_AFTER, True), (Trouble.CUT_BEFORE, False)])
async def test_a_file_without_an_answer_is_looked_up(
    slack: SlackServer,
    platform: SlackPlatform,
    tmp_path: Path,
    is_restarted: bool,
    trouble: Trouble,
    is_there: bool,
) -> None:
    path = tmp_path / "plot.png"
    path.write_bytes(b"picture")
    slack.troubles["files.completeUploadExternal"] = [trouble]
    post = replace(a_post(), attempted_at=time.time())
    with pytest.raises(Unanswered):
        await platform.send(post, words("", file=path))

    asked = a_platform(slack) if is_restarted else platform
    found = await asked.look_up(post, words("", file=path))
    await asked.close()

    said = slack.channels["D1"].said
    assert len(said) == is_there
    assert found == (LookedUp(Whereabouts.FOUND, said[0]["ts"]) if is_there else ABSENT)
    assert bool(slack.called("files.info")) is not is_restarted


async def test_a_file_that_is_not_shown_yet_is_not_taken(
    slack: SlackServer, platform: SlackPlatform, tmp_path: Path
) -> None:
    path = tmp_path / "plot.png"
    path.write_bytes(b"picture")
    slack.troubles["files.getUploadURLExternal"] = [Trouble.BROKEN]

    with pytest.raises(NotTaken):
        await platform.send(a_post(), words("", file=path))
    with pytest.raises(Refused, match=r"gone\.png cannot be read"):
        await platform.send(a_post(), words("", file=tmp_path / "gone.png"))
    # It was a file when it was chosen.
    (tmp_path / "link.png").symlink_to(path)
    with pytest.raises(Refused, match=r"link\.png cannot be read"):
        await platform.send(a_post(), words("", file=tmp_path / "link.png"))
