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
