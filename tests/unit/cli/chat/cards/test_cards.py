"""What the cards say."""

from typing import Any

import pytest

from wakeful.cli.chat.cards.card import Tone
from wakeful.cli.chat.cards.cards import (
    cancelled_card,
    ended_card,
    failed_card,
    thought_card,
    user_card,
    wake_card,
    wakes_card,
)

NOTICE: dict[str, Any] = {
    "source": "process_wakeup",
    "content": "[IMPORTANT: Background process proc_1 completed (exit code 0).\nCommand: make\nOutput:\na]\nbuilt]",
    "task_id": "proc_1",
    "command": "make",
    "status": "exited",
    "exit_code": 0,
    "seconds": 65.2,
    "delivered": "opened",
}


def test_a_wake_up_says_what_ended_how_and_after_how_long_and_is_no_user_message() -> None:
    card = wake_card(NOTICE)

    assert card.tone is Tone.WAKE
    assert card.title == "`make` ended well · exit code 0"
    assert card.note == "after 1 min 05 s · woke the agent at once"
    assert card.lines == ("a]", "built")


@pytest.mark.parametrize(
    ("more", "title"),
    [
        ({"status": "failed", "exit_code": 3}, "`make` failed · exit code 3"),
        ({"status": "lost", "exit_code": None}, "`make` was lost when the machine restarted"),
        ({"source": "watch_match", "pattern": "READY"}, '`make` printed "READY"'),
        ({"source": "delegation_wakeup", "task_id": "del_1", "exit_code": 0}, "Sub-agent reported"),
    ],
)
def test_each_kind_of_news_has_its_own_words(more: dict[str, Any], title: str) -> None:
    assert wake_card(NOTICE | more).title == title


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"delivered": "opened", "latency_ms": 7850}, "waited 7.8 s"),
        ({"delivered": "with_message"}, "reported with your message"),
        ({"delivered": "joined", "message_id": "turn_1.3.2"}, "reported at step 4"),
    ],
)
def test_a_card_says_how_the_agent_heard_of_it(more: dict[str, Any], words: str) -> None:
    assert wake_card(NOTICE | more).note == f"after 1 min 05 s · {words}"


def test_a_command_that_is_too_long_for_a_title_stands_below_it() -> None:
    card = wake_card(NOTICE | {"command": "make " + "x" * 80})

    assert card.title == f"`make {'x' * 53} …` ended well · exit code 0"
    assert card.lines[0] == "$ make " + "x" * 80


def test_only_the_tail_of_long_output_is_shown() -> None:
    output = "\n".join(f"line {number}" for number in range(100))

    card = wake_card(NOTICE | {"content": f"[IMPORTANT: …\nCommand: make\nOutput:\n{output}]"})

    assert card.lines[0] == "… 94 more lines"
    assert card.lines[-1] == "line 99"


def test_output_cannot_reach_the_terminal_through_a_card() -> None:
    card = wake_card(NOTICE | {"command": "\x1b[2Jls", "content": "[…\nOutput:\n\x1b]0;x\x07\x9b1mhi]"})

    assert (card.title, card.lines) == ("`ls` ended well · exit code 0", ("hi",))


def test_a_task_that_no_agent_waits_for_is_one_remark() -> None:
    card = ended_card({"process_id": "proc_1", "status": "killed", "exit_code": None}, "sleep 9")

    assert (card.tone, card.title, card.lines) == (Tone.QUIET, "`sleep 9` was stopped", ())


def test_a_message_that_came_from_elsewhere_says_so() -> None:
    assert user_card("good morning", "cron").note == "(cron)"
    assert user_card("good\nmorning", "user").lines == ("morning",)


def test_long_thoughts_are_folded_and_empty_ones_not_shown() -> None:
    card = thought_card("\n\n".join("abcdefgh"))

    assert card is not None
    assert (card.title, card.lines) == ("a", ("b", "c", "… 5 more lines"))
    assert thought_card(" \n") is None


def test_a_stop_differs_from_an_interruption() -> None:
    assert cancelled_card({"code": "stopped", "message": "The turn was stopped."}).title == "Stopped."
    assert cancelled_card({"code": "interrupted", "message": "A newer one."}).title == "A newer one."


def test_a_failure_without_a_reason_has_words_too() -> None:
    assert failed_card({"message": "No\ncredit."}).title == "No credit."
    assert failed_card({}).title == "The turn could not be finished."
    assert cancelled_card({}).title == "Stopped."
    assert cancelled_card({"code": "interrupted"}).title == "Stopped."


def test_a_long_message_is_folded_and_its_files_follow() -> None:
    lines = [str(number) for number in range(20)]

    card = user_card("\n".join(lines), "user", [{"name": "a\n.txt", "size": 1234}])

    assert card.lines == (*lines[1:12], "… 6 more lines", "18", "19", "[a .txt, 1,234 bytes]")
    assert (card.title, card.note, card.is_prose) == ("0", "", True)


def test_several_wake_ups_are_rows_with_the_last_line_of_each() -> None:
    silent = NOTICE | {"content": "[…\nOutput:\n]", "seconds": None, "task_id": "proc_2"}

    card = wakes_card([NOTICE, silent])

    assert card.title == "2 jobs reported"
    assert card.lines == (
        "`make` ended well · exit code 0 · after 1 min 05 s",
        "  built",
        "`make` ended well · exit code 0",
    )


def test_a_sub_agent_shows_its_goal_and_its_result() -> None:
    content = "[IMPORTANT: Sub-agent del_1 reported.\nGoal: count\nResult:\nNine.]"
    card = wake_card(NOTICE | {"source": "delegation_wakeup", "command": "count", "content": content})

    assert card.lines == ("count", "Nine.")
    assert wake_card(NOTICE | {"source": "delegation_wakeup", "command": None, "content": content}).lines == ("Nine.",)


def test_a_notice_without_output_is_shown_as_it_is() -> None:
    assert wake_card(NOTICE | {"content": "It ended."}).lines == ("It ended.",)
    assert wake_card(NOTICE | {"content": "[…\nMatched output:\nREADY]"}).lines == ("READY",)


def test_a_job_without_a_command_has_nothing_below_its_title() -> None:
    card = ended_card({"status": "lost", "exit_code": None}, "")

    assert (card.title, card.lines) == ("A job was lost when the machine restarted", ())
