"""A chat in a pipe: lines are said one after the other, questions are answered by the next line, and the end waits."""

import asyncio
import os
from collections.abc import Mapping
from typing import Any

import pytest

from tests.unit.cli.chat.chat_server import ChatServer
from tests.unit.cli.chat.questions import a_question
from wakeful.cli.chat.piped_chat import PipedChat
from wakeful.cli.client import RequestRefused


class Input:
    """Standard input that a test writes."""

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()

    def fileno(self) -> int:
        return self._reading

    def write(self, data: bytes) -> None:
        os.write(self._writing, data)

    def close(self) -> None:
        if self._writing >= 0:
            os.close(self._writing)
            self._writing = -1


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Any:
    made = Input()
    monkeypatch.setattr("sys.stdin", made)
    yield made
    # The thread that reads ends with the input.
    made.close()


class AnsweringServer(ChatServer):
    """Answers each message at once; a message that says `fail` fails, and `ask` waits for an answer first."""

    def __init__(self) -> None:
        super().__init__()
        self._turns = 0
        self.is_answering = True

    async def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        answer = await super().post(path, body)
        if path == "/api/chat/start":
            self._turns += 1
            self._begin(f"turn_{self._turns}", body["message"])
            return {"turn_id": f"turn_{self._turns}"}
        if path == "/api/approval/respond":
            self.snapshot["approvals"] = []
            self.send("approval_answered", {"call_id": "c", "choice": body["choice"]})
            self._end(f"turn_{self._turns}", "done")
        return answer

    def _begin(self, turn_id: str, text: str) -> None:
        self.send("server_turn_started", {"turn_id": turn_id})
        self.send("message", {"content": text, "source": "user"})
        if text == "ask":
            self.snapshot["approvals"] = [question := a_question("rm", ("rm", "deletes"))]
            self.send("approval_required", question)
        elif self.is_answering:
            self._end(turn_id, "failed" if text == "fail" else "done")

    def _end(self, turn_id: str, how: str) -> None:
        self.send("token", {"step": 1, "text": f"Answer of {turn_id}."})
        self.send(how, {"turn_id": turn_id, "code": "x", "message": "No credit."})
        self.send("turn_completed", {"turn_id": turn_id, "status": how})


@pytest.fixture
async def server() -> AnsweringServer:
    return AnsweringServer()


async def piped(server: ChatServer, stdin: Input, *lines: str, wait: float = 10.0) -> int:
    stdin.write("".join(f"{line}\n" for line in lines).encode())
    stdin.close()
    chat = PipedChat(server, model="", workspace="/tmp")
    async with asyncio.timeout(10):
        return await chat.run(None, "", wait)


def messages(server: ChatServer) -> list[str]:
    return [body["message"] for body in server.carried("/api/chat/start")]


async def test_each_line_is_a_message_and_each_answer_plain_text(
    server: AnsweringServer, stdin: Input, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await piped(server, stdin, "one", "", "two") == 0

    said = "❯ one\n\nAnswer of turn_1.\n\n❯ two\n\nAnswer of turn_2.\n\n"  # noqa: RUF001
    assert (messages(server), capsys.readouterr().out) == (["one", "two"], said)
    assert server.open_streams == []


async def test_a_failed_turn_is_seen_in_the_exit_code(server: AnsweringServer, stdin: Input) -> None:
    assert await piped(server, stdin, "fail", "one") == 1
    assert messages(server) == ["fail", "one"]


async def test_lines_after_quit_are_not_said(server: AnsweringServer, stdin: Input) -> None:
    assert await piped(server, stdin, "one", "/quit", "two") == 0
    assert messages(server) == ["one"]


async def test_without_words_there_is_no_session_to_wait_for(server: AnsweringServer, stdin: Input) -> None:
    assert await piped(server, stdin) == 0
    assert server.asked == []


@pytest.mark.parametrize(
    ("line", "choice"),
    [("y", "once"), ("no", "deny"), ("/allow session", "session"), ("/allow", "deny"), ("what?", "deny")],
)
async def test_the_next_line_answers_a_question(server: AnsweringServer, stdin: Input, line: str, choice: str) -> None:
    assert await piped(server, stdin, "ask", line, "two") == 0

    assert [body["choice"] for body in server.carried("/api/approval/respond")] == [choice]
    # An answer is no message, whatever it was.
    assert messages(server) == ["ask", "two"]


async def test_the_end_of_the_input_denies(server: AnsweringServer, stdin: Input) -> None:
    assert await piped(server, stdin, "ask") == 0
    assert [body["choice"] for body in server.carried("/api/approval/respond")] == ["deny"]


async def test_the_end_waits_for_what_was_promised(server: AnsweringServer, stdin: Input) -> None:
    task = {"id": "proc_1", "status": "running", "will_notify": True, "command": "make"}
    server.snapshot["tasks"] = [task]
    ending = asyncio.create_task(piped(server, stdin, "one"))
    # Its own look follows that of the turn's end.
    await server.until_asked("/api/session", times=3)
    await asyncio.sleep(0)
    assert not ending.done()

    server.snapshot["tasks"] = [task | {"status": "exited", "will_notify": False}]
    server.send("process_complete", {"process_id": "proc_1", "status": "exited", "exit_code": 0})

    assert await ending == 0


@pytest.mark.parametrize("more", [{"queued": [{"turn_id": "t2", "message": "later"}]}, {"tasks": []}])
async def test_the_end_waits_no_longer_than_it_is_told(
    server: AnsweringServer, stdin: Input, capsys: pytest.CaptureFixture[str], more: dict[str, Any]
) -> None:
    task = {"id": "proc_1", "status": "running", "will_notify": True, "command": "make"}
    server.snapshot |= {"tasks": [task]} | more
    if not more.get("queued"):
        server.snapshot["pending_notices"] = [{"why": "busy"}]

    assert await piped(server, stdin, "one", wait=0.05) == 1
    assert capsys.readouterr().err == "wakeful: what was started did not end within 0.05 s.\n"


async def test_a_session_that_cannot_be_followed_ends_the_chat(server: AnsweringServer, stdin: Input) -> None:
    server.is_answering = False
    talking = asyncio.create_task(piped(server, stdin, "one"))
    await server.until_asked("/api/chat/start")

    server.break_stream(RequestRefused(404, {"message": "There is no session."}))

    with pytest.raises(RequestRefused, match="There is no session"):
        await talking
    assert server.open_streams == []


async def test_a_session_is_resumed_before_the_first_line(
    server: AnsweringServer, stdin: Input, capsys: pytest.CaptureFixture[str]
) -> None:
    stdin.write(b"one\n")
    stdin.close()
    chat = PipedChat(server, model="", workspace="/tmp")

    async with asyncio.timeout(10):
        assert await chat.run("ses_01aaaaaa", "openai:x", 10.0) == 0

    said = capsys.readouterr().out
    assert said.startswith("· This is Tidy up (aaaaaa).\n\n· openai:x answers from now on.\n\n❯ one")  # noqa: RUF001
    assert server.carried("/api/session/new") == []
