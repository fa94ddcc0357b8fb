"""The card of a question: it shows what is dangerous, and what each answer allows."""

from typing import Any

import pytest

from tests.unit.cli.chat.questions import SESSION, a_question
from wakeful.cli.chat.cards.card import Tone
from wakeful.cli.chat.cards.question_card import (
    answered_card,
    question_card,
    question_lines,
    time_left,
    whole_question_card,
)
from wakeful.cli.plain_text import clock_time


def lines_of(command: str, *dangers: tuple[str, str], **more: Any) -> list[str]:
    return question_lines(a_question(command, *dangers, **more), "look there")


def test_a_question_says_what_why_how_long_and_how_to_answer() -> None:
    card = question_card(a_question("rm -rf /", ("rm -rf /", "deletes it all")))

    assert card.title == "The agent asks before it runs this"
    assert "4 min 59 s" in card.note
    assert card.lines == (
        "$ rm -rf /",
        "  → deletes it all",
        "",
        "y allows it once, n denies it; both answer at once.",
        f"/allow session: {SESSION}",
    )


def test_the_dangerous_lines_are_shown_wherever_they_stand() -> None:
    script = "\n".join([f"echo {number}" for number in range(1, 41)] + ["rm -rf /srv/*", "echo end", "git push -f"])

    assert lines_of(script, ("git push -f", "overwrites a remote"), ("rm -rf /srv/*", "deletes outside")) == [
        "line 41: rm -rf /srv/*",
        "  → deletes outside",
        "line 43: git push -f",
        "  → overwrites a remote",
        "… 41 more lines; look there",
    ]


def test_reasons_of_one_line_stand_together() -> None:
    assert lines_of("a; b\nc", ("a", "does a"), ("b", "does b")) == [
        "line 1: a; b",
        "  → does a",
        "  → does b",
        "… 1 more line; look there",
    ]


def test_of_a_long_line_the_part_around_the_danger_is_shown() -> None:
    shown, reason = lines_of("true; " * 500 + "rm -rf /; " + "true; " * 500, ("rm -rf /", "deletes"))

    assert "rm -rf /" in shown
    assert len(shown) < 200
    assert reason == "  → deletes"


def test_a_danger_without_an_excerpt_shows_the_beginning_of_the_command() -> None:
    shown = lines_of("\n".join("abcdefghij"), ("", "hides what it does"))

    assert shown[:1] == ["  1  a"]
    assert shown[-3:] == ["… 3 more lines", " 10  j", "It hides what it does."]


def test_a_file_shows_its_change() -> None:
    shown = lines_of(".envrc", ("", "changes what runs later"), preview="-a\n+b", tool="write_file")

    assert shown == [".envrc", "It changes what runs later.", "-a", "+b"]


def test_only_a_command_has_a_prompt() -> None:
    shown = lines_of('fill {"characters":5}', ("", "uses fill of the MCP server made"), tool="mcp__made__fill")

    assert shown == ['fill {"characters":5}', "It uses fill of the MCP server made."]


def test_what_the_card_leaves_out_can_be_seen() -> None:
    question = a_question("a\nrm -rf /\nc", ("rm -rf /", "deletes"))

    assert "… 2 more lines; /allow shows all" in question_card(question).lines
    assert whole_question_card(question).lines[:3] == ("  1  a", "  2  rm -rf /", "  3  c")


def test_a_command_cannot_reach_the_terminal_through_the_card() -> None:
    assert lines_of("rm \x1b[2K-rf /", ("-rf /", "deletes\x07")) == ["$ rm -rf /", "  → deletes"]


def test_a_watcher_reads_where_the_question_can_be_answered() -> None:
    lines = question_card(a_question("a\nrm -rf /", ("rm -rf /", "deletes it all")), may_answer=False).lines

    assert not any("y allows" in line or "/allow" in line for line in lines)
    assert lines[-1] == "wakeful approvals answers it, from another terminal."


@pytest.mark.parametrize(
    ("more", "title"),
    [
        ({"task_id": "del_1"}, "A sub-agent asks before it runs this"),
        ({"tool": "process"}, "The agent asks before it types this into a process"),
        ({"tool": "write_file"}, "The agent asks before it does this"),
    ],
)
def test_it_says_who_asks_and_for_what(more: dict[str, Any], title: str) -> None:
    card = question_card(a_question("x", **more))

    assert (card.title, card.tone, card.is_prose, card.is_diff) == (title, Tone.QUESTION, True, False)


def test_it_says_until_when_and_how_many_wait_behind_it() -> None:
    question = a_question("x")

    assert question_card(question).note.endswith(f", until {clock_time(question['expires_at'])}")
    assert question_card(question, 2).note.endswith("; 2 more after it")


def test_a_change_is_painted_as_a_diff_in_part_and_whole() -> None:
    preview = "\n".join(f"+{number}" for number in range(20))
    question = a_question(".envrc", ("", "changes what runs later"), tool="write_file", preview=preview)

    card, whole = question_card(question), whole_question_card(question)

    assert card.is_diff
    assert card.lines[2:10] == ("+0", "+1", "+2", "+3", "+4", "+5", "… 13 more lines", "+19")
    assert whole.is_diff
    assert whole.is_prose
    assert whole.lines[:2] == (".envrc", "+0")
    assert whole.lines[20:] == (
        "+19",
        "",
        "y allows it once, n denies it; both answer at once.",
        f"/allow session: {SESSION}",
    )


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("once", "Allowed once."),
        ("session", "Allowed for this session."),
        ("folder", "Allowed for this folder."),
        ("expired", "Denied, nobody answered."),
        ("deny", "Denied."),
    ],
)
def test_an_answer_is_told(choice: str, words: str) -> None:
    assert answered_card(choice).title == words


def test_time_that_is_over_is_not_negative() -> None:
    assert time_left(a_question("x", expires_at="2020-01-01T00:00:00.000Z")) == "0.0 s"


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (0, 152, "rm -rf /" + "x" * 152),
        (0, 153, "rm -rf /" + "x" * 152 + "…"),
        (40, 200, "y" * 40 + "rm -rf /" + "x" * 112 + "…"),
        (41, 112, "…" + "y" * 40 + "rm -rf /" + "x" * 112),
        (41, 113, "…" + "y" * 40 + "rm -rf /" + "x" * 112 + "…"),
    ],
)
def test_marks_say_where_a_long_line_was_cut(before: int, after: int, shown: str) -> None:
    line = "y" * before + "rm -rf /" + "x" * after

    assert lines_of(line, ("rm -rf /", "deletes"))[0] == f"$ {shown}"
