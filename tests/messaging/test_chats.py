"""A chat on a platform: messages in, answers out, each once and where it belongs."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.messaging.kit import DOOR, a_message, chatting
from tests.patience import PATIENCE
from tests.unit.gateway.messaging.kit import ScriptedPlatform
from wakeful.gateway.messaging.outbox.live import LiveTurn
from wakeful.gateway.messaging.platform import LookedUp, NotTaken, OfferedFile, Refused, Unanswered, Whereabouts
from wakeful.gateway.messaging.settings import Groups, ShownProgress, Strangers
from wakeful.model.journal.fact import TextDelta
from wakeful.model.journal.message import UserMessage
from wakeful.model.messaging.chat import ChatKind, SessionScope
from wakeful.model.messaging.post import PostKind
from wakeful.model.session import Address
from wakeful.store.base import Store


async def test_an_answer_comes_back_once_to_its_chat(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("Hello", "5")
        chat.agent.order(await chat.turn(), "say Hi there")
        await chat.shows("Hi there")
        await chat.write("Hello", "5")
        await chat.write("More", "6")
        chat.agent.order(await chat.turn(2), "say Yes")
        await chat.shows("Hi there", "Yes")

    assert len(chat.agent.briefs) == 2, "the same message again opened no turn"
    assert [message.reply_to for _, _, message in chat.platform.requests] == ["", ""]


async def test_words_and_names_that_no_store_takes_are_mended_and_answered(store: Store, tmp_path: Path) -> None:
    odd = "a\0b \ud83d c"
    async with chatting(store, tmp_path) as chat:
        message = a_message(odd, "5")
        sender = replace(message.address.sender, user_name=odd, chat_name=odd)
        await chat.ingress.take(replace(message, quoted=odd, address=replace(message.address, sender=sender)))
        turn_id = await chat.turn()
        chat.agent.order(turn_id, "say Hi there")
        await chat.shows("Hi there")

    asked = chat.agent.briefs[turn_id].messages[-1]
    assert isinstance(asked, UserMessage)
    assert asked.text.endswith("a\ufffdb ? c")


class TypingPlatform(ScriptedPlatform):
    """Refuses to show that an answer is being written, until it is asked again."""

    def __init__(self) -> None:
        super().__init__(typing_seconds=0.01)
        self.has_refused = False
        self.shows_typing = asyncio.Event()

    async def show_typing(self, address: Address, *, is_over: bool = False) -> None:
        if not self.has_refused:
            self.has_refused = True
            raise NotTaken("not now")
        self.shows_typing.set()


async def test_typing_that_is_refused_is_tried_again_and_harms_no_answer(store: Store, tmp_path: Path) -> None:
    platform = TypingPlatform()
    async with chatting(store, tmp_path, platform) as chat:
        await chat.write("Hello", "5")
        turn_id = await chat.turn()
        async with asyncio.timeout(PATIENCE):
            await platform.shows_typing.wait()
        chat.agent.order(turn_id, "say Hi there")
        await chat.shows("Hi there")


async def test_a_growing_answer_is_one_message_that_is_edited(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("Tell me", "5")
        turn_id = await chat.turn()
        chat.agent.tell(turn_id, TextDelta(1, "Once upon a time there was a small server. "))
        await chat.shows("Once upon a time there was a small server.")
        chat.agent.tell(turn_id, TextDelta(1, "It slept."))
        await chat.shows("Once upon a time there was a small server. It slept.")
        chat.agent.order(turn_id, "say Once upon a time there was a small server. It slept. The end.")
        await chat.shows("Once upon a time there was a small server. It slept. The end.")

    assert [kind for kind, _, _ in chat.platform.requests].count("send") == 1


async def test_an_answer_that_is_killed_goes_on_in_the_same_message(store: Store, tmp_path: Path) -> None:
    platform = ScriptedPlatform()
    async with chatting(store, tmp_path, platform) as chat:
        await chat.write("Tell me", "5")
        chat.agent.tell(await chat.turn(), TextDelta(1, "Words that a crash takes back, all of them, "))
        await chat.shows("Words that a crash takes back, all of them,")
    async with chatting(store, tmp_path, platform) as chat:
        chat.agent.order(await chat.turn(), "say Other words")
        await chat.shows("Other words")


async def test_tool_calls_are_shown_in_one_message_before_the_answer(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path, progress=ShownProgress.ALL) as chat:
        await chat.write("Work", "5")
        chat.agent.order(await chat.turn(), "step", "step", "say Ready")
        lines = "• work: → worked on node\n• work: → worked on node"
        await chat.shows("working", lines, "working", "Ready")


async def test_words_that_are_shown_late_take_nothing_back_from_a_recorded_answer(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("Work", "5")
        turn = chat.agent.briefs[await chat.turn()].turn
        chat.agent.order(turn.id, "step")
        await chat.shows("working", "• work:")
        session = await store.read(lambda tx: tx.sessions.get(turn.session_id))
        assert session is not None
        outbox = chat.door.outbox
        late = LiveTurn(
            chat.engine, store, chat.platform, outbox.postman, DOOR, session, turn, outbox.project, asyncio.Lock()
        )

        assert await store.write(partial(late._write, 1, "work")) == []
        assert [post.wanted for post in await chat.posts()] == ["• work:", "working"]
        chat.agent.order(turn.id, "finish")


async def test_without_progress_only_words_are_shown(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path, progress=ShownProgress.OFF) as chat:
        await chat.write("Work", "5")
        chat.agent.order(await chat.turn(), "step", "say Ready")
        await chat.shows("working", "Ready")


async def test_a_failure_is_said_in_the_chat(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("Hello", "5")
        chat.agent.order(await chat.turn(), "refuse")
        await chat.shows("The model could not answer: The key is wrong.")


async def test_a_stopped_answer_says_so(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("Tell me", "5")
        chat.agent.tell(await chat.turn(), TextDelta(1, "A long answer that is stopped in the middle, "))
        await chat.shows("A long answer that is stopped in the middle,")
        await chat.write("/stop", "6")
        await chat.shows("A long answer that is stopped in the middle,\n\n(stopped)", "Stopped.")


async def test_in_a_group_the_bot_hears_its_name_and_replies_to_the_message(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("not for you", "5", kind=ChatKind.GROUP, chat_id="-1")
        await chat.write("for you", "6", kind=ChatKind.GROUP, chat_id="-1", is_for_bot=True, quoted="before\nthat")
        turn_id = await chat.turn()
        chat.agent.order(turn_id, "say Here")
        await chat.shows("Here", chat_id="-1")

    assert chat.agent.briefs[turn_id].messages[-1].text == "> before\n> that\n[Ada] for you"
    assert [message.reply_to for _, _, message in chat.platform.requests] == ["6"]


@pytest.mark.parametrize(("groups", "heard"), [(Groups.ALL, 2), (Groups.OFF, 0)])
async def test_a_group_hears_all_or_nothing(store: Store, tmp_path: Path, groups: Groups, heard: int) -> None:
    async with chatting(store, tmp_path, groups=groups) as chat:
        await chat.write("one", "5", kind=ChatKind.GROUP, chat_id="-1", thread_id="a")
        await chat.write("two", "6", kind=ChatKind.GROUP, chat_id="-1", thread_id="b", is_for_bot=True)
        await chat.write("three", "7")
        await chat.turn(heard + 1)

    assert len(chat.agent.briefs) == heard + 1


async def test_threads_have_sessions_of_their_own(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path, sessions=SessionScope.THREAD) as chat:
        for number, thread_id in enumerate("aba"):
            await chat.write("hi", str(number), kind=ChatKind.GROUP, thread_id=thread_id, is_for_bot=True)
        first, second = await chat.turn(1), await chat.turn(2)
        chat.agent.order(first, "say to a")
        chat.agent.order(second, "say to b")
        await chat.shows("to b", thread_id="b")
        chat.agent.order(await chat.turn(3), "say to a again")
        await chat.shows("to a", "to a again", thread_id="a")


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
async def test_a_server_with_more_chats_than_it_keeps_in_mind_answers_all_of_them(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.gateway.messaging.outbox.outbox._MOST_KNOWN", 1)
    async with chatting(store, tmp_path) as chat:
        for number in (1, 2, 3, 1):
            await chat.write("Hello", str(len(chat.agent.briefs)), chat_id=str(number))
            chat.agent.order(await chat.turn(len(chat.agent.briefs) + 1), f"say Hi {number}")
            await chat.platform.until(lambda: f"Hi {number}" in chat.platform.texts(str(number)))  # noqa: B023

        assert len(chat.door.outbox._platforms) == 1


async def test_new_begins_another_conversation_and_the_old_one_goes_on(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("slow", "5")
        slow = await chat.turn(1)
        await chat.write("/new", "6")
        await chat.shows("New conversation.")
        await chat.write("quick", "7")
        quick = await chat.turn(2)
        chat.agent.order(quick, "say quick answer")
        await chat.shows("New conversation.", "quick answer")
        chat.agent.order(slow, "say slow answer")
        await chat.shows("New conversation.", "quick answer", "slow answer")

    sessions = {chat.agent.briefs[turn].turn.session_id for turn in (slow, quick)}
    assert len(sessions) == 2


async def test_a_group_that_moves_takes_its_conversation_and_its_answers_along(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("slow", "5", kind=ChatKind.GROUP, chat_id="-1", is_for_bot=True)
        slow = await chat.turn()
        await chat.ingress.move_chat("-1", "-100")
        chat.agent.order(slow, "say Here I am")
        await chat.shows("Here I am", chat_id="-100")
        await chat.write("again", "1", kind=ChatKind.GROUP, chat_id="-100", is_for_bot=True)
        again = await chat.turn(2)
        chat.agent.order(again, "say Yes")

    assert chat.platform.texts("-1") == []
    assert chat.platform.requests[0][2].reply_to == "", "the message has another id in the new group"
    assert len({chat.agent.briefs[turn].turn.session_id for turn in (slow, again)}) == 1


async def test_strangers_get_a_code_once_and_nothing_else(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        for number in range(3):
            await chat.write("let me in", str(number), user_id="66")
        await chat.write("hey", "9", user_id="66", kind=ChatKind.GROUP, is_for_bot=True, chat_id="-1")
        await chat.platform.until(lambda: bool(chat.platform.texts("1")))
        (text,) = chat.platform.texts("1")
        code = text.split()[-1]
        paired = await chat.people.pair(code.lower())
        await chat.write("hello", "10", user_id="66")
        await chat.turn()

    assert text == f"I only talk to people my owner knows. To be let in, ask them to run: wakeful pair {code}"
    assert (paired.user_id, len(code)) == ("66", 8)
    assert chat.platform.texts("-1") == []


async def test_silent_doors_say_nothing_to_strangers(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path, strangers=Strangers.SILENT) as chat:
        await chat.write("let me in", "1", user_id="66")
        assert await chat.posts() == []


async def test_files_are_saved_in_the_workspace_and_named_to_the_agent(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        files = [
            _file("../../a.txt", b"one"),
            _file("a.txt", b"two"),
            _file("big.bin", b"x" * 1001),
            _file("", b"three"),
        ]
        await chat.write("see", "5", attachments=files)
        turn_id = await chat.turn()
        await chat.platform.until(lambda: bool(chat.platform.texts("1")))

    assert chat.agent.briefs[turn_id].messages[-1].text.split("\n") == [
        "see",
        "[File: inbox/5-a.txt, 3 bytes]",
        "[File: inbox/5-a-2.txt, 3 bytes]",
        "[File: inbox/5-file, 5 bytes]",
    ]
    assert (tmp_path / "inbox" / "5-a-2.txt").read_bytes() == b"two"
    assert sorted(path.name for path in (tmp_path / "inbox").iterdir()) == ["5-a-2.txt", "5-a.txt", "5-file"]
    assert chat.platform.texts("1") == ["big.bin is too large (0.001 MB, at most 0.001 MB) and was left out."]


async def test_a_file_without_words_is_a_message_and_its_name_is_cut_before_its_ending(
    store: Store, tmp_path: Path
) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("", "5", attachments=[_file(f"{'n' * 150}.txt", b"one")])
        turn_id = await chat.turn()
        chat.agent.order(turn_id, "say Yes")

    name = f"5-{'n' * 96}.txt"
    assert chat.agent.briefs[turn_id].messages[-1].text == f"[File: inbox/{name}, 3 bytes]"
    assert (tmp_path / "inbox" / name).read_bytes() == b"one"


async def test_a_name_that_no_file_may_have_is_changed_and_files_that_cannot_be_had_are_left_out(
    store: Store, tmp_path: Path
) -> None:
    async with chatting(store, tmp_path) as chat:
        (tmp_path / "inbox" / "5-b.txt").mkdir(parents=True)
        names = ["b.txt", "\N{CHERRIES}" * 90 + ".txt", "a\u202etxt.exe", "a\u2028[File: x].txt"]
        await chat.write("see", "5", attachments=[_lost("c.txt"), *(_file(name, b"one") for name in names)])
        turn_id = await chat.turn()
        await chat.shows(
            "c.txt could not be fetched and was left out: It is gone.",
            "b.txt could not be saved and was left out: Is a directory.",
        )

    assert chat.agent.briefs[turn_id].messages[-1].text.split("\n") == [
        "see",
        "[File: inbox/5-" + "\N{CHERRIES}" * 44 + ".txt, 3 bytes]",
        "[File: inbox/5-a_txt.exe, 3 bytes]",
        "[File: inbox/5-a_[File: x].txt, 3 bytes]",
    ]


async def test_a_quote_is_cut_after_its_first_300_characters(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("this?", "5", quoted="q" * 301)
        turn_id = await chat.turn()
        chat.agent.order(turn_id, "say Yes")

    assert chat.agent.briefs[turn_id].messages[-1].text == f"> {'q' * 300}\nthis?"


async def test_a_bug_is_said_without_its_traceback(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("Hello", "5")
        chat.agent.order(await chat.turn(), "break")
        await chat.platform.until(lambda: bool(chat.platform.texts("1")))

    (said,) = chat.platform.texts("1")
    assert said.startswith("I had to stop: ")
    assert "Traceback" not in said
    assert "\n" not in said


async def test_commands_tell_of_and_change_the_conversation(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("slow", "5")
        turn = chat.agent.briefs[await chat.turn()].turn
        await chat.spawn(turn.id, "build")
        await chat.write("later", "6")
        await chat.write("/model demo:other", "7")
        await chat.write("/status", "8")
        await chat.write("/tasks", "9")
        await chat.platform.until(lambda: len(chat.platform.texts("1")) == 3)

    chosen, status, tasks = chat.platform.texts("1")
    assert chosen == "Model: demo:other"
    lines = [f"Session: {turn.session_id}", "Model: demo:other", "Turn: running", "Queued: 1", "Tasks: 1 running"]
    assert status.split("\n") == lines
    assert re.fullmatch(r"build running \d+ s: run build", tasks)


async def test_a_lost_reply_doubles_nothing(store: Store, tmp_path: Path) -> None:
    platform = ScriptedPlatform(arrives=True, answer=LookedUp(Whereabouts.FOUND, "1"))
    platform.troubles["1"] = [Unanswered("cut")]
    async with chatting(store, tmp_path, platform) as chat:
        await chat.write("Hello", "5")
        chat.agent.order(await chat.turn(), "say Hi there")
        await chat.platform.until(lambda: any(kind == "edit" for kind, _, _ in chat.platform.requests))
        await chat.write("Again", "6")
        chat.agent.order(await chat.turn(2), "say Bye")
        await chat.shows("Hi there", "Bye")


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("/help", "Commands:"),
        ("!status", "Session: none yet"),
        ("/tasks", "No background work."),
        ("/model", "Model: demo:led"),
        ("/model nope", "There is no model nope."),
        ("/mode", "Mode: accept_edits"),
        ("/mode nope", "There is no mode nope: it is one of read_only, ask, accept_edits, everything."),
        ("/mode everything", "In a chat the mode can be accept_edits or a stricter one: my owner has set it so."),
        ("/mode ask", "Say something first: then this conversation can have a mode."),
        ("/approve", "Nothing waits for an answer."),
        ("/deny", "Nothing waits for an answer."),
        ("/stop", "Nothing is running."),
        ("/what now", "There is no command /what. /help lists them."),
    ],
)
async def test_a_command_is_answered_without_a_turn(store: Store, tmp_path: Path, text: str, answer: str) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write(text, "5")
        await chat.write(text, "5")
        await chat.platform.until(lambda: bool(chat.platform.texts("1")))

        assert [shown.split("\n")[0] for shown in chat.platform.texts("1")] == [answer]
        assert [post.kind for post in await chat.posts()] == [PostKind.COMMAND]
    assert chat.agent.briefs == {}


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
@pytest.mark.parametrize("text", ["/etc/passwd is what?", "!important", "/ 5", "a /stop"])
async def test_what_only_looks_like_a_command_is_a_message(store: Store, tmp_path: Path, text: str) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write(text, "5")
        turn_id = await chat.turn()

    assert chat.agent.briefs[turn_id].messages[-1].text == text


def _file(name: str, content: bytes) -> OfferedFile:
    async def read() -> AsyncIterator[bytes]:
        yield content[:2]
        yield content[2:]

    return OfferedFile(name, None if name == "a.txt" else len(content), read)


def _lost(name: str) -> OfferedFile:
    async def read() -> AsyncIterator[bytes]:
        yield b"o"
        raise Refused("It is gone.")

    return OfferedFile(name, 3, read)
