"""The running of the program: what starts, in which order it ends, and what else it tells."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.unit.building.kit import config_in
from wakeful.agent.models.catalogue import Catalogue
from wakeful.agent.providers.registry import ProviderRegistry
from wakeful.app import running_engine
from wakeful.building.engine import Running
from wakeful.engine.engine import Engine
from wakeful.engine.tasks.task_runner import TaskRunner
from wakeful.errors import ConfigError
from wakeful.model.event import NOTICE, TOOL_COMPLETE, NewEvent
from wakeful.model.session import Address
from wakeful.store.sqlite.store import SqliteStore
from wakeful.tools.mcp.servers import McpServers
from wakeful.tools.process_registry import process_registry
from wakeful.tools.processes.keeper import ProcessKeeper

_DOOR = 'telegram_token = "1:x"\ntelegram_api_url = "http://127.0.0.1:9"\n'
_WEBHOOK = '[[webhooks]]\nurl = "https://a.example/"\nsecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"\n'
# From the one that starts last.
_ENDINGS: list[tuple[type, str]] = [
    (Engine, "stop"),
    (McpServers, "close"),
    (ProcessKeeper, "close"),
    (Catalogue, "close"),
    (SqliteStore, "close"),
    (ProviderRegistry, "close"),
]


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[type]:
    """Return what has ended, in order."""
    kinds: list[type] = []

    def told(kind: type, end: Callable[[Any], Any]) -> Callable[[Any], Any]:
        async def tell(part: Any) -> None:
            kinds.append(kind)
            await end(part)

        return tell

    for kind, name in _ENDINGS:
        monkeypatch.setattr(kind, name, told(kind, getattr(kind, name)))
    return kinds


async def test_whatever_starts_ends_in_the_opposite_order(tmp_path: Path, ended: list[type]) -> None:
    config = config_in(tmp_path)
    ended.clear()
    async with running_engine(config, adopts=True):
        assert ended == []

    assert ended == [kind for kind, _ in _ENDINGS]


@pytest.mark.parametrize(
    ("kind", "name", "left_out"), [(Engine, "start", 0), (McpServers, "open", 1), (SqliteStore, "open", 4)]
)
async def test_what_fails_to_start_is_ended_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ended: list[type], kind: type, name: str, left_out: int
) -> None:
    async def fail(part: Any) -> None:
        raise OSError("It does not start.")

    config = config_in(tmp_path)
    ended.clear()
    monkeypatch.setattr(kind, name, fail)
    with pytest.raises(OSError, match="It does not start"):
        async with running_engine(config, adopts=True):
            pytest.fail("It runs.")

    assert ended == [kind for kind, _ in _ENDINGS[left_out:]]


async def test_only_a_server_fires_schedules_and_asks_for_titles(tmp_path: Path) -> None:
    async with running_engine(config_in(tmp_path, _DOOR + _WEBHOOK), adopts=False) as running:
        assert _jobs(running).isdisjoint({"titles", "scheduler"})
        assert (running.doors, running.webhooks) == (None, None)
    async with running_engine(config_in(tmp_path), adopts=True) as running:
        assert _jobs(running) > {"titles", "scheduler"}
        assert (running.doors, running.webhooks) == (None, None)
    async with running_engine(config_in(tmp_path, TITLES="words"), adopts=True) as running:
        assert _jobs(running) & {"titles", "scheduler"} == {"scheduler"}


async def test_a_server_opens_its_doors_and_sends_what_is_to_be_posted(tmp_path: Path) -> None:
    async with running_engine(config_in(tmp_path, _DOOR + _WEBHOOK), adopts=True) as running:
        assert running.doors is not None
        assert running.webhooks is not None
        assert running.files.on_post == running.doors.wake
        assert running.doors.postmen.keys() == running.doors.statuses().keys() == {"telegram"}


def _jobs(running: Running) -> set[str]:
    return {name for name, _ in running.engine.supervisor.counts()}


async def test_the_folders_are_made_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    for _ in range(2):
        async with running_engine(config_in(home), adopts=False):
            assert (home / "workspace").is_dir()


async def test_a_workspace_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "workspace").touch()

    with pytest.raises(ConfigError, match=r"workspace cannot be made \(File exists\): set WAKEFUL_WORKSPACE"):
        async with running_engine(config_in(tmp_path), adopts=False):
            pass


async def test_what_is_marked_as_consumed_is_no_news_of_the_engine_while_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    consumed: asyncio.Queue[str] = asyncio.Queue()

    def consume(tasks: TaskRunner, task_id: str) -> Coroutine[Any, Any, None]:
        asked.append(task_id)
        return consumed.put(task_id)

    monkeypatch.setattr(TaskRunner, "consume", consume)
    async with running_engine(config_in(tmp_path), adopts=False):
        await asyncio.to_thread(process_registry.mark_completion_consumed, "proc_1")
        async with asyncio.timeout(PATIENCE):
            assert await consumed.get() == "proc_1"

    process_registry.mark_completion_consumed("proc_2")
    assert asked == ["proc_1"]


@pytest.mark.parametrize(
    ("kind", "data", "delivered"),
    [
        (NOTICE, {"kind": "process", "task_id": "proc_3"}, {"proc_3"}),
        (NOTICE, {"kind": "delegation", "task_id": "proc_4"}, set()),
        (TOOL_COMPLETE, {"consumed": ["proc_5", "proc_6"]}, {"proc_5", "proc_6"}),
        (TOOL_COMPLETE, {"task_id": "proc_7", "kind": "process"}, set()),
        ("other", {"kind": "process", "task_id": "proc_8", "consumed": ["proc_9"]}, set()),
    ],
)
async def test_what_an_agent_was_told_is_delivered_by_nobody_else(
    tmp_path: Path, kind: str, data: dict[str, Any], delivered: set[str]
) -> None:
    async with running_engine(config_in(tmp_path), adopts=False) as running:
        session = await running.engine.create_session("operator", Address("web"), "demo:wakeful", str(tmp_path))
        event = NewEvent.of(kind, data)
        await running.store.write(lambda tx: tx.events.append(session.id, None, [event]), lock=[session.id])

    named = {f"proc_{number}" for number in range(3, 10)}
    assert {name for name in named if process_registry.is_completion_consumed(name)} == delivered


@pytest.fixture(autouse=True)
def forgetful_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_registry, "_consumed", {})
