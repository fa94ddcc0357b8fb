"""What the commands of a chat ask of the server, and what they show."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.chat.chat_server import ChatServer
from tests.unit.cli.chat.questions import a_question
from tests.unit.cli.chat.recording_screen import RecordingScreen
from wakeful.cli.chat import talk as talking
from wakeful.cli.chat.talk import Talk
from wakeful.cli.client import RequestRefused, ServerGone
from wakeful.errors import SessionNotFound


class Chat:
    def __init__(self, server: ChatServer, *, model: str = "") -> None:
        self.screen = RecordingScreen()
        self.talk = Talk(server, self.screen, model=model, workspace="/tmp")

    async def types(self, *lines: str, asked: str | None = None) -> list[str]:
        """Type these lines, and return what they show."""
        before = len(self.screen.shown)
        for line in lines:
            await self.talk.take(line, asked)
        return self.screen.shown[before:]


@pytest.fixture
async def server() -> ChatServer:
    return ChatServer()


@pytest.fixture
async def chat(server: ChatServer) -> Any:
    chat = Chat(server)
    yield chat
    await chat.talk.session.leave()


def a_session(session_id: str, title: str) -> dict[str, Any]:
    shown = {"session_id": session_id, "title": title, "updated_at": "2020-05-01T12:00:00.000Z"}
    return shown | {"active_turn_id": None, "running_tasks": 0, "needs_you": 0, "unread": False, "last_status": None}


async def test_a_session_begins_with_the_first_words_in_the_folder_with_the_model(server: ChatServer) -> None:
    chat = Chat(server, model="openai:x")

    await chat.types("hello", "more")
    await chat.talk.session.leave()

    assert server.carried("/api/session/new") == [{"workspace": "/tmp", "model": "openai:x"}]
    said = server.carried("/api/chat/start")
    assert [(body["session_id"], body["message"], body["if_busy"]) for body in said] == [
        ("ses_01aaaaaa", "hello", "queue"),
        ("ses_01aaaaaa", "more", "queue"),
    ]
    assert not any("attachments" in body for body in said)


async def test_a_new_session_leaves_the_old_one_and_says_how_to_come_back(server: ChatServer, chat: Chat) -> None:
    assert await chat.types("/new") == ["· A new session begins with your next message."]
    await chat.types("hello")
    await asyncio.sleep(0)

    assert await chat.types("/new") == [
        "· A new session begins with your next message.",
        "· The one before goes on by itself: /resume aaaaaa",
    ]
    assert (chat.talk.standing.session_id, chat.talk.standing.model, server.open_streams) == ("", "demo:wakeful", [])
    await chat.types("again")
    assert len(server.carried("/api/session/new")) == 2


async def test_the_model_that_was_chosen_is_that_of_the_next_session(server: ChatServer, chat: Chat) -> None:
    assert await chat.types("/model") == ["· The default model answers."]
    assert await chat.types("/model openai:x") == ["· openai:x answers from now on."]
    assert chat.talk.standing.model == "openai:x"
    assert server.asked == []
    await chat.types("hello")
    assert server.carried("/api/session/new")[0]["model"] == "openai:x"

    await chat.types("/model openai:y")

    assert ("PATCH", "/api/session", {"session_id": "ses_01aaaaaa", "model": "openai:y"}) in server.asked
    await chat.types("/new")
    assert await chat.types("/model") == ["· openai:y answers."]


async def test_a_model_that_is_refused_is_not_chosen(server: ChatServer, chat: Chat) -> None:
    await chat.types("hello")
    server.faults["/api/session"] = [RequestRefused(400, {"message": "There is no provider nope."})]

    assert await chat.types("/model nope:x") == ["✗ There is no provider nope."]
    assert chat.talk.standing.model == "demo:wakeful"


async def test_a_session_is_resumed_by_its_number_in_the_list_or_by_its_id(server: ChatServer, chat: Chat) -> None:
    server.answers["/api/sessions"] = {"sessions": [], "next_cursor": None}
    assert await chat.types("/resume") == ["· There are no sessions yet."]
    rows = [a_session("ses_01bbbbbb", "Other"), a_session("ses_01aaaaaa", "Tidy up")]
    server.answers["/api/sessions"] = {"sessions": rows, "next_cursor": None}

    assert await chat.types("/resume") == ["· /resume with a number goes on with one of these:"]
    assert [line.split()[0] for line in chat.screen.cards[-1].lines] == ["1", "2"]
    assert server.carried("/api/sessions")[-1]["limit"] == 15
    assert await chat.types("/resume 2") == ["· This is Tidy up (aaaaaa)."]
    assert server.carried("/api/session")[-1]["session_id"] == "ses_01aaaaaa"
    await chat.types("/resume 1")
    assert server.carried("/api/session")[-1]["session_id"] == "ses_01bbbbbb"


@pytest.mark.parametrize("name", ["00", "3", "-1"])
async def test_a_number_that_is_not_in_the_list_is_a_part_of_an_id(server: ChatServer, chat: Chat, name: str) -> None:
    rows = [a_session("ses_01bbbbbb", "Other"), a_session("ses_01aaaaaa", "Tidy up")]
    server.answers["/api/sessions"] = {"sessions": rows, "next_cursor": None}
    await chat.types("/resume")
    server.faults["/api/session"] = [RequestRefused(404, {"message": "No."})]

    assert await chat.types(f"/resume {name}") == [f"✗ There is no session {name}."]


async def test_the_newest_session_is_resumed_with_another_model(server: ChatServer, chat: Chat) -> None:
    server.answers["/api/sessions"] = {"sessions": [a_session("ses_01aaaaaa", "x")], "next_cursor": None}
    server.session["title"] = "\x1b[2J"

    await chat.talk.resume("", "openai:x")

    assert server.carried("/api/sessions") == [{"limit": 1, "cursor": ""}]
    assert chat.screen.shown[-2:] == [
        "· This is a session without a title (aaaaaa).",
        "· openai:x answers from now on.",
    ]
    assert chat.talk.standing.session_id == "ses_01aaaaaa"


async def test_without_sessions_there_is_none_to_resume(server: ChatServer, chat: Chat) -> None:
    server.answers["/api/sessions"] = {"sessions": [], "next_cursor": None}

    with pytest.raises(SessionNotFound, match="There is no session yet to continue"):
        await chat.talk.resume("")


async def test_a_branch_is_gone_to_and_its_origin_left(server: ChatServer, chat: Chat) -> None:
    assert await chat.types("/branch") == ["✗ There is nothing to branch from yet."]
    await chat.types("hello")
    # The first session is followed now.
    await asyncio.sleep(0)
    server.answers["/api/session/branch"] = {"session_id": "ses_01cccccc"}

    assert await chat.types("/branch") == ["· This is Tidy up (cccccc)."]

    assert server.carried("/api/session/branch") == [{"session_id": "ses_01aaaaaa"}]
    assert chat.talk.standing.session_id == "ses_01cccccc"
    await asyncio.sleep(0)
    assert server.open_streams.count("session") == 1


async def test_background_work_is_shown_as_it_is_now(server: ChatServer, chat: Chat) -> None:
    assert await chat.types("/tasks") == ["· This session has started no background work."]
    await chat.types("hello")
    times = {"started_at": "2026-01-01T00:00:00.000Z", "ended_at": "2026-01-01T00:00:05.000Z"}
    task = {"id": "proc_1", "status": "exited", "exit_code": 0, "command": "make", "progress": None}
    server.snapshot["tasks"] = [task | times | {"will_notify": False}]

    assert await chat.types("/tasks") == ["· The background work of this session:"]
    assert list(chat.screen.cards[-1].lines) == ["exited  exit code 0  5.0 s  make  1"]


async def test_a_question_is_shown_whole_or_answered_for_longer(server: ChatServer, chat: Chat) -> None:
    assert await chat.types("/allow", "/allow session") == ["· There is no question to answer."] * 2
    await chat.types("hello")
    server.snapshot["approvals"] = [question := a_question("rm -rf /", ("rm -rf /", "deletes"))]
    server.send("approval_required", question)
    await chat.screen.until_shown("The agent asks")

    assert await chat.types("/allow", asked="c") == ["? The whole of it:"]
    assert await chat.types("/allow always", asked="c") == ["✗ Say for how long: /allow session or /allow folder"]
    assert server.carried("/api/approval/respond") == []
    await chat.types("/allow folder", asked="c")
    await chat.types("n", asked="c")
    answers = [body["choice"] for body in server.carried("/api/approval/respond")]
    assert answers == ["folder", "deny"]


async def test_a_letter_is_a_message_where_nothing_is_asked(server: ChatServer, chat: Chat) -> None:
    await chat.types("y")

    assert [body["message"] for body in server.carried("/api/chat/start")] == ["y"]


async def test_an_answer_is_stopped_if_there_is_one(server: ChatServer, chat: Chat) -> None:
    assert await chat.types("/stop") == ["· There is nothing to stop."]
    assert server.asked == []
    await chat.types("hello")

    assert await chat.types("/stop") == []
    assert server.carried("/api/chat/cancel") == [{"session_id": "ses_01aaaaaa"}]
    server.answers["/api/chat/cancel"] = {"cancelled": False}
    assert await chat.types("/stop") == ["· There is nothing to stop."]


async def test_files_are_put_back(server: ChatServer, chat: Chat) -> None:
    assert await chat.types("/undo") == ["· There is nothing to undo yet."]
    assert await chat.types("/undo all") == ["✗ Say /undo, or /undo force for files that were changed since."]
    await chat.types("hello")
    undone = {"path": "a.txt", "kind": "restored"}
    skipped = [{"path": name, "reason": reason} for name, reason in (("b", "changed_since"), ("c", "odd"))]
    server.answers["/api/session/undo"] = {"undone": [undone], "skipped": skipped}

    assert await chat.types("/undo") == ["· Undone:"]
    assert list(chat.screen.cards[-1].lines) == [
        "a.txt is as it was before.",
        "b was changed since; /undo force puts it back all the same.",
        "c odd.",
        "What commands have changed is not covered. The agent learns of this with your next message.",
    ]
    server.answers["/api/session/undo"] = {"undone": [], "skipped": skipped}
    assert await chat.types("/undo force") == ["✗ Nothing was undone:"]
    assert len(chat.screen.cards[-1].lines) == 2
    asked = server.carried("/api/session/undo")
    assert [(body["session_id"], body["force"]) for body in asked] == [("ses_01aaaaaa", False), ("ses_01aaaaaa", True)]


async def test_mcp_servers_and_skills_are_shown(server: ChatServer, chat: Chat) -> None:
    server.answers["/api/mcp"] = {"servers": []}
    server.answers["/api/skills"] = {"skills": []}
    assert (await chat.types("/mcp"))[0].startswith("· No MCP server is set up")
    assert (await chat.types("/skills"))[0].startswith("· There are no skills yet")
    tool = {"read_only": True}
    made = {"name": "made", "state": "ready", "tools": [tool, {"read_only": False}], "error": "", "restarts": 1}
    server.answers["/api/mcp"] = {"servers": [made]}
    skill = {"name": "tidy", "description": "Tidies\x1b[2J up.", "path": "/s/tidy", "error": ""}
    server.answers["/api/skills"] = {"skills": [skill, skill | {"name": "odd", "error": "it has no name"}]}
    await chat.types("hello")

    assert await chat.types("/mcp") == ["· The MCP servers:"]
    assert list(chat.screen.cards[-1].lines) == ["made  ready  2 tools, 1 only read  restarted once"]
    assert await chat.types("/skills") == ["· The skills that the agent knows here:"]
    assert list(chat.screen.cards[-1].lines) == [
        "tidy: Tidies up. (/s/tidy)",
        "odd: left out: it has no name (/s/tidy)",
    ]
    assert server.carried("/api/skills") == [{}, {"session_id": "ses_01aaaaaa"}]


async def test_files_go_with_the_next_message_only(server: ChatServer, chat: Chat) -> None:
    assert await chat.types("/attach") == ["· Say which file: /attach PATH"]
    assert await chat.types("/attach ~/a.txt") == ["· a.txt (text/plain, 1,234 bytes) goes with your next message."]
    await chat.types("/attach b.txt")
    assert await chat.types("/attach") == ["· With your next message go (/attach clear takes them off):"]
    assert list(chat.screen.cards[-1].lines) == ["a.txt (text/plain, 1,234 bytes)", "b.txt (text/plain, 1,234 bytes)"]

    await chat.types("look", "and now?")

    assert server.carried("/api/attachments") == [
        {"file": Path.home() / "a.txt", "session_id": ""},
        {"file": Path("b.txt"), "session_id": ""},
    ]
    first, second = server.carried("/api/chat/start")
    assert (first["attachments"], "attachments" in second) == (["att_a.txt", "att_b.txt"], False)


async def test_files_stay_for_the_message_that_follows_a_refused_one(server: ChatServer, chat: Chat) -> None:
    server.faults["/api/chat/start"] = [RequestRefused(400, {"message": "Not so."})]

    await chat.types("/attach a.txt", "refused", "taken")

    assert [body["attachments"] for body in server.carried("/api/chat/start")] == [["att_a.txt"], ["att_a.txt"]]


async def test_files_can_be_taken_off(server: ChatServer, chat: Chat) -> None:
    await chat.types("/attach a.txt")

    assert await chat.types("/attach clear") == ["· Your next message goes without files."]
    await chat.types("hello")
    assert "attachments" not in server.carried("/api/chat/start")[0]


async def test_the_mode_is_that_of_the_session_once_there_is_one(server: ChatServer, chat: Chat) -> None:
    server.session["mode"] = "ask"
    server.answers["/api/me"] = {"mode": "accept_edits"}
    assert (await chat.types("/mode"))[0].startswith("· The mode is accept_edits.")
    await chat.types("hello")

    assert (await chat.types("/mode"))[0].startswith("· The mode is ask. /mode NAME chooses another:")
    assert chat.screen.cards[-1].lines[0].startswith("read_only     reads files")
    assert await chat.types("/mode read_only") == [
        "· The mode is read_only from the next step on, also for sub-agents."
    ]
    assert chat.talk.standing.mode == "read_only"


async def test_what_is_no_command_is_said(chat: Chat) -> None:
    assert await chat.types("/steer") == ["✗ Say with what: /steer words"]
    assert await chat.types("/help") == ["· What you can type:"]
    assert any(line.startswith("/quit") for line in chat.screen.cards[-1].lines)


async def test_a_server_that_stays_away_is_given_up_after_a_while(
    server: ChatServer, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talking, "_RETRY_SECONDS", 0.001)
    monkeypatch.setattr(talking, "_PATIENCE_SECONDS", 0.005)
    server.faults["/api/session/new"] = [ServerGone("It is gone.") for _ in range(1000)]

    assert await chat.types("hello") == ["✗ It is gone."]


async def test_whoever_waits_for_the_server_is_told_for_how_long(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talking, "_RETRY_SECONDS", 0.001)
    silences: list[float] = []

    async def note(seconds: float) -> None:
        silences.append(seconds)

    server.faults["/api/session/new"] = [ServerGone(), RequestRefused(503, {})]
    talk = Talk(server, RecordingScreen(), model="", workspace="/tmp", on_silence=note)

    assert await talk.take("hello") == "turn_1"
    assert len(silences) == 2
    assert 0 < silences[0] < silences[1]
    await talk.session.leave()
