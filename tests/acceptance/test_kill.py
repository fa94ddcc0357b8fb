"""kill -9 at every commit: nothing accepted is lost, nothing recorded is done twice, and no reader sees a gap."""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.ledger import Ledger
from tests.acceptance.picture import Picture, take_picture
from tests.acceptance.walker import (
    BROKEN_MODEL,
    DEATH_IN_ANSWER,
    DEATH_IN_TOOL,
    MESSAGES,
    MODEL,
    SESSIONS,
    TASKS,
    line_of,
)
from tests.acceptance.walks import Case, NewCase, Walker
from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.inbox import RowKind, RowStatus
from wakeful.model.journal.entry import EntryKind, answer_of, spend_of
from wakeful.model.journal.transcript import INTERRUPTED
from wakeful.model.turn import TurnStatus

# Long enough for hundreds of processes on a slow machine.
pytestmark = pytest.mark.timeout(600)

_OWN_DEATHS = (DEATH_IN_ANSWER, DEATH_IN_TOOL)
# A walk with fewer commits no longer does all that it should.
_FEWEST_COMMITS = 32
# The longest test comes in parts, so that workers can share it.
_PARTS = 2
_SOAK_ROUNDS = 300


@pytest.fixture(scope="module")
def walker() -> Iterator[Walker]:
    with Walker("tests.acceptance.walker") as walker:
        yield walker


@pytest.mark.parametrize("part", range(_PARTS))
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_at_any_commit_loses_nothing_and_repeats_nothing(
    store: str, new_case: NewCase, walker: Walker, moment: str, part: int, soak: bool
) -> None:
    [unharmed] = walk_to_the_end(walker, new_case())
    assert unharmed.commits >= _FEWEST_COMMITS

    # A death before and after every second commit leaves each state once. The states are the same on both stores.
    step = 1 if soak else {"sqlite": 2, "postgres": 5}[store]
    for number in range(1, unharmed.commits + 1, step)[part::_PARTS]:
        [killed, _] = walk_to_the_end(walker, new_case(f"{moment} {number}"))
        assert killed.deaths == [f"{moment} {number}"]


@pytest.mark.parametrize("session_id", SESSIONS)
def test_a_kill_at_the_sight_of_any_event_finds_it_on_disk(
    store: str, new_case: NewCase, walker: Walker, session_id: str, soak: bool
) -> None:
    [unharmed] = walk_to_the_end(walker, new_case())

    step = 1 if soak else {"sqlite": 3, "postgres": 10}[store]
    for number in range(1, len(unharmed.logs[session_id]) + 1, step):
        death = f"at the sight of {session_id} {number}"
        [killed, _] = walk_to_the_end(walker, new_case(death))
        assert killed.deaths == [death]
        assert len(killed.seen[session_id]) == number


@pytest.mark.parametrize("session_id", SESSIONS)
def test_a_kill_at_the_sight_of_any_word_takes_it_back(
    store: str, new_case: NewCase, walker: Walker, session_id: str, soak: bool
) -> None:
    [unharmed] = walk_to_the_end(walker, new_case())

    step = 1 if soak else {"sqlite": 1, "postgres": 2}[store]
    for number in range(1, len(unharmed.words[session_id]) + 1, step):
        death = f"at the word {session_id} {number}"
        [killed, after] = walk_to_the_end(walker, new_case(death))
        assert killed.deaths == [death]
        assert any(event.ends is not None and event.ends.void for event in after.logs[session_id])


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_around_a_rescue_loses_nothing_and_repeats_nothing(
    store: str, new_case: NewCase, walker: Walker, moment: str, soak: bool
) -> None:
    """In these walks the process also dies in the middle of an answer and in the middle of a tool."""
    [first_death, _, unharmed] = walk_to_the_end(walker, new_case(*_OWN_DEATHS))
    assert set(unharmed.deaths) == set(_OWN_DEATHS)

    step = 1 if soak else {"sqlite": 2, "postgres": 8}[store]
    for number in range(first_death.commits + 1, unharmed.commits + 1, step):
        *_, last = walk_to_the_end(walker, new_case(*_OWN_DEATHS, f"{moment} {number}"))
        # What a rescue has to do depends on how far the other session was.
        assert f"{moment} {number}" in last.deaths or last.commits < number


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_several_kills_lose_nothing_and_repeat_nothing(new_case: NewCase, walker: Walker) -> None:
    seed = random.randrange(1_000_000)
    chance = random.Random(seed)
    print(f"seed {seed}")
    died = 0
    for _ in range(_SOAK_ROUNDS):
        numbers = chance.sample(range(1, 2 * _FEWEST_COMMITS), k=chance.choice([2, 3]))
        deaths = [f"{chance.choice(['before', 'after'])} {number}" for number in numbers]
        *_, last = walk_to_the_end(walker, new_case(*_OWN_DEATHS, *deaths))
        died += len(last.deaths)
    print(f"{_SOAK_ROUNDS} walks, {died} deaths")


def walk_to_the_end(walker: Walker, case: Case) -> list[Picture]:
    """Walk, and again after every death, and check each picture; returns those after each death and at the end."""
    ledger = Ledger(Path(case.folder))
    pictures: list[Picture] = []
    exit_code = None
    try:
        while exit_code != 0:
            exit_code = walker.walk(case)
            pictures.append(take_picture(case.database, ledger))
            check_a_moment(pictures[-1])
            assert exit_code == (-9 if len(pictures[-1].deaths) == len(pictures) else 0)
        for before, after in itertools.pairwise(pictures):
            check_what_was_written_stays(before, after)
        check_the_end(pictures[-1])
    except AssertionError as error:
        error.add_note(f"after deaths {ledger.lines('deaths')}; its files are in {case.folder}")
        raise
    return pictures


def check_a_moment(picture: Picture) -> None:
    """Check what holds at any time, also right after a kill."""
    check_every_log_is_whole(picture)
    check_every_word_was_seen(picture)
    check_every_claimed_row_is_told(picture)
    check_every_log_tells_the_journal(picture)
    check_every_answer_was_paid_once(picture)
    for name, turn_id in picture.receipts:
        assert picture.inbox[f"message:{name}"].turn_id == turn_id
    for session in picture.sessions.values():
        turns = [turn for turn in picture.turns.values() if turn.session_id == session.id]
        running = [turn.id for turn in turns if not turn.status.is_final]
        assert running == ([session.active] if session.active else [])
    # Whether a note was taken is unknown when its process died, so it is never tried again.
    assert len(set(picture.notes)) == len(picture.notes)


def check_every_log_is_whole(picture: Picture) -> None:
    for session_id, log in picture.logs.items():
        assert [event.session_seq for event in log] == list(range(1, len(log) + 1))
        # Durable before visible: whatever a follower saw is on disk, and it saw it once and in order.
        seen = picture.seen[session_id]
        assert seen == [line_of(event) for event in log[: len(seen)]]
    for turn_id, log in picture.turn_logs.items():
        assert [event.turn_seq for event in log] == list(range(1, len(log) + 1))
        assert not any(event.is_final for event in log[:-1])
        turn = picture.turns.get(turn_id)
        assert log[-1].is_final == (turn is None or turn.status.is_final)


def check_every_word_was_seen(picture: Picture) -> None:
    """Check that the words of an answer were seen once and in order; those of a process that died are void."""
    for session_id, log in picture.logs.items():
        left = picture.words[session_id]
        for event in log[: len(picture.seen[session_id])]:
            if event.ends is not None:
                seen = [line for line in left if line[2] == event.ends.base]
                left = [line for line in left if line[2] != event.ends.base]
                assert [line[3] for line in seen] == list(range(1, len(seen) + 1))
                kept = [word.text for word in picture.kept[session_id, event.session_seq]]
                assert [line[4] for line in seen][: len(kept)] == kept
                assert len(seen) == len(kept) or event.ends.void > len(seen)
        # The rest belongs to an answer in progress.
        assert len({line[2] for line in left}) <= 1


def check_every_claimed_row_is_told(picture: Picture) -> None:
    """Check that each row was shown to the model and to readers once, in the turn that claimed it."""
    claimed = [
        (key.removeprefix("message:"), row.claimed_by)
        for key, row in picture.inbox.items()
        if row.status is RowStatus.CLAIMED
    ]
    inputs = [entry for entry in picture.journal.values() if entry.kind is EntryKind.INPUT]
    assert sorted((entry.data["message_id"], entry.turn_id) for entry in inputs) == sorted(claimed)
    shown = [event for event in _all_events(picture) if event.kind in (events.MESSAGE, events.NOTICE)]
    assert sorted(event.data["message_id"] for event in shown) == sorted(entry.id for entry in inputs)
    assert all(event.data["message_id"].startswith(f"{event.turn_id}.") for event in shown)
    # Every turn was opened by a row of its own.
    opening = {row.turn_id for row in picture.inbox.values() if row.claimed_by == row.turn_id}
    assert picture.turns.keys() == opening


def check_every_log_tells_the_journal(picture: Picture) -> None:
    for turn_id in picture.turns:
        log = picture.turn_logs[turn_id]
        entries = [entry for entry in picture.journal.values() if entry.turn_id == turn_id]
        answers = {entry.step: answer_of(entry) for entry in entries if entry.kind is EntryKind.ANSWER}
        assert _kept_texts(picture, log) == {step: answer.text for step, answer in answers.items()}
        called = [event.data["call_id"] for event in log if event.kind == events.TOOL]
        assert called == [call.id for answer in answers.values() for call in answer.calls]
        results = [entry.data for entry in entries if entry.kind is EntryKind.RESULT]
        completed = [event.data for event in log if event.kind == events.TOOL_COMPLETE]
        assert sorted((result["call_id"], result["text"]) for result in results) == sorted(
            (result["call_id"], result["result"]) for result in completed
        )


def check_every_answer_was_paid_once(picture: Picture) -> None:
    for session in picture.sessions.values():
        turns = {turn.id for turn in picture.turns.values() if turn.session_id == session.id}
        answers = [entry for entry in picture.journal.values() if entry.kind is EntryKind.ANSWER]
        assert session.cost_usd == sum(spend_of(entry).usd for entry in answers if entry.turn_id in turns)
    assert picture.spent_usd == sum(session.cost_usd for session in picture.sessions.values())


def check_what_was_written_stays(before: Picture, after: Picture) -> None:
    for session_id, log in before.logs.items():
        assert after.logs[session_id][: len(log)] == log
    assert before.journal.items() <= after.journal.items()
    for key, row in before.inbox.items():
        assert after.inbox[key] == row or row.status is RowStatus.PENDING
    for turn in before.turns.values():
        assert after.turns[turn.id] == turn or not turn.status.is_final
    # A recorded result is never run again.
    for call in before.peeks:
        assert call not in before.journal or after.peeks.count(call) == before.peeks.count(call)


def check_the_end(picture: Picture) -> None:
    assert not picture.warnings
    check_every_turn_is_done(picture)
    check_every_message_was_answered(picture)
    check_every_task_was_told_once(picture)
    check_every_call_has_its_result(picture)
    check_the_model_was_told_all(picture)
    check_the_broken_model_was_replaced(picture)


def check_every_turn_is_done(picture: Picture) -> None:
    assert {turn.status for turn in picture.turns.values()} == {TurnStatus.DONE}
    for turn in picture.turns.values():
        assert turn.last_seq == len(picture.turn_logs[turn.id])
    for session in picture.sessions.values():
        assert session.active is None
        assert session.head == session.checkpoint
        assert session.last_seq == len(picture.logs[session.id]) == len(picture.seen[session.id])
    # The turns of a session are one chain.
    parents = [turn.parent for turn in picture.turns.values() if turn.parent]
    assert len(set(parents)) == len(parents) == len(picture.turns) - len(SESSIONS)


def check_every_message_was_answered(picture: Picture) -> None:
    messages = {f"message:{name}" for name, _, _ in MESSAGES}
    assert messages == {row.dedupe_key for row in picture.inbox.values() if row.kind is RowKind.MESSAGE}
    for row in (picture.inbox[message] for message in messages):
        assert row.status is RowStatus.CLAIMED
        if row.claimed_by != row.turn_id:
            # It joined another turn, and the readers of its own id got that event.
            [end] = picture.turn_logs[row.turn_id]
            assert (end.kind, end.data) == (events.DONE, {"joined": row.claimed_by})


def check_every_task_was_told_once(picture: Picture) -> None:
    everything = _all_events(picture)
    started = [event.data["task"]["id"] for event in everything if event.kind == events.TASK_STARTED]
    ended = [event.data["process_id"] for event in everything if event.kind == events.PROCESS_COMPLETE]
    assert sorted(started) == sorted(ended) == sorted(picture.tasks) == sorted(TASKS.values())
    notices = [row for row in picture.inbox.values() if row.kind is RowKind.NOTICE]
    assert {row.dedupe_key: row.status for row in notices} == {
        "task:task_shown": RowStatus.WITHDRAWN,
        "task:task_joins": RowStatus.CLAIMED,
        "task:task_wakes": RowStatus.CLAIMED,
    }
    waking = picture.inbox["task:task_wakes"]
    assert waking.claimed_by == waking.turn_id
    assert picture.turns[waking.turn_id].is_wakeup


def check_every_call_has_its_result(picture: Picture) -> None:
    texts = {key: entry.data["text"] for key, entry in picture.journal.items() if entry.kind is EntryKind.RESULT}
    assert texts.keys() == {(turn_id, 1, index) for turn_id in picture.turns for index in (1, 2)}
    for key, text in texts.items():
        if key[2] == 1:
            assert (text, key in picture.notes) == ("note is done", True) or text == INTERRUPTED
        else:
            assert (text, key in picture.peeks) == ("peek is done", True)


def check_the_model_was_told_all(picture: Picture) -> None:
    """Check that the last answer of each turn repeats all its inputs."""
    for turn_id in picture.turns:
        entries = [entry for entry in picture.journal.values() if entry.turn_id == turn_id]
        inputs = [entry.data["text"] for entry in entries if entry.kind is not EntryKind.ANSWER]
        repeated = answer_of(entries[-1]).text.split("|")
        assert sorted(repeated) == sorted([*(f"{inputs[0]}: {text}" for text in inputs), ""])


def check_the_broken_model_was_replaced(picture: Picture) -> None:
    answers = [entry for entry in picture.journal.values() if entry.kind is EntryKind.ANSWER]
    assert {entry.data["model"] for entry in answers} == {MODEL}
    for turn in picture.turns.values():
        changes = [event.data for event in picture.turn_logs[turn.id] if event.kind == events.MODEL_CHANGED]
        assert bool(changes) == (turn.model == BROKEN_MODEL)
        assert all((change["from"], change["to"]) == (BROKEN_MODEL, MODEL) for change in changes)


def _all_events(picture: Picture) -> list[Event]:
    return [event for log in picture.logs.values() for event in log]


def _kept_texts(picture: Picture, log: list[Event]) -> dict[int, str]:
    """Return the text of each answered step, joined from its words."""
    ends = [event for event in log if event.ends is not None and event.kind != events.STEP_ABANDONED]
    words = [picture.kept[event.session_id, event.session_seq] for event in ends]
    return {kept[0].head.step: "".join(word.text for word in kept) for kept in words}
