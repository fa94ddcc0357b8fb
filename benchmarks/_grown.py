"""Makes databases of any size: an engine runs a few real sessions, and SQL copies them."""

import time
from pathlib import Path

from benchmarks._copies import connect, settle
from tests.bare_engine import bare_engine
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.inbox.submission import Submission
from wakeful.engine.settings import EngineSettings
from wakeful.model.journal.fact import Answered, Brief
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.session import Address
from wakeful.model.turn import Door
from wakeful.store.base import Store
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore

BENCH = Door("bench", async_delivery=False)
HERE = Address("bench")
OWNER, MODEL = "bench", "bench:none"
TURNS_A_SESSION = 10
# A word in every answer, and a word in a single message.
COMMON, RARE = "report", "zebrafish"
_SEEDS = 10
# How many of the seeds are like sessions of single API responses, which no list shows.
_UNLISTED = 3
_WORDS = [f"{COMMON} {'of the day ' * 3}number {number} says that all is well. " for number in range(20)]


class TalkLoop:
    """An agent that answers at once with a few hundred words."""

    async def run(self, brief: Brief):  # type: ignore[no-untyped-def]
        yield Answered(brief.last_step + 1, AssistantMessage("".join(_WORDS)), Usage(500, 400))


async def grow(url: str, *, turns: int, messages: int) -> str:
    """Fill an empty database with this many turns and a session of this many messages, and return its id."""
    seeds, long = await _run_seeds(url)
    database = await connect(url)
    try:
        await database.unlist(seeds[:_UNLISTED])
        await database.copy_sessions(seeds, turns // (_SEEDS * TURNS_A_SESSION) - 1)
        await database.lengthen(long, messages // 2, without=RARE)
    finally:
        await database.close()
    await _index(url)
    await settle(url)
    return long


def open_store(url: str) -> Store:
    if url.startswith("postgresql"):
        return PostgresStore(url)
    return SqliteStore(Path(url.removeprefix("sqlite:///")), time.time)


async def take_turn(engine: Engine, session_id: str, text: str) -> None:
    receipt = await engine.submit(Submission(session_id, text, BENCH, HERE, f"{time.time_ns()}", MODEL))
    async for _ in engine.subscribe_turn(session_id, receipt.turn_id):
        pass


async def _run_seeds(url: str) -> tuple[list[str], str]:
    store = open_store(url)
    await store.open()
    engine = bare_engine(store, TalkLoop(), SystemClock(), EngineSettings())
    await engine.start()
    seeds = [await _new_session(engine, f"Seed {number}", TURNS_A_SESSION) for number in range(_SEEDS)]
    long = await _new_session(engine, "Long", 1)
    await engine.stop()
    await store.close()
    await _index(url)
    return seeds, long


async def _new_session(engine: Engine, title: str, turns: int) -> str:
    session = await engine.create_session(OWNER, HERE, MODEL, "/", title)
    for number in range(turns):
        await take_turn(engine, session.id, f"{title} asks question {number} {RARE if title == 'Long' else ''}")
    return session.id


async def _index(url: str) -> None:
    """Index for the search everything that was written."""
    store = open_store(url)
    await store.open()
    while await store.write(lambda tx: tx.search.index_some(500)):
        pass
    await store.close()
