"""A database of the version that wrote every piece of an answer as an event, with a long log and a turn that runs."""

import asyncio
import sqlite3
from collections.abc import Callable, Collection
from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg
import orjson
import pytest

from tests.bare_engine import bare_engine
from tests.store.conftest import FakeClock, Sql
from tests.store.nouns import an_input, append, have_turn, long_texts
from tests.store.test_migrations import POSTGRES, SQLITE, apply_to_postgres, apply_to_sqlite
from tests.unit.gateway.openai.kit import fold
from wakeful.engine.clock import SystemClock
from wakeful.engine.settings import EngineSettings
from wakeful.engine.upkeep.old_words_mover import OldWordsMover
from wakeful.errors import StoreUnavailable
from wakeful.gateway.openai.frames import NumberedFrame
from wakeful.gateway.openai.responses.turn_response import response_of
from wakeful.model.event import CANCELLED, Event, NewEvent, spoken
from wakeful.model.journal.entry import Entry, EntryKind, answer_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.opening import Closing
from wakeful.model.turn import Outcome, TurnStatus
from wakeful.store.base import Body, Store, Transaction

# The last schema in which words were events.
BEFORE = 10
# More than a page of a reader has.
WORDS = [f"word{number} " for number in range(700)]
NO_USAGE = Usage(0, 0, 0, 0)

_SESSION = """
    INSERT INTO sessions (id, owner, platform, chat_id, thread_id, model, workspace, head, checkpoint, active, last_seq,
                          created_at, updated_at)
    VALUES ('{session}', 'alice', 'api_server', '', '', 'demo:model', '', NULL, NULL, {active}, {last}, 10, 10);

    INSERT INTO turns (id, session_id, parent, door, async_delivery, platform, chat_id, thread_id, source, is_wakeup,
                       model, status, node, epoch, last_seq, recorded_seq, workspace, opened_at, request)
    VALUES ('{turn}', '{session}', NULL, 'api_server', FALSE, 'api_server', '', '', 'user', FALSE,
            'demo:model', '{status}', 'node1', 1, {last}, 2, '', 20, CAST('{{"kind": "response"}}' AS {blob}));
"""


def rows_of(session: str, turn: str, said: list[tuple[str, dict[str, Any]]]) -> list[tuple[Any, ...]]:
    """The log of a session with one turn."""
    begun: list[tuple[str, dict[str, Any]]] = [("turn_started", {}), ("message", {"message_id": "m", "content": "Hi"})]
    return [
        (session, number, turn, number, kind, orjson.dumps(data), 100.0 + number)
        for number, (kind, data) in enumerate([*begun, *said], start=1)
    ]


def word(text: str, step: int = 1, kind: str = "token") -> tuple[str, dict[str, Any]]:
    return kind, {"step": step, "text": text}


CLOSED = rows_of(
    "ses_1",
    "turn_1",
    [
        word("Half an"),
        ("step_abandoned", {"step": 1}),
        word("Hm", kind="reasoning"),
        *(word(text) for text in WORDS),
        ("usage", {"step": 1, "usage": NO_USAGE}),
        ("done", {}),
    ],
)
RUNNING = rows_of("ses_2", "turn_2", [word("Not "), word("whole")])
JOURNAL = [
    an_input("turn_1", "Hi"),
    answer_entry("turn_1", Answered(1, AssistantMessage("".join(WORDS), "Hm"), NO_USAGE, is_cut=False)),
    an_input("turn_2", "Hi"),
]


def _rows(blob: str) -> str:
    closed = _SESSION.format(session="ses_1", turn="turn_1", active="NULL", last=len(CLOSED), status="done", blob=blob)
    active = {"active": "'turn_2'", "last": len(RUNNING), "status": "running"}
    return closed + _SESSION.format(session="ses_2", turn="turn_2", blob=blob, **active)


def _entry_row(entry: Entry) -> tuple[Any, ...]:
    return entry.turn_id, entry.step, entry.index, entry.kind.value, entry.payload, 50.0


@pytest.fixture
def sqlite_path(tmp_path: Path) -> Path:
    return tmp_path / "wakeful.db"


@pytest.fixture
def postgres_url(bare_postgres_url: str) -> str:
    return bare_postgres_url


@pytest.fixture
async def store(kind: str, request: pytest.FixtureRequest, tmp_path: Path, new_store: Callable[[], Store]) -> Any:
    """A store on such a database, just upgraded."""
    if kind == "sqlite":
        _leave_in_sqlite(tmp_path / "wakeful.db")
    else:
        await _leave_in_postgres(request.getfixturevalue("postgres_url"))
    store = new_store()
    await store.open()
    yield store
    await store.close()


def _leave_in_sqlite(path: Path) -> None:
    apply_to_sqlite(path, SQLITE[:BEFORE])
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_rows("BLOB"))
        connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", CLOSED + RUNNING)
        connection.executemany(
            "INSERT INTO journal (turn_id, step, idx, kind, payload, at) VALUES (?, ?, ?, ?, ?, ?)",
            [_entry_row(entry) for entry in JOURNAL],
        )
        connection.commit()


async def _leave_in_postgres(url: str) -> None:
    await apply_to_postgres(url, POSTGRES[:BEFORE])
    connection = await asyncpg.connect(url)
    await connection.execute(_rows("BYTEA"))
    await connection.copy_records_to_table("events", records=CLOSED + RUNNING)
    columns = ("turn_id", "step", "idx", "kind", "payload", "at")
    await connection.copy_records_to_table("journal", records=[_entry_row(entry) for entry in JOURNAL], columns=columns)
    await connection.close()


class Hurry(SystemClock):
    """Waits for nothing."""

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        return


async def frames_of(store: Store, turn_id: str) -> list[NumberedFrame]:
    """As a client reads them that asks for the whole response."""
    no_loop: Any = None
    engine = bare_engine(store, no_loop, SystemClock(), EngineSettings())
    turn = await store.read(lambda tx: tx.turns.get(turn_id))
    assert turn is not None
    return fold(await engine.stream_so_far(turn.session_id, turn_id), response_of(turn))


async def log_of(store: Store, turn_id: str) -> list[Event]:
    return await store.read(lambda tx: tx.events.of_turn(turn_id, 0, 10_000))


async def stop(store: Store, turn_id: str, session_id: str) -> None:
    async def body(tx: Transaction) -> None:
        ended = NewEvent.of(CANCELLED, {"code": "stopped", "message": "The turn was stopped."})
        await tx.events.append(session_id, turn_id, [ended])
        turn = await tx.turns.get(turn_id)
        assert turn is not None
        await tx.close(Closing(turn, Outcome(TurnStatus.CANCELLED), ()))

    await store.write(body, lock=[session_id])


async def test_a_response_replays_with_the_frames_and_numbers_that_it_had(store: Store) -> None:
    before = await frames_of(store, "turn_1")

    await OldWordsMover(store, Hurry()).sweep()

    assert await frames_of(store, "turn_1") == before
    assert [event.turn_seq for event in await log_of(store, "turn_1")] == [1, 2, 4, len(CLOSED) - 1, len(CLOSED)]
    texts = [frame for frame in before if frame.type == "response.output_text.delta"]
    assert len(texts) == 1 + len(WORDS)


async def test_a_turn_that_runs_keeps_its_log_until_it_has_ended(store: Store) -> None:
    job = OldWordsMover(store, Hurry())

    assert await job.sweep() is not None
    assert sum(spoken(event) is not None for event in await log_of(store, "turn_2")) == 2
    assert await store.read(lambda tx: tx.old_words.position()) == "turn_1"

    await stop(store, "turn_2", "ses_2")
    before = await frames_of(store, "turn_2")

    assert await job.sweep() is None
    assert await frames_of(store, "turn_2") == before
    assert [event.kind for event in await log_of(store, "turn_2")] == ["turn_started", "message", "cancelled"]


async def test_words_that_were_cut_off_are_seen_with_the_time_of_the_cut(store: Store, clock: FakeClock) -> None:
    await stop(store, "turn_2", "ses_2")
    (*_, ended) = await log_of(store, "turn_2")

    await OldWordsMover(store, Hurry()).sweep()

    _, cut = await store.read(lambda tx: tx.journal.of_turns(["turn_2"]))
    assert (cut.kind, cut.data["text"], cut.at) == (EntryKind.CUT, "Not whole", ended.at)


class ShakyStore:
    """A store that cannot write what belongs to a session."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.read = store.read

    async def write(self, body: Body[object], *, lock: Collection[str] = ()) -> object:
        if lock:
            raise StoreUnavailable
        return await self._store.write(body)


async def test_words_that_a_store_could_not_take_are_moved_in_the_next_sweep(store: Store) -> None:
    shaky: Any = ShakyStore(store)

    with pytest.raises(StoreUnavailable):
        await OldWordsMover(shaky, Hurry()).sweep()
    await OldWordsMover(store, Hurry()).sweep()

    assert [event.turn_seq for event in await log_of(store, "turn_1")] == [1, 2, 4, len(CLOSED) - 1, len(CLOSED)]


async def test_a_database_is_gone_through_once(store: Store) -> None:
    await stop(store, "turn_2", "ses_2")
    await OldWordsMover(store, Hurry()).sweep()

    assert await store.read(lambda tx: tx.old_words.position()) == "all"
    await append(store, await have_turn(store, "turn_3", "ses_3"), [NewEvent.of("token", {"step": 1, "text": "Hi"})])
    await stop(store, "turn_3", "ses_3")

    assert await OldWordsMover(store, Hurry()).sweep() is None
    assert [event.kind for event in await log_of(store, "turn_3")] == ["token", "cancelled"]


async def test_nodes_that_move_the_same_words_do_not_disturb_each_other(store: Store) -> None:
    await stop(store, "turn_2", "ses_2")
    before = await frames_of(store, "turn_1")

    await asyncio.gather(*(OldWordsMover(store, Hurry()).sweep() for _ in range(3)))

    assert await frames_of(store, "turn_1") == before
    assert len(await store.read(lambda tx: tx.journal.of_turns(["turn_2"]))) == 2


async def test_long_texts_that_the_journal_has_leave_the_log(store: Store, sql: Sql) -> None:
    lease = await have_turn(store, "turn_3", "ses_3")
    entries, facts = long_texts("turn_3")
    await store.write(lambda tx: tx.journal.add(entries), lock=["ses_3"])
    changed = NewEvent.of("tool_complete", {"step": 1, "call_id": "c2", "result": "e" * 2000})
    await append(store, lease, [*(NewEvent(fact.kind, fact.payload) for fact in facts), changed])
    await stop(store, "turn_3", "ses_3")
    before = await log_of(store, "turn_3")

    await OldWordsMover(store, Hurry()).sweep()

    late = await log_of(store, "turn_3")
    assert [(event.turn_seq, event.payload) for event in late] == [(event.turn_seq, event.payload) for event in before]
    assert [event.quote is not None for event in late] == [True] * 5 + [False] * 2
    assert await sql("SELECT count(*) FROM events WHERE length(payload) > 1000") == [(1,)]


async def test_what_was_deleted_is_left_to_the_purge(store: Store) -> None:
    await store.write(lambda tx: tx.sessions.delete("ses_1", 9_000.0), lock=["ses_1"])

    await OldWordsMover(store, Hurry()).sweep()

    assert len(await log_of(store, "turn_1")) == len(CLOSED)
