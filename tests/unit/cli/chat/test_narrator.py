"""A session on a screen: what is final, what is not yet, and what was taken back."""

from collections.abc import Mapping
from typing import Any

import pytest

from wakeful.cli.chat.cards.card import Card, Tone
from wakeful.cli.chat.narrator import Narrator
from wakeful.cli.chat.screens.screen import AnswerDraft
from wakeful.cli.chat.standing import Standing
from wakeful.cli.plain_text import clock_time

Frame = tuple[str, dict[str, Any]]


class RecordingScreen:
    def __init__(self) -> None:
        self.shown: list[str] = []
        self.cards: list[Card] = []
        self.draft = AnswerDraft()

    def show(self, card: Card) -> None:
        self.cards.append(card)
        self.shown.append(f"{card.mark} {card.title}")

    def show_answer(self, block: str) -> None:
        self.shown.append(block)

    def change_draft(self, draft: AnswerDraft) -> None:
        self.draft = draft

    def change_work(self, lines: Mapping[str, str]) -> None:
        self.work = lines


def narrated(*frames: Frame, standing: Standing | None = None) -> RecordingScreen:
    screen = RecordingScreen()
    narrator = Narrator(screen, standing or Standing())
    for name, data in frames:
        narrator.show_frame(name, data)
    narrator.end_wakes()
    return screen


def token(text: str, step: int = 1) -> Frame:
    return "token", {"step": step, "text": text}


def call(call_id: str) -> Frame:
    return "tool", {"step": 1, "call_id": call_id, "name": "terminal", "arguments": '{"command": "ls"}'}


def test_finished_blocks_are_final_and_the_rest_is_a_draft() -> None:
    screen = narrated(token("One.\n\nTwo.\n\nThr"), token("ee"))

    assert screen.shown == ["One."]
    assert screen.draft.text == "Two.\n\nThree"


def test_the_end_of_a_turn_makes_the_rest_final() -> None:
    screen = narrated(token("One."), ("done", {"turn_id": "t"}))

    assert (screen.shown, screen.draft.text) == (["One."], "")


def test_an_abandoned_draft_vanishes() -> None:
    screen = narrated(token("Half"), ("step_abandoned", {"step": 1}), token("Whole."), ("done", {"turn_id": "t"}))

    assert screen.shown == ["Whole."]


def test_what_was_final_of_an_abandoned_step_is_marked_as_taken_back() -> None:
    screen = narrated(
        token("One.\n\nHalf\n"), ("step_abandoned", {"step": 1}), token("Whole."), ("done", {"turn_id": "t"})
    )

    assert screen.shown[0] == "One."
    assert "broke off" in screen.shown[1]
    assert screen.shown[2:] == ["Whole."]


def test_a_call_stands_in_the_draft_until_it_has_a_result() -> None:
    running = narrated(token("I look."), call("c1"))
    ended = narrated(call("c1"), ("tool_complete", {"call_id": "c1", "result": "{}", "seconds": 0.1}))

    assert (running.shown, [title for title, _ in running.draft.calls.values()]) == (["I look."], ["terminal  ls"])
    assert (ended.shown, ended.draft.calls) == (["▸ terminal  ls"], {})


def test_calls_that_a_stop_has_cut_off_are_shown_before_it() -> None:
    screen = narrated(call("c1"), ("cancelled", {"turn_id": "t", "code": "stopped"}))

    assert screen.shown == ["▸ terminal  ls", "· Stopped."]
    assert screen.cards[0].note.startswith("no result")


def test_a_failure_is_shown_after_the_words_before_it() -> None:
    screen = narrated(token("Well"), ("failed", {"turn_id": "t", "code": "x", "message": "No credit."}))

    assert screen.shown == ["Well", "✗ No credit."]


def test_thoughts_are_a_draft_until_the_answer_begins() -> None:
    screen = narrated(
        ("reasoning", {"step": 1, "text": "Hm"}), ("reasoning", {"step": 1, "text": "mm."}), token("Yes.")
    )

    assert (screen.shown, screen.draft.thought) == (["· Hmmm."], "")


def test_words_that_joined_another_turn_end_nothing() -> None:
    screen = narrated(token("Still"), ("done", {"turn_id": "given", "joined": "t"}))

    assert (screen.shown, screen.draft.text) == ([], "Still")


def test_a_wake_up_is_a_card_and_not_a_user_message() -> None:
    notice = {"source": "process_wakeup", "content": "[…\nOutput:\ndone]", "status": "exited", "exit_code": 0}

    screen = narrated(("process_complete", {"process_id": "p", "status": "exited"}), ("notice", notice))

    assert [card.tone for card in screen.cards] == [Tone.WAKE]


def notice(index: int, step: int = 0, **more: Any) -> Frame:
    ended = {"source": "process_wakeup", "content": f"[…\nOutput:\nbuilt {index}]", "status": "exited", "exit_code": 0}
    name = {"message_id": f"turn_2.{step}.{index}", "turn_id": "turn_2", "task_id": f"proc_{index}", "command": "make"}
    return "notice", ended | name | {"seconds": 2.0, "delivered": "opened", "latency_ms": 30 * index} | more


def test_notices_that_come_together_are_one_card_with_a_row_each() -> None:
    failed = notice(1, status="failed", exit_code=2)
    screen = narrated(notice(0), failed, notice(2), token("All read."), ("done", {"turn_id": "turn_2"}))

    assert screen.shown == ["◆ 3 jobs reported", "All read."]
    assert screen.cards[0].note == "woke the agent at once"
    assert screen.cards[0].lines[2:4] == ("`make` failed · exit code 2 · after 2.0 s", "  built 1")


def test_notices_of_different_steps_are_cards_of_their_own() -> None:
    screen = narrated(notice(0), notice(0, step=1, delivered="joined"))

    assert [card.note for card in screen.cards] == [
        "after 2.0 s · woke the agent at once",
        "after 2.0 s · reported at step 2",
    ]


def test_a_notice_names_the_turn_that_it_has_waited_for() -> None:
    standing = Standing(active_turn="turn_1")
    standing.turns.learn({"turn_1": {"number": 4, "opened_at": "2026-01-01T00:00:00Z", "closed_at": None}})
    standing.hear("turn_completed", {"turn_id": "turn_1"})

    screen = narrated(notice(0, latency_ms=5200), standing=standing)

    assert screen.cards[0].note == "after 2.0 s · waited 5.2 s for turn 4"


def test_a_process_that_no_agent_waits_for_ends_with_a_remark() -> None:
    standing = Standing()
    task = {"id": "p", "command": "make", "will_notify": False}
    standing.hear("task_started", {"task": task})

    screen = narrated(("process_complete", {"process_id": "p", "status": "failed", "exit_code": 2}), standing=standing)

    assert screen.shown == ["· `make` failed · exit code 2"]


def test_another_model_that_answers_is_remarked() -> None:
    change = {
        "step": 1,
        "from": "a:one",
        "to": "b:two",
        "code": "model_credit",
        "message": "The endpoint has no credit.",
    }

    screen = narrated(("model_changed", change), token("Hi."), ("done", {"turn_id": "t"}))

    assert screen.shown == ["· b:two answers instead of a:one: The endpoint has no credit.", "Hi."]


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ({"reason": "spend"}, "Work waits until {}, or for your words: today's budget is spent."),
        (
            {"reason": "budget"},
            "Jobs have reported and wait until {}, or for your words: no more wake-ups this hour.",
        ),
        ({}, "Jobs have reported and wait until {}, or for your words: no more wake-ups this hour."),
    ],
)
def test_it_says_why_a_session_does_not_wake(reason: dict[str, str], said: str) -> None:
    until = "2026-01-02T00:00:00Z"

    screen = narrated(("wake_waits", {"session_id": "s", "until": until} | reason))

    assert screen.shown == [f"· {said.format(clock_time(until))}"]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("a:one", "· Older messages summed up: 9,000 → 900 tokens. All of them stay to be read here."),
        (None, "· Older messages summed up without a model: 9,000 → 900 tokens. Three tries failed, so"),
    ],
)
def test_a_summary_says_when_it_begins_and_what_it_freed(model: str | None, said: str) -> None:
    started = {"turn_id": "t", "step": 1, "reason": "auto", "context_tokens": 9_000}
    summary = {"tokens_before": 9_000, "tokens_after": 900, "model": model}
    screen = narrated(("compaction_started", started), ("compaction_done", {"message_id": "t.1.0"} | summary))
    recalled = RecordingScreen()
    recorded = {"role": "note", "source": "summary", "content": "Goal: tests.", "notice": None, "summary": summary}
    Narrator(recalled, Standing()).recall(recorded)

    assert screen.shown[0] == "· Summing up older messages, 9,000 tokens …"
    assert screen.shown[1].startswith(said)
    assert recalled.shown == screen.shown[1:]


def test_control_characters_of_a_model_do_not_reach_the_screen() -> None:
    screen = narrated(token("a\x1b["), token("2Jb\x07"), ("done", {"turn_id": "t"}))

    assert screen.shown == ["a2Jb"]


def test_recorded_messages_look_like_live_ones() -> None:
    screen = RecordingScreen()
    narrator = Narrator(screen, Standing())
    base = {"notice": None, "tool": None, "source": "user"}
    tool = {"name": "terminal", "arguments": '{"command": "ls"}', "result": "{}", "seconds": 0.1, "status": "done"} | {
        "changes": []
    }

    narrator.recall(base | {"role": "user", "content": "hello"})
    narrator.recall(base | {"role": "assistant", "content": "One.\n\nTwo."})
    narrator.recall(base | {"role": "tool", "content": "", "tool": tool})
    narrator.recall(base | {"role": "note", "content": "Stopped."})

    assert screen.shown == ["❯ hello", "One.", "Two.", "▸ terminal  ls", "· Stopped."]  # noqa: RUF001


def test_an_answer_that_was_cut_at_the_output_limit_says_so() -> None:
    screen = narrated(token("Half an"), ("done", {"turn_id": "t", "incomplete": "max_output_tokens"}))

    assert screen.shown[0] == "Half an"
    assert "The model reached its output limit: the answer stops here. Ask it to go on." in screen.shown[1]


def test_a_changed_plan_is_shown_whole_with_what_is_done() -> None:
    items = [{"id": "a", "text": "read", "status": "done"}, {"id": "b", "text": "mend\nit", "status": "active"}]
    (card,) = narrated(("todo", {"session_id": "s", "items": items})).cards
    assert (card.title, card.lines) == ("Plan, 1 of 2 done:", ("[x] read", "[>] mend it"))
    (empty,) = narrated(("todo", {"session_id": "s", "items": []})).cards
    assert empty.title == "The plan is empty."


def test_sub_agents_are_shown_as_long_as_they_run() -> None:
    screen, standing = RecordingScreen(), Standing()
    task = {"id": "del_1", "command": "count", "status": "running", "will_notify": True}
    work = {"tool": "terminal", "argument": "ls", "words": "", "steps": 1, "input_tokens": 0, "output_tokens": 0}
    standing.tasks, standing.works = [task], {"del_1": work | {"cost_usd": 0, "sub_agents": 0, "model": ""}}
    narrator = Narrator(screen, standing)
    narrator.show_work()
    assert screen.work == {"del_1": "↳ count (1 step): terminal ls"}
    task["status"] = "exited"
    narrator.show_work()
    assert screen.work == {}
