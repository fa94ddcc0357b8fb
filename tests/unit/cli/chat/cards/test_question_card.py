"""The card of a question: it shows what is dangerous, and what each answer allows."""

from typing import Any

from tests.unit.cli.chat.questions import SESSION, a_question
from wakeful.cli.chat.cards.question_card import question_card, question_lines, whole_question_card


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
