"""Turns are bound to the context by the door that they came through, and to nothing afterwards."""

from contextvars import copy_context
from typing import Any

import pytest

from tests.store.nouns import a_turn
from wakeful.context import current_cwd
from wakeful.gateway.platforms.api_server import APIServerAdapter
from wakeful.gateway.platforms.binder import AdapterBinder
from wakeful.gateway.platforms.chat import TelegramAdapter
from wakeful.gateway.platforms.local import AskAdapter, WebAdapter
from wakeful.gateway.session_context import async_delivery_supported, get_session_env, set_cron_auto_delivery
from wakeful.model.session import Address, Sender
from wakeful.model.turn import Door, Turn

CHAT = Address("telegram", "7", "5", Sender("55", "9", "Ada", "Kitchen", "telegram:group:7"))
NAMES = ("SESSION_PLATFORM", "SESSION_ID", "SESSION_KEY", "SESSION_CHAT_ID", "SESSION_THREAD_ID")
CRON_NAMES = ("CRON_AUTO_DELIVER_PLATFORM", "CRON_AUTO_DELIVER_CHAT_ID", "CRON_AUTO_DELIVER_THREAD_ID")


def a_binder() -> AdapterBinder:
    return AdapterBinder([WebAdapter(), AskAdapter(), APIServerAdapter(), TelegramAdapter()])


def turn_of(door: str, address: Address = CHAT, *, delivers: bool = True, **changes: Any) -> Turn:
    changes = {"workspace": "/work"} | changes
    return a_turn("t1", "s1", door=Door(door, async_delivery=delivers), address=address, **changes)


def bound(turn: Turn, names: tuple[str, ...] = NAMES) -> tuple[list[str], list[str]]:
    """Return what the context says while the turn runs, and afterwards."""

    def run() -> tuple[list[str], list[str]]:
        set_cron_auto_delivery("slack", "left", "over")
        with a_binder().bind(turn):
            inside = [get_session_env(f"HERMES_{name}") for name in names]
        return inside, [get_session_env(f"HERMES_{name}") for name in names]

    return copy_context().run(run)


@pytest.mark.parametrize(
    ("door", "values"),
    [
        ("telegram", ["telegram", "s1", "telegram:group:7", "7", "5"]),
        ("web", ["web", "s1", "s1", "7", "5"]),
        ("api_server", ["api_server", "s1", "s1", "7", ""]),
        ("removed", ["removed", "s1", "s1", "7", "5"]),
    ],
)
def test_a_turn_is_bound_by_its_door_while_it_runs(door: str, values: list[str]) -> None:
    assert bound(turn_of(door)) == (values, [""] * 5)


def test_a_chat_without_a_key_of_its_own_is_its_session() -> None:
    inside, _ = bound(turn_of("telegram", Address("telegram", "7")))

    assert inside[2] == "s1"


@pytest.mark.parametrize(
    ("source", "platform", "target"),
    [("cron", "telegram", ["telegram", "7", "5"]), ("cron", "cron", [""] * 3), ("user", "telegram", [""] * 3)],
)
def test_a_scheduled_turn_has_the_target_of_its_answer_and_no_other_turn_one_that_was_left(
    source: str, platform: str, target: list[str]
) -> None:
    turn = turn_of("telegram", Address(platform, "7", "5"), source=source)

    assert bound(turn, CRON_NAMES) == (target, [""] * 3)


@pytest.mark.parametrize(
    ("door", "can_ask"), [("web", True), ("telegram", True), ("ask", False), ("api_server", False), ("removed", False)]
)
def test_whether_a_person_can_be_asked(door: str, can_ask: bool) -> None:
    assert a_binder().can_ask(turn_of(door)) is can_ask


@pytest.mark.parametrize(
    ("door", "row_says", "delivers"),
    [
        ("web", True, True),
        ("web", False, False),
        ("telegram", True, True),
        ("telegram", False, False),
        ("ask", True, False),
        ("api_server", True, False),
        ("removed", True, True),
        ("removed", False, False),
    ],
)
def test_later_delivery_needs_the_door_and_the_row_of_the_turn(door: str, row_says: bool, delivers: bool) -> None:
    def run() -> tuple[bool, str]:
        with a_binder().bind(turn_of(door, delivers=row_says)):
            return async_delivery_supported(), current_cwd()

    assert copy_context().run(run) == (delivers, "/work")


def test_the_context_is_cleared_though_the_turn_breaks() -> None:
    def run() -> str:
        with pytest.raises(RuntimeError), a_binder().bind(turn_of("web")):
            raise RuntimeError
        return get_session_env("HERMES_SESSION_ID")

    assert copy_context().run(run) == ""
