"""The status line, wide and narrow."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rich.cells import cell_len

from wakeful.cli.chat.screens.status_line import joined, status_line
from wakeful.cli.chat.standing import Standing


def task(command: str, seconds: float) -> dict[str, Any]:
    started = (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat()
    return {
        "id": command,
        "command": command,
        "status": "running",
        "started_at": started,
        "ended_at": None,
        "progress": None,
        "will_notify": True,
    }


def busy() -> Standing:
    standing = Standing("ses_1", "demo:wakeful", "Ein Gespräch über 漢字漢字漢字")
    standing.hear("server_turn_started", {"turn_id": "turn_1"})
    standing.tasks = [task("make all", 75), task("sleep 5", 3)]
    standing.queued = [{"turn_id": "turn_2", "message": "and then?"}]
    return standing


def line(standing: Standing, width: int = 200) -> str:
    return "".join(text for _, text in joined(status_line(standing, width)))


def test_all_that_goes_on_is_on_one_line() -> None:
    assert line(busy()) == (
        "● live  answering 0 s  2 jobs  make all 1 min 15 s, sleep 5 3 s  1 queued  demo:wakeful  "
        "Ein Gespräch über 漢字漢字漢字"
    )


def test_an_idle_session_needs_few_words() -> None:
    assert line(Standing(model="demo:wakeful")) == "● live  demo:wakeful  new session"


@pytest.mark.parametrize("width", range(1, 130))
def test_the_line_fits_whatever_the_width(width: int) -> None:
    assert cell_len(line(busy(), width)) <= width


def test_a_narrow_line_keeps_what_matters_most() -> None:
    narrow = line(busy(), 40)

    assert narrow.startswith("● live  answering 0 s  2 jobs  1 queued")


def test_a_lost_connection_is_seen_first() -> None:
    standing = busy()
    standing.is_live = False

    assert line(standing, 20).startswith("○ reconnecting")


def test_a_question_is_more_urgent_than_the_answer() -> None:
    standing = busy()
    standing.hear("approval_required", {"call_id": "c"})

    assert "answer y or n" in line(standing, 40)


def test_news_that_waits_for_the_person_is_counted() -> None:
    standing = Standing("ses_1", waiting_notices=[{"why": "held"}, {"why": "busy"}])

    assert "1 job has reported and waits for your next message" in line(standing)


def test_a_title_cannot_command_the_terminal() -> None:
    assert "\x1b" not in line(Standing("ses_1", "\x1b[2J", "\x1b]0;x\x07"))


def test_parts_that_do_not_fit_are_dropped_from_the_least_important_on() -> None:
    standing = Standing("ses_1", "demo:wakeful", "A title of some length")
    whole = "● live  demo:wakeful  A title of some length"

    assert line(standing, len(whole)) == whole
    assert line(standing, len(whole) - 1) == "● live  demo:wakeful  A title of some leng…"
    assert line(standing, 30) == "● live  demo:wakeful  A title…"
    assert line(standing, 29) == "● live  demo:wakeful"
    assert line(standing, 19) == "● live  demo:wakef…"
    assert line(standing, 16) == "● live  demo:wa…"
    assert line(standing, 15) == "● live"
    assert line(standing, 6) == "● live"
    assert line(standing, 5) == "● li…"
    assert line(standing, 1) == "…"


def test_tasks_are_named_by_the_first_two_and_short() -> None:
    standing = Standing(model="m", tasks=[task("x" * 24, 5), task("y" * 25, 5) | {"progress": 40}, task("z", 5)])

    assert f"3 jobs  {'x' * 24} 5 s, {'y' * 23}… 5 s 40 %, …  m" in line(standing)
    standing.tasks.pop()
    assert "%, …" not in line(standing)


def test_a_watcher_sees_that_somebody_else_is_asked() -> None:
    standing = Standing(may_answer=False, approvals={"c": {"call_id": "c"}})

    assert line(standing) == "● live  needs an answer  default model  new session"


def test_several_reports_that_wait_are_counted_and_so_are_unsent_lines() -> None:
    standing = Standing(model="m", waiting_notices=[{"why": "held"}, {"why": "spend"}], unsent=["a"])
    standing.queued = [{"turn_id": "t", "message": "b"}]

    assert "2 queued  2 jobs have reported and wait for your next message" in line(standing)
    assert "queued" not in line(Standing(waiting_notices=[{"why": "busy"}]))
    assert "reported" not in line(Standing(waiting_notices=[{"why": "busy"}]))


def test_gaps_have_no_style_and_parts_have_theirs() -> None:
    assert joined(status_line(Standing(model="m", title="t"), 80)) == [
        ("ansigreen", "● live"),
        ("", "  "),
        ("", "m"),
        ("", "  "),
        ("", "t"),
    ]
