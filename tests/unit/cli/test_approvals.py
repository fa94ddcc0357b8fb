"""`wakeful approvals`: what agents ask, and the answers to it."""

from typing import Any

import click
import orjson
import pytest

from tests.unit.cli.chat.questions import a_question
from tests.unit.cli.scripted_server import ScriptedServer, Typist
from wakeful.cli.approvals import approvals
from wakeful.cli.client import RequestRefused
from wakeful.errors import ApprovalNotFound

WORDS = {"session": "In this session …", "folder": "In this folder …"}
RM = a_question(
    "rm -rf /srv",
    ("rm -rf /srv", "deletes"),
    session_id="ses_01aaaaaa",
    session_title="Tidy up",
    call_id="c1",
    choice_words=WORDS,
)
WRITE = a_question(
    ".envrc\x1b[2J",
    ("", "changes what runs later"),
    session_id="ses_01bbbbbb",
    session_title="\x1b[0m",
    call_id="c1",
    tool="write_file",
    preview="-a\n+b",
)


def asking(*questions: dict[str, Any]) -> ScriptedServer:
    return ScriptedServer({"GET /api/approvals": {"approvals": questions}, "POST /api/approval/respond": {}})


def names(typist: Typist, server: ScriptedServer) -> list[str]:
    lines = typist.run(approvals, server).output.splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith((" ", "Answer"))]


def test_each_question_is_listed_with_its_dangers_and_what_a_longer_answer_would_allow(typist: Typist) -> None:
    just_asked = {"expires_at": a_question("")["expires_at"]}
    lines = typist.run(approvals, asking(RM | just_asked, WRITE | just_asked)).output.splitlines()

    assert "  Tidy up (aaaaaa), waits 4 min " in lines[0]
    assert lines[1:6] == [
        "    $ rm -rf /srv",
        "      → deletes",
        "    --session: In this session …",
        "    --folder: In this folder …",
        "",
    ]
    assert "  a session without a title (bbbbbb), waits 4 min " in lines[6]
    assert lines[7:9] == ["    .envrc", "    It changes what runs later."]
    assert lines[-1].startswith("Answer with wakeful approvals allow ID,")


def test_without_questions_it_says_so(typist: Typist) -> None:
    assert typist.run(approvals, asking()).output == "No agent asks anything.\n"


def test_all_that_is_known_is_printed_as_json(typist: Typist) -> None:
    assert orjson.loads(typist.run(approvals, asking(RM, WRITE), "--json").output) == [RM, WRITE]


@pytest.mark.parametrize(
    ("words", "choice", "said"),
    [
        (["allow"], "once", "Allowed once.\n"),
        (["allow", "--session"], "session", "Allowed for the session.\nIn this session …\n"),
        (["allow", "--folder"], "folder", "Allowed for the folder.\nIn this folder …\n"),
        (["deny"], "deny", "Denied.\n"),
    ],
)
def test_the_named_question_is_answered(typist: Typist, words: list[str], choice: str, said: str) -> None:
    server = asking(WRITE, RM)
    name = names(typist, server)[1]

    answered = typist.run(approvals, server, *words, name)

    assert answered.output == said
    assert server.changes() == [
        ("POST /api/approval/respond", {"session_id": "ses_01aaaaaa", "call_id": "c1", "choice": choice})
    ]


def test_a_question_is_shown_whole_and_stays_open(typist: Typist) -> None:
    server = asking(RM, WRITE)
    first, second = names(typist, server)

    assert typist.run(approvals, server, "show", first).output == "rm -rf /srv\n"
    assert typist.run(approvals, server, "show", second).output == ".envrc\n-a\n+b\n"
    assert server.changes() == []


def test_an_answer_to_nothing_is_refused(typist: Typist) -> None:
    server = asking(RM)

    refused = typist.run(approvals, server, "allow", "zzz")

    assert isinstance(refused.exception, ApprovalNotFound)
    assert str(refused.exception) == "There is no question zzz."
    assert server.changes() == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["allow"], "Give no arguments, or allow, deny or show and the ID of a question."),
        (["permit", "abc"], "Give no arguments, or allow, deny or show and the ID of a question."),
        (["allow", "abc", "def"], "Give no arguments, or allow, deny or show and the ID of a question."),
        (["deny", "abc", "--session"], "--session goes with allow and the ID of a question."),
        (["--folder"], "--folder goes with allow and the ID of a question."),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_asked(
    typist: Typist, words: list[str], sentence: str
) -> None:
    server = asking(RM)

    refused = typist.run(approvals, server, *words)

    assert isinstance(refused.exception, click.UsageError)
    assert (refused.exception.message, server.asked) == (sentence, [])


def test_an_answer_that_came_too_late_is_not_said_to_count(typist: Typist) -> None:
    server = ScriptedServer({"GET /api/approvals": {"approvals": [RM]}})

    refused = typist.run(approvals, server, "allow", f"{RM['session_id']}/c1")

    assert isinstance(refused.exception, RequestRefused)
    assert refused.output == ""
