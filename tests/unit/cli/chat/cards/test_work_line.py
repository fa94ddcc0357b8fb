"""The line about a running sub-agent, on a terminal and in a pipe."""

from io import StringIO
from typing import Any

from wakeful.cli.chat.cards.card import Card, Tone
from wakeful.cli.chat.cards.work_line import work_lines
from wakeful.cli.chat.screens.plain_screen import PlainScreen
from wakeful.cli.chat.screens.screen import AnswerDraft

TASK = {"id": "del_1", "command": "count the sheep\n\nContext:\nthe farm"}
WORK: dict[str, Any] = {
    "tool": "",
    "argument": "",
    "words": "",
    "steps": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "cost_usd": None,
    "sub_agents": 0,
    "model": "",
}


def line(**work: Any) -> str:
    return work_lines([TASK, {"id": "del_2", "command": "unknown"}], {"del_1": WORK | work})["del_1"]


def test_a_line_says_the_goal_what_is_done_and_what_was_used() -> None:
    assert line() == "↳ count the sheep (0 steps): thinking"
    assert line(words="Nine\nso far.", steps=1) == "↳ count the sheep (1 step): Nine so far."
    used = {"steps": 4, "input_tokens": 12_000, "output_tokens": 300, "cost_usd": 0.25, "sub_agents": 1}
    assert line(model="local:qwen3") == "↳ count the sheep (qwen3, 0 steps): thinking"
    assert line(tool="terminal", argument="pytest -q", words="So:", **used) == (
        "↳ count the sheep (4 steps, 12,300 tokens, $0.25, 1 sub-agent): terminal pytest -q"
    )


def test_a_line_cannot_move_the_cursor_of_the_terminal() -> None:
    assert "\x1b" not in line(tool="terminal", argument="echo \x1b[2J")


def test_a_task_without_news_has_no_line() -> None:
    assert work_lines([TASK], {}) == {}


def test_a_pipe_gets_a_line_at_the_start_and_then_only_after_a_while_and_a_change() -> None:
    out, now = StringIO(), [0.0]
    screen = PlainScreen(out, lambda: now[0])
    for at, said in ((0.0, "one"), (1.0, "two"), (29.0, "three"), (31.0, "four"), (70.0, "four")):
        now[0] = at
        screen.change_work({"del_1": said})
    assert out.getvalue().split() == ["one", "four"]
    screen.change_work({"del_1": "four", "del_2": "five"})
    assert out.getvalue().split() == ["one", "four", "five"]


def test_a_long_goal_is_cut() -> None:
    def goal(length: int) -> str:
        return work_lines([{"id": "del_1", "command": "x" * length}], {"del_1": WORK})["del_1"]

    assert goal(40) == f"↳ {'x' * 40} (0 steps): thinking"
    assert goal(41) == f"↳ {'x' * 39}… (0 steps): thinking"
    assert line(cost_usd=0.0, sub_agents=2) == "↳ count the sheep (0 steps, 2 sub-agents): thinking"


def test_a_pipe_gets_plain_lines_and_forgets_agents_that_have_ended() -> None:
    out, now = StringIO(), [0.0]
    screen = PlainScreen(out, lambda: now[0])

    screen.show(Card(Tone.WAKE, "Ended", "after 2 s", ("one", "")))
    screen.show(Card(Tone.USER, "hi", "(cron)"))
    screen.show(Card(Tone.QUIET, "bare"))
    screen.show_answer("a\nb")
    screen.change_draft(AnswerDraft("half"))
    assert out.getvalue() == "◆ Ended  (after 2 s)\n  one\n\n\n❯ hi  (cron)\n\n· bare\n\na\nb\n\n"  # noqa: RUF001

    before = len(out.getvalue())
    screen.change_work({"del_1": "works"})
    screen.change_work({})
    screen.change_work({"del_1": "works"})
    assert out.getvalue()[before:] == "works\n\nworks\n\n"
    now[0] = 30.0
    screen.change_work({"del_1": "rests"})
    assert out.getvalue()[before:].endswith("rests\n\n")
