"""Watch patterns, from the first byte to the third strike, with a clock that the test moves."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.tools.processes.kit import Ledger, ended, keeping, new_task, until
from wakeful.errors import StoreUnavailable
from wakeful.model.task import WatchMatch
from wakeful.tools.processes.output import Output
from wakeful.tools.processes.search import Search
from wakeful.tools.processes.secrets import Redactor
from wakeful.tools.processes.settings import ProcessSettings
from wakeful.tools.processes.watch import CHUNK, LINE_LIMIT, Found, Watch, WatchState, load_state


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def watch(*patterns: str, interval: float = 0.0, clock: Clock | None = None) -> Watch:
    return Watch(patterns, interval, clock or Clock())


def search(
    watch: Watch, data: bytes, state: WatchState | None = None, *, is_whole: bool = False
) -> tuple[WatchState, list[Found]]:
    """All that is found in a whole output, as a reader would that goes on from each state."""
    state = state or WatchState()
    all_found: list[Found] = []
    while True:
        state, found = watch.step(state, data[state.offset :], is_whole=is_whole)
        if found is None:
            return state, all_found
        all_found.append(found)


def test_lines_that_contain_a_pattern_are_found_with_their_place() -> None:
    _, found = search(watch("ERROR", "listening"), b"ok\nan ERROR here\r\nnow listening\nfine\n")

    assert [(item.pattern, item.line, item.offset) for item in found] == [
        ("ERROR", b"an ERROR here", 3),
        ("listening", b"now listening", 18),
    ]


def test_line_is_told_once_however_many_patterns_it_contains() -> None:
    _, found = search(watch("b", "a"), b"a b a b\n")

    assert [item.pattern for item in found] == ["b"]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
def test_patterns_are_found_across_chunks_and_characters(size: int) -> None:
    data = "zwölf\nBoxkämpfer jagen\nViktor → quer\n".encode()
    state, found = WatchState(), []

    for end in range(size, len(data) + size, size):
        state, new = search(watch("Boxkämpfer", "→"), data[:end], state)
        found += new

    assert [item.line.decode() for item in found] == ["Boxkämpfer jagen", "Viktor → quer"]
    assert state.offset == len(data)


def test_incomplete_line_waits_for_its_end() -> None:
    state, found = search(watch("x"), b"a\nx")
    assert (found, state.offset) == ([], 2)

    _, found = search(watch("x"), b"a\nx", state, is_whole=True)
    assert [item.line for item in found] == [b"x"]


def test_endless_line_is_searched_in_pieces_and_told_once() -> None:
    data = b"." * (LINE_LIMIT - 3) + b"needle" + b"." * LINE_LIMIT + b"needle" + b"." * LINE_LIMIT + b"\nneedle\n"
    state, found = WatchState(), []

    for end in [*range(LINE_LIMIT, len(data), LINE_LIMIT // 2), len(data)]:
        state, new = search(watch("needle", "le"), data[:end], state)
        found += new

    assert len(found) == 2
    assert found[1].line == b"needle"
    assert state.offset == len(data)


def test_matches_within_the_interval_are_counted_and_told_with_the_next() -> None:
    clock = Clock()
    one = watch("x", interval=15, clock=clock)
    state, found = search(one, b"x1\nx2\nx3\n")
    assert [item.line for item in found] == [b"x1"]

    clock.now += 15
    state, found = search(one, b"x1\nx2\nx3\nx4\n", state)

    assert [(item.line, item.suppressed, item.is_last) for item in found] == [(b"x4", 2, False)]
    assert (state.suppressed, state.strikes) == (0, 1)


def test_three_strikes_in_a_row_turn_the_watch_off() -> None:
    clock = Clock()
    one = watch("x", interval=15, clock=clock)
    data, state, told = b"", WatchState(), []

    for _ in range(5):
        data += b"x\nx\n"
        state, found = search(one, data, state)
        told += found
        clock.now += 15

    assert [item.is_last for item in told] == [False, False, False, True]
    assert state.is_off


def test_quiet_interval_forgives_earlier_strikes() -> None:
    clock = Clock()
    one = watch("x", interval=15, clock=clock)
    data, state = b"", WatchState()

    for lines in (b"x\nx\n", b"x\nx\n", b"x\n", b"x\nx\n", b"x\nx\n"):
        data += lines
        state, _ = search(one, data, state)
        clock.now += 15

    assert (state.strikes, state.is_off) == (1, False)


def test_state_survives_being_written_down() -> None:
    clock = Clock()
    state, _ = search(watch("x", interval=15, clock=clock), b"x\nx\nyyy")

    assert load_state(state.dump()) == state
    assert load_state(b"{}") == WatchState()


async def test_match_of_a_process_is_told_while_it_runs(ledger: Ledger, settings: ProcessSettings) -> None:
    task = new_task("echo Server is ready; sleep 100", watch=("is ready",))

    async with keeping(ledger, settings) as keeper:
        await keeper.start(None, task)
        await until(lambda: bool(ledger.matches))
        await keeper.kill(task.id)

    assert ledger.matches == [
        WatchMatch(
            "is ready",
            "Server is ready",
            0,
            f'[IMPORTANT: Background process {task.id} matched watch pattern "is ready".\n'
            "Command: echo Server is ready; sleep 100\nMatched output:\nServer is ready]",
        )
    ]


async def test_last_line_of_a_process_is_searched_before_its_end_is_written(
    ledger: Ledger, settings: ProcessSettings
) -> None:
    task = new_task("printf 'no newline ERROR'", watch=("ERROR",))

    async with keeping(ledger, settings) as keeper:
        await keeper.start(None, task)
        await ended(keeper, task.id)

    assert [match.line for match in ledger.matches] == ["no newline ERROR"]


async def test_watch_that_is_too_much_becomes_a_notice_of_the_end(ledger: Ledger, tmp_path: Path) -> None:
    clock = Clock()
    task = await ledger.begin(None, replace(new_task("chatter", watch=("x",)), will_notify=False))
    output = Output(tmp_path / "output", Redactor([]))
    search = Search(task, output, watch("x", interval=15, clock=clock), ledger)

    for _ in range(5):
        with output.path.open("a") as file:
            file.write("x\nx\n")
        await search.go_on(is_whole=False)
        clock.now += 15

    row = await ledger.get(task.id)
    assert row is not None
    assert row.will_notify
    assert len(ledger.matches) == 4
    assert "(1 more matches since the last notice were not told.)" in ledger.matches[1].notice
    assert "this watch is now off. You will be told when the process ends" in ledger.matches[3].notice


async def test_match_is_written_again_until_the_store_takes_it(settings: ProcessSettings) -> None:
    class Moody(Ledger):
        refusals = 1

        async def match(
            self, task_id: str, match: WatchMatch, watch: bytes, *, will_notify: bool | None = None
        ) -> None:
            if self.refusals:
                self.refusals -= 1
                raise StoreUnavailable
            await super().match(task_id, match, watch, will_notify=will_notify)

    ledger, task = Moody(), new_task("echo ERROR", watch=("ERROR",))
    async with keeping(ledger, settings) as keeper:
        await keeper.start(None, task)
        await ended(keeper, task.id)

    assert len(ledger.matches) == 1


async def test_long_line_is_shown_around_its_match(ledger: Ledger, settings: ProcessSettings) -> None:
    task = new_task("printf '%09000d needle %09000d\\n' 0 0", watch=("needle",))

    async with keeping(ledger, settings) as keeper:
        await keeper.start(None, task)
        await ended(keeper, task.id)

    assert " needle " in ledger.matches[0].line
    assert len(ledger.matches[0].line) < 2_100


async def test_secret_is_masked_also_where_an_endless_line_was_cut(ledger: Ledger, tmp_path: Path) -> None:
    output = Output(tmp_path / "output", Redactor(["secret-token"]))
    task = await ledger.begin(None, new_task("chatter", watch=("needle",)))
    search = Search(task, output, watch("needle"), ledger)

    output.path.write_bytes(b"." * (CHUNK - len("needle secret-")) + b"needle secret-token and more")
    await search.go_on(is_whole=True)

    assert [match.line.strip(".") for match in ledger.matches] == ["needle *** […]"]
