"""Adapters: what each door can do, and how a turn is bound to the context by the door it came through."""

import asyncio
import inspect
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import Context
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.store.nouns import a_turn, have_session
from wakeful.context import current_cwd, session_environment
from wakeful.gateway.platforms.api_server import APIServerAdapter
from wakeful.gateway.platforms.base import BasePlatformAdapter
from wakeful.gateway.platforms.binder import AdapterBinder
from wakeful.gateway.platforms.chat import ChatAdapter, DiscordAdapter, HookAdapter, SlackAdapter, TelegramAdapter
from wakeful.gateway.platforms.cron import CronAdapter
from wakeful.gateway.platforms.local import AskAdapter, TerminalAdapter, WebAdapter
from wakeful.gateway.session_context import async_delivery_supported, get_session_env, set_session_vars
from wakeful.model.opening import Opening
from wakeful.model.session import Address, Sender
from wakeful.model.turn import Door, Turn
from wakeful.store.sqlite.store import SqliteStore

# Adapter, name, supports_async_delivery, can_ask.
TABLE: list[tuple[type[BasePlatformAdapter], str, bool, bool]] = [
    (WebAdapter, "web", True, True),
    (TerminalAdapter, "terminal", True, True),
    (AskAdapter, "ask", False, False),
    (APIServerAdapter, "api_server", False, False),
    (CronAdapter, "cron", True, True),
    (TelegramAdapter, "telegram", True, True),
    (DiscordAdapter, "discord", True, True),
    (SlackAdapter, "slack", True, True),
    (HookAdapter, "hook", True, True),
]
ADAPTERS = [adapter for adapter, *_ in TABLE]
PARTS = ("PLATFORM", "SOURCE", "CHAT_ID", "CHAT_NAME", "THREAD_ID", "USER_ID", "USER_NAME", "KEY", "ID", "MESSAGE_ID")
TURNS = 200


def test_the_table_names_every_adapter() -> None:
    # The binder's class for removed doors, and the base of the messaging doors, are no adapters of a door.
    kinds = [*BasePlatformAdapter.__subclasses__(), *ChatAdapter.__subclasses__()]
    public = [kind for kind in kinds if not kind.__name__.startswith("_") and kind is not ChatAdapter]

    assert {kind for kind in public if kind.__module__.startswith("wakeful.")} == set(ADAPTERS)


def test_an_adapter_delivers_later_unless_its_class_says_no() -> None:
    class Stateless(BasePlatformAdapter):
        name = "stateless"
        supports_async_delivery = False

    class Ordinary(BasePlatformAdapter):
        name = "ordinary"

    assert BasePlatformAdapter.supports_async_delivery is True
    assert Ordinary.door() == Door("ordinary", async_delivery=True)
    assert Stateless.door() == Door("stateless", async_delivery=False)


@pytest.mark.parametrize(("adapter", "name", "delivers", "can_ask"), TABLE)
def test_what_each_adapter_can_do_and_how_it_binds_its_turns(
    adapter: type[BasePlatformAdapter], name: str, delivers: bool, can_ask: bool
) -> None:
    assert adapter.door() == Door(name, async_delivery=delivers)
    assert adapter.supports_async_delivery is delivers
    assert _binder().can_ask(_turn_of(adapter)) is can_ask

    seen = _bound_by(adapter(), _turn_of(adapter))

    assert seen["async_delivery"] is delivers
    assert (seen["HERMES_SESSION_PLATFORM"], seen["cwd"]) == (name, "/workspace")
    assert seen["HERMES_SESSION_CHAT_ID"] == "chat"
    assert seen["HERMES_SESSION_ID"] == seen["HERMES_SESSION_KEY"] == "session"


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("promised", [True, False])
def test_a_turn_delivers_later_only_if_its_row_and_its_adapter_say_so(
    adapter: type[BasePlatformAdapter], promised: bool
) -> None:
    turn = replace(_turn_of(adapter), door=Door(adapter.name, async_delivery=promised))

    assert _bound_by(adapter(), turn)["async_delivery"] is (promised and adapter.supports_async_delivery)


def test_a_turn_is_bound_by_its_own_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CHAT_NAME", "USER_ID", "USER_NAME"):
        monkeypatch.setenv(f"HERMES_SESSION_{name}", "environment")

    assert _bound_by(WebAdapter(), _turn_of(WebAdapter)) == {
        "HERMES_SESSION_PLATFORM": "web",
        "HERMES_SESSION_SOURCE": "process_wakeup",
        "HERMES_SESSION_CHAT_ID": "chat",
        "HERMES_SESSION_CHAT_NAME": "",
        "HERMES_SESSION_THREAD_ID": "thread",
        "HERMES_SESSION_USER_ID": "",
        "HERMES_SESSION_USER_NAME": "",
        "HERMES_SESSION_KEY": "session",
        "HERMES_SESSION_ID": "session",
        "HERMES_SESSION_MESSAGE_ID": "message",
        "cwd": "/workspace",
        "async_delivery": True,
    }


def test_where_a_scheduled_turn_answers_is_bound_in_that_turn_alone() -> None:
    scheduled = replace(_turn_of(WebAdapter), source="cron", address=Address("slack", "C1", "17.5"))
    homeless = replace(scheduled, address=Address("cron"))
    names = [f"HERMES_CRON_AUTO_DELIVER_{part}" for part in ("PLATFORM", "CHAT_ID", "THREAD_ID")]

    def bound() -> list[list[str]]:
        seen = []
        with _binder().bind(scheduled):
            seen.append([get_session_env(name) for name in names])
            assert {name: session_environment().get(name) for name in names} == dict(zip(names, seen[0], strict=True))
            for turn in (_turn_of(WebAdapter), homeless):
                # As a turn that begins where another one has ended.
                with _binder().bind(turn):
                    seen.append([get_session_env(name) for name in names])
                    assert not session_environment().keys() & set(names)
        return seen

    assert Context().run(bound) == [["slack", "C1", "17.5"], ["", "", ""], ["", "", ""]]


def test_a_turn_of_a_chat_knows_who_wrote_what_where() -> None:
    sender = Sender("55", "9", "Ada", "Kitchen", "telegram:group:-1:7")
    turn = replace(_turn_of(TelegramAdapter), address=Address("telegram", "-1", "7", sender))

    seen = _bound_by(TelegramAdapter(), turn)

    names = ("CHAT_ID", "CHAT_NAME", "THREAD_ID", "USER_ID", "USER_NAME", "KEY", "ID", "MESSAGE_ID")
    assert [seen[f"HERMES_SESSION_{name}"] for name in names] == [
        "-1",
        "Kitchen",
        "7",
        "9",
        "Ada",
        "telegram:group:-1:7",
        "session",
        "55",
    ]


def test_the_api_has_no_parameter_to_claim_that_it_delivers_later() -> None:
    parameters = inspect.signature(APIServerAdapter._bind_api_server_session).parameters.values()

    assert [(parameter.name, parameter.default) for parameter in parameters] == [
        ("chat_id", ""),
        ("session_key", ""),
        ("session_id", ""),
    ]
    assert {parameter.kind for parameter in parameters} == {inspect.Parameter.KEYWORD_ONLY}


def test_a_binding_of_the_api_ends_what_the_context_had_before() -> None:
    def bind() -> dict[str, object]:
        set_session_vars(platform="web", thread_id="thread", user_id="user", async_delivery=True)
        tokens = APIServerAdapter._bind_api_server_session(chat_id="chat", session_key="key", session_id="id")
        assert isinstance(tokens, list)
        return _seen()

    seen = Context().run(bind)

    bound = {"PLATFORM": "api_server", "CHAT_ID": "chat", "KEY": "key", "ID": "id", "THREAD_ID": "", "USER_ID": ""}
    assert {name: seen[f"HERMES_SESSION_{name}"] for name in bound} == bound
    assert seen["async_delivery"] is False


def test_turns_of_the_api_are_bound_by_its_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[dict[str, str]] = []

    def bind(**values: str) -> list[Any]:
        given.append(values)
        return []

    monkeypatch.setattr(APIServerAdapter, "_bind_api_server_session", staticmethod(bind))

    seen = _bound_by(APIServerAdapter(), _turn_of(APIServerAdapter))

    assert given == [{"chat_id": "chat", "session_key": "session", "session_id": "session"}]
    assert seen["HERMES_SESSION_PLATFORM"] == ""
    assert seen["cwd"] == "/workspace"


async def test_a_binding_ends_with_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_SESSION_ID", "environment")

    with _binder().bind(_turn_of(APIServerAdapter)):
        assert (get_session_env("HERMES_SESSION_ID"), async_delivery_supported()) == ("session", False)

    assert _seen() == _nothing()


async def test_a_binding_ends_with_a_turn_that_fails() -> None:
    with pytest.raises(ValueError, match="the turn fails"), _binder().bind(_turn_of(AskAdapter)):
        raise ValueError("the turn fails")

    assert _seen() == _nothing()


async def test_a_binding_ends_with_a_turn_that_is_cancelled() -> None:
    bound = asyncio.Event()
    seen: list[dict[str, object]] = []

    async def run() -> None:
        try:
            with _binder().bind(_turn_of(APIServerAdapter)):
                bound.set()
                await asyncio.Event().wait()
        finally:
            seen.append(_seen())

    job = asyncio.create_task(run())
    await asyncio.wait_for(bound.wait(), 10)
    job.cancel()
    await asyncio.wait([job], timeout=10)

    assert seen == [_nothing()]


@pytest.mark.parametrize("first", [AskAdapter, APIServerAdapter])
@pytest.mark.parametrize("second", [WebAdapter, TerminalAdapter])
async def test_a_session_that_goes_on_through_a_delivering_door_is_not_blocked(
    first: type[BasePlatformAdapter], second: type[BasePlatformAdapter]
) -> None:
    binder = _binder()

    with binder.bind(_turn_of(first)):
        assert not async_delivery_supported()
    with binder.bind(_turn_of(second)):
        assert async_delivery_supported()
        assert get_session_env("HERMES_SESSION_ID") == "session"
    with binder.bind(_turn_of(first)):
        assert not async_delivery_supported()


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_a_resumed_turn_is_bound_by_what_its_row_says(adapter: type[BasePlatformAdapter], tmp_path: Path) -> None:
    turn = _turn_of(adapter)
    await _write(tmp_path, turn)

    resumed = await _read(tmp_path, turn.id)

    assert resumed == turn
    with _binder().bind(resumed):
        assert async_delivery_supported() is adapter.supports_async_delivery
        assert get_session_env("HERMES_SESSION_PLATFORM") == adapter.name


@pytest.mark.parametrize("promised", [True, False])
async def test_a_turn_of_a_removed_door_is_bound_by_its_row(promised: bool) -> None:
    binder = AdapterBinder([WebAdapter()])
    turn = replace(_turn_of(WebAdapter), door=Door("telegram", async_delivery=promised))

    with binder.bind(turn):
        seen = _seen()

    assert seen == _bound_by(WebAdapter(), _turn_of(WebAdapter)) | {
        "HERMES_SESSION_PLATFORM": "telegram",
        "async_delivery": promised,
    }
    assert not binder.can_ask(turn)


async def test_a_turn_of_the_api_never_delivers_later_even_where_the_api_is_switched_off() -> None:
    with AdapterBinder([]).bind(_turn_of(APIServerAdapter)):
        assert not async_delivery_supported()


async def test_a_child_turn_is_bound_apart_from_its_parent() -> None:
    binder = _binder()

    async def run_child() -> dict[str, object]:
        with binder.bind(replace(_turn_of(AskAdapter), session_id="child")):
            await asyncio.sleep(0)
            return _seen()

    with binder.bind(_turn_of(WebAdapter)):
        child = await asyncio.create_task(run_child())
        parent = _seen()

    assert (child["HERMES_SESSION_ID"], child["async_delivery"]) == ("child", False)
    assert (parent["HERMES_SESSION_ID"], parent["async_delivery"]) == ("session", True)


async def test_200_turns_of_all_doors_side_by_side_are_bound_each_by_its_own() -> None:
    binder = _binder()
    together = asyncio.Barrier(TURNS)

    async def run(number: int) -> None:
        adapter = ADAPTERS[number % len(ADAPTERS)]
        turn = replace(_turn_of(adapter), session_id=f"session {number}", workspace=f"/turn/{number}")
        expected = (adapter.name, turn.session_id, turn.workspace, adapter.supports_async_delivery)
        with binder.bind(turn):
            for _ in range(3):
                await together.wait()
                assert _identity() == await asyncio.to_thread(_identity) == expected
        # Turns that have ended must not affect those that still run.
        assert _seen() == _nothing()

    await asyncio.gather(*(run(number) for number in range(TURNS)))


def _binder() -> AdapterBinder:
    return AdapterBinder([adapter() for adapter in ADAPTERS])


def _turn_of(adapter: type[BasePlatformAdapter]) -> Turn:
    return a_turn(
        "turn",
        "session",
        door=adapter.door(),
        address=Address(adapter.name, "chat", "thread"),
        source="process_wakeup",
        workspace="/workspace",
        message_id="message",
    )


def _bound_by(adapter: BasePlatformAdapter, turn: Turn) -> dict[str, object]:
    """Return what is read in a separate context that the adapter has bound to the turn."""

    def bind() -> dict[str, object]:
        assert isinstance(adapter.bind_turn(turn), list)
        return _seen()

    return Context().run(bind)


def _seen() -> dict[str, object]:
    texts = {name: get_session_env(name) for name in (f"HERMES_SESSION_{part}" for part in PARTS)}
    return {**texts, "cwd": current_cwd(), "async_delivery": async_delivery_supported()}


def _nothing() -> dict[str, object]:
    return {**dict.fromkeys(_seen(), ""), "cwd": str(Path.cwd()), "async_delivery": True}


def _identity() -> tuple[str, str, str, bool]:
    platform = get_session_env("HERMES_SESSION_PLATFORM")
    return platform, get_session_env("HERMES_SESSION_ID"), current_cwd(), async_delivery_supported()


async def _write(folder: Path, turn: Turn) -> None:
    async with _opened_store(folder) as store:
        await have_session(store, turn.session_id)
        await store.write(lambda tx: tx.open(Opening(turn)), lock=[turn.session_id])


async def _read(folder: Path, turn_id: str) -> Turn | None:
    async with _opened_store(folder) as store:
        return await store.read(lambda tx: tx.turns.get(turn_id))


@asynccontextmanager
async def _opened_store(folder: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(folder / "wakeful.db", time.time, synchronous="OFF")
    await store.open()
    try:
        yield store
    finally:
        await store.close()
