"""A session on a screen: what is final, what is not yet, and what was taken back."""

from typing import Any

import pytest

from tests.unit.cli.chat.questions import a_question
from tests.unit.cli.chat.recording_screen import RecordingScreen
from wakeful.cli.chat.cards.card import Tone
from wakeful.cli.chat.narrator import Narrator
from wakeful.cli.chat.standing import Standing
from wakeful.cli.plain_text import clock_time
from wakeful.errors import WakefulError

Frame = tuple[str, dict[str, Any]]


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


def test_only_the_step_that_was_shown_in_part_is_marked_as_taken_back() -> None:
    of_another = narrated(token("One.\n\nHalf\n"), ("step_abandoned", {"step": 2}))
    again = narrated(token("One.\n\nHalf\n"), ("step_abandoned", {"step": 1}), ("step_abandoned", {"step": 1}))
    after_tool = narrated(token("One.\n\nTwo.\n"), call("c1"), ("step_abandoned", {"step": 1}))
    next_step = narrated(token("One.\n\nTwo.\n"), token("Half", step=2), ("step_abandoned", {"step": 2}))

    assert of_another.shown == ["One."]
    assert [line for line in again.shown if "broke off" in line] == again.shown[1:]
    assert len(again.shown) == 2
    assert after_tool.shown == ["One.", "Two."]
    assert next_step.shown == ["One.", "Two."]
    assert (again.draft.text, again.draft.thought) == ("", "")


def test_a_thought_of_an_abandoned_step_is_forgotten() -> None:
    thought = ("reasoning", {"step": 1, "text": "Hm."})

    screen = narrated(thought, ("step_abandoned", {"step": 1}), token("Well."), ("done", {"turn_id": "t"}))

    assert (screen.shown, screen.draft.thought) == (["Well."], "")


def test_each_step_ends_the_words_of_the_one_before() -> None:
    screen = narrated(token("One"), ("reasoning", {"step": 2, "text": "Hm."}), token("Two", step=2), ("usage", {}))

    assert (screen.shown, screen.draft.text) == (["One", "· Hm.", "Two"], "")


def test_a_session_that_is_forgotten_leaves_nothing_on_the_screen() -> None:
    screen = RecordingScreen()
    standing = Standing(approvals={"c": a_question("rm")})
    narrator = Narrator(screen, standing)
    for name, data in (token("Half an"), call("c1"), ("reasoning", {"step": 2, "text": "Hm."}), notice(0)):
        narrator.show_frame(name, data)
    narrator.show_question()
    shown = len(screen.shown)

    narrator.forget()

    # The notice was waiting for others.
    assert screen.shown[shown:] == ["◆ `make` ended well · exit code 0"]
    assert (screen.draft.text, screen.draft.thought, screen.draft.calls) == ("", "", {})
    narrator.show_frame("tool_complete", {"call_id": "c1", "result": "{}", "seconds": 0.1})
    narrator.show_frame("step_abandoned", {"step": 2})
    assert screen.shown[shown + 1 :] == ["▸ a tool"]
    # Its question is asked again when the session is.
    narrator.show_question()
    assert screen.shown[-1].startswith("? The agent asks")


def test_a_question_is_shown_once_and_its_clock_starts() -> None:
    screen, standing = RecordingScreen(), Standing()
    narrator = Narrator(screen, standing)
    narrator.show_question()
    assert (screen.shown, standing.asked_at) == ([], 0.0)
    standing.approvals = {"c": a_question("rm"), "d": a_question("rm", call_id="d")}

    narrator.show_question()
    narrator.show_question()

    assert len(screen.shown) == 1
    assert screen.cards[0].note.endswith("1 more after it")
    assert standing.asked_at > 0


def test_a_watcher_is_not_told_to_answer() -> None:
    screen = RecordingScreen()
    Narrator(screen, Standing(approvals={"c": a_question("rm")}, may_answer=False)).show_question()

    assert screen.cards[0].lines[-1] == "wakeful approvals answers it, from another terminal."


@pytest.mark.parametrize(
    ("more", "role", "shown"),
    [
        ({"content": "No\ncredit."}, "error", "✗ No credit."),
        ({"content": "You\nsaid so."}, "note", "· You said so."),
        ({"content": "hi", "source": "cron", "attachments": [{"name": "a", "size": 1}]}, "user", "❯ hi"),  # noqa: RUF001
    ],
)
def test_every_recorded_message_is_shown(more: dict[str, Any], role: str, shown: str) -> None:
    screen = RecordingScreen()

    Narrator(screen, Standing()).recall({"notice": None, "tool": None, "source": "user", "role": role} | more)

    assert screen.shown == [shown]
    assert screen.cards[0].lines == (("[a, 1 bytes]",) if role == "user" else ())


def test_a_recorded_call_without_a_result_was_interrupted() -> None:
    screen = RecordingScreen()
    narrator = Narrator(screen, Standing())
    tool: dict[str, Any] = {
        "name": "terminal",
        "arguments": "{}",
        "result": None,
        "seconds": None,
        "status": "running",
        "changes": [],
    }
    base = {"notice": None, "source": "assistant", "role": "tool", "content": ""}

    narrator.recall(base | {"tool": tool})
    narrator.recall(base | {"tool": tool | {"status": "done"}})

    assert [card.note for card in screen.cards] == ["no result: the turn ended first", ""]


def test_recorded_notices_of_one_step_are_one_card() -> None:
    screen = RecordingScreen()
    narrator = Narrator(screen, Standing())
    base = {"source": "process_wakeup", "content": "[…\nOutput:\nbuilt]", "turn_id": "turn_2", "role": "user"}
    ended = {"status": "exited", "exit_code": 0, "command": "make", "task_id": "p", "delivered": "joined"}
    for number in range(2):
        told = ended | {"task_id": f"p{number}"}
        narrator.recall(base | {"notice": told, "id": f"turn_2.3.{number}"})
    assert screen.shown == []

    narrator.recall({"notice": None, "tool": None, "source": "user", "role": "assistant", "content": "Read."})

    assert screen.shown == ["◆ 2 jobs reported", "Read."]
    assert screen.cards[0].note == "reported at step 4"


def test_a_note_between_messages_is_a_remark_and_ends_the_answer_before_it() -> None:
    screen = narrated(
        token("Half"),
        ("message", {"role": "note", "content": "You\nundid it.", "source": "user"}),
        ("message", {"content": "hi", "source": "user", "attachments": [{"name": "a", "size": 1}]}),
    )

    assert screen.shown == ["Half", "· You undid it.", "❯ hi"]  # noqa: RUF001
    assert screen.cards[1].lines == ("[a, 1 bytes]",)


def test_a_session_that_cannot_be_followed_says_why_after_what_it_had_said() -> None:
    screen = RecordingScreen()
    narrator = Narrator(screen, Standing())
    narrator.show_frame(*token("Half"))
    narrator.show_frame(*notice(0))

    narrator.lose(WakefulError("It is\ngone."))

    assert screen.shown == ["◆ `make` ended well · exit code 0", "Half", "✗ It is gone."]


@pytest.mark.parametrize(
    ("status", "will_notify", "is_shown"),
    [("failed", False, True), ("failed", True, False), ("killed", True, True)],
)
def test_the_end_of_a_job_is_remarked_unless_the_agent_tells_of_it(
    status: str, will_notify: bool, is_shown: bool
) -> None:
    standing = Standing()
    standing.hear("task_started", {"task": {"id": "p", "command": "make", "will_notify": will_notify}})
    ended = {"process_id": "p", "status": status, "exit_code": None}

    screen = narrated(
        ("process_complete", ended | {"process_id": "unknown"}), ("process_complete", ended), standing=standing
    )

    assert bool(screen.shown) is is_shown


def test_a_withdrawn_message_ends_nothing_and_calls_end_with_their_turn() -> None:
    withdrawn = narrated(token("Still"), call("c1"), ("cancelled", {"turn_id": "x", "reason": "withdrawn"}))
    ended = narrated(call("c1"), ("done", {"turn_id": "t"}), ("done", {"turn_id": "t2"}))

    assert (withdrawn.shown, list(withdrawn.draft.calls)) == (["Still"], ["c1"])
    assert (ended.shown, ended.draft.calls) == (["▸ terminal  ls"], {})


def test_a_result_shows_its_changes() -> None:
    change = {"path": "a", "kind": "created", "added": 1, "removed": 0, "diff": "+x", "undone": False}

    screen = narrated(
        call("c1"), ("tool_complete", {"call_id": "c1", "result": "", "seconds": 0.1, "changes": [change]})
    )

    assert (screen.cards[0].is_diff, screen.cards[0].lines) == (True, ("+x",))


def test_a_gap_is_remarked() -> None:
    assert narrated(("gap", {})).shown == ["· Some of what happened is no longer in the log."]
