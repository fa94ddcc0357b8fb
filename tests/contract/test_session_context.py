"""The session context: what is read under which name, and which tasks and threads see it."""

import asyncio
import inspect
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, Token, copy_context
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import pytest

from wakeful import context
from wakeful.agent import runtime_cwd
from wakeful.agent.runtime_cwd import clear_session_cwd, set_session_cwd
from wakeful.context import current_cwd, session_environment
from wakeful.gateway import session_context
from wakeful.gateway.session_context import (
    async_delivery_supported,
    clear_session_vars,
    declare_stateless_channel,
    get_session_env,
    set_cron_auto_delivery,
    set_current_session_id,
    set_session_vars,
)

P = ParamSpec("P")

# Each text parameter of set_session_vars, and the name under which it is read.
SESSION_NAMES = {
    "platform": "HERMES_SESSION_PLATFORM",
    "source": "HERMES_SESSION_SOURCE",
    "chat_id": "HERMES_SESSION_CHAT_ID",
    "chat_name": "HERMES_SESSION_CHAT_NAME",
    "thread_id": "HERMES_SESSION_THREAD_ID",
    "user_id": "HERMES_SESSION_USER_ID",
    "user_name": "HERMES_SESSION_USER_NAME",
    "session_key": "HERMES_SESSION_KEY",
    "session_id": "HERMES_SESSION_ID",
    "message_id": "HERMES_SESSION_MESSAGE_ID",
}
CRON_NAMES = {
    "platform": "HERMES_CRON_AUTO_DELIVER_PLATFORM",
    "chat_id": "HERMES_CRON_AUTO_DELIVER_CHAT_ID",
    "thread_id": "HERMES_CRON_AUTO_DELIVER_THREAD_ID",
}
NAMES = [*SESSION_NAMES.values(), *CRON_NAMES.values()]
TURNS = 200


def in_new_context(test: Callable[P, None]) -> Callable[P, None]:
    """Run the test in a context where nothing was ever set, and leave none behind."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        Context().run(test, *args, **kwargs)

    return run


def test_the_contract_names_are_those_of_the_one_context() -> None:
    assert all(getattr(session_context, name) is getattr(context, name) for name in session_context.__all__)
    assert all(getattr(runtime_cwd, name) is getattr(context, name) for name in runtime_cwd.__all__)


def test_set_session_vars_takes_its_parameters_in_this_order_with_these_defaults() -> None:
    parameters = inspect.signature(set_session_vars).parameters.values()

    defaults = [*((name, "") for name in SESSION_NAMES), ("cwd", ""), ("async_delivery", True)]
    assert [(parameter.name, parameter.default) for parameter in parameters] == defaults
    assert {parameter.kind for parameter in parameters} == {inspect.Parameter.POSITIONAL_OR_KEYWORD}


@in_new_context
def test_every_value_is_read_under_its_own_name() -> None:
    tokens = set_session_vars(**{parameter: f"the {parameter}" for parameter in SESSION_NAMES})  # type: ignore[arg-type]

    assert isinstance(tokens, list)
    assert {name: get_session_env(name) for name in SESSION_NAMES.values()} == {
        name: f"the {parameter}" for parameter, name in SESSION_NAMES.items()
    }


@in_new_context
def test_where_a_scheduled_answer_goes_is_read_under_its_own_names() -> None:
    tokens = set_cron_auto_delivery(platform="slack", chat_id="C1", thread_id="17.5")

    assert isinstance(tokens, list)
    assert [get_session_env(name) for name in CRON_NAMES.values()] == ["slack", "C1", "17.5"]
    assert get_session_env("HERMES_SESSION_PLATFORM") == ""


@pytest.mark.parametrize("name", NAMES)
@in_new_context
def test_what_was_never_set_comes_from_the_environment_then_the_default(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(name, raising=False)
    assert get_session_env(name) == ""
    assert get_session_env(name, "default") == "default"

    monkeypatch.setenv(name, "environment")
    assert get_session_env(name, "default") == "environment"


@pytest.mark.parametrize("name", NAMES)
@in_new_context
def test_what_was_set_to_nothing_is_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "environment")

    set_session_vars()
    set_cron_auto_delivery()

    assert get_session_env(name, "default") == ""


@in_new_context
def test_clearing_the_session_leaves_alone_where_a_scheduled_answer_goes() -> None:
    set_cron_auto_delivery("slack", "C1", "17.5")
    clear_session_vars(set_session_vars(platform="telegram"))

    assert [get_session_env(name) for name in CRON_NAMES.values()] == ["slack", "C1", "17.5"]
    assert get_session_env("HERMES_SESSION_PLATFORM") == ""


@pytest.mark.parametrize("given", [1, 0, None, "yes"])
@in_new_context
def test_whether_something_can_be_delivered_later_is_a_bool(given: Any) -> None:
    set_session_vars(async_delivery=given)

    assert async_delivery_supported() is bool(given)


@in_new_context
def test_a_command_gets_what_the_context_is_bound_to_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_SESSION_USER_NAME", "of the server")
    assert session_environment() == {}

    set_session_vars(platform="web", session_id="ses_1", session_key="ses_1", user_name="a\0b")

    empty = dict.fromkeys(SESSION_NAMES.values(), "")
    del empty["HERMES_SESSION_USER_NAME"]
    bound = {"HERMES_SESSION_PLATFORM": "web", "HERMES_SESSION_ID": "ses_1", "HERMES_SESSION_KEY": "ses_1"}
    assert session_environment() == empty | bound


@pytest.mark.parametrize("name", SESSION_NAMES.values())
@in_new_context
def test_what_was_cleared_is_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "environment")
    tokens = set_session_vars(**dict.fromkeys(SESSION_NAMES, "value"))  # type: ignore[arg-type]
    assert get_session_env(name) not in ("", "environment")

    clear_session_vars(tokens)

    assert get_session_env(name, "default") == ""


@in_new_context
def test_the_environment_does_not_replace_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_SESSION_CHAT_ID", "environment")

    set_session_vars(chat_id="chat")

    assert get_session_env("HERMES_SESSION_CHAT_ID") == "chat"


@in_new_context
def test_a_second_binding_keeps_nothing_of_the_first() -> None:
    set_session_vars(platform="web", thread_id="thread", cwd="/first", async_delivery=False)

    set_session_vars(platform="slack")

    assert get_session_env("HERMES_SESSION_PLATFORM") == "slack"
    assert get_session_env("HERMES_SESSION_THREAD_ID") == ""
    assert current_cwd() == os.getcwd()
    assert async_delivery_supported()


@in_new_context
def test_another_name_comes_from_the_environment_then_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    clear_session_vars(set_session_vars(platform="web"))
    monkeypatch.delenv("HERMES_SOMETHING_ELSE", raising=False)
    assert get_session_env("HERMES_SOMETHING_ELSE", "default") == "default"

    monkeypatch.setenv("HERMES_SOMETHING_ELSE", "environment")
    assert get_session_env("HERMES_SOMETHING_ELSE", "default") == "environment"


@in_new_context
def test_async_delivery_is_supported_unless_the_binding_says_no() -> None:
    assert async_delivery_supported() is True

    tokens = set_session_vars(platform="api_server", async_delivery=False)
    assert async_delivery_supported() is False

    clear_session_vars(tokens)
    assert async_delivery_supported() is True


@in_new_context
def test_a_one_shot_run_declares_itself_stateless_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_SESSION_PLATFORM", "environment")

    declare_stateless_channel()

    assert async_delivery_supported() is False
    assert get_session_env("HERMES_SESSION_PLATFORM") == "environment"


@in_new_context
def test_what_a_one_shot_run_starts_is_stateless_and_what_runs_beside_it_is_not() -> None:
    declare_stateless_channel()

    assert asyncio.run(_in_a_thread(async_delivery_supported)) is False
    assert _in_a_plain_thread(async_delivery_supported) is True


@in_new_context
def test_a_stateless_declaration_ends_when_the_context_is_cleared() -> None:
    declare_stateless_channel()

    clear_session_vars([])

    assert async_delivery_supported() is True


@in_new_context
def test_the_current_session_moves_in_the_variable_and_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_SESSION_ID", "environment")
    set_session_vars(session_id="before", session_key="key")

    set_current_session_id("after")

    assert get_session_env("HERMES_SESSION_ID") == os.environ["HERMES_SESSION_ID"] == "after"
    assert get_session_env("HERMES_SESSION_KEY") == "key"


@in_new_context
def test_a_binding_does_not_touch_the_environment() -> None:
    before = dict(os.environ)

    clear_session_vars(set_session_vars(platform="web", session_id="session", cwd="/somewhere"))

    assert dict(os.environ) == before


@in_new_context
def test_the_working_directory_is_one_variable_under_both_names(tmp_path: Path) -> None:
    set_session_vars(cwd="/bound")
    assert current_cwd() == "/bound"

    set_session_cwd(str(tmp_path))
    assert current_cwd() == str(tmp_path)

    set_session_vars(cwd="/bound again")
    assert current_cwd() == "/bound again"


@in_new_context
def test_without_a_working_directory_it_is_that_of_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert current_cwd() == str(tmp_path)

    set_session_cwd("")
    assert current_cwd() == str(tmp_path)


@in_new_context
def test_clearing_the_working_directory_leaves_the_rest() -> None:
    set_session_vars(platform="web", cwd="/bound", async_delivery=False)

    clear_session_cwd()

    assert current_cwd() == os.getcwd()
    assert get_session_env("HERMES_SESSION_PLATFORM") == "web"
    assert async_delivery_supported() is False


@in_new_context
def test_clearing_the_session_clears_the_working_directory() -> None:
    clear_session_vars(set_session_vars(cwd="/bound"))

    assert current_cwd() == os.getcwd()


async def test_tokens_of_another_job_clear_the_context_they_are_used_in() -> None:
    async def bind() -> list[Token[Any]]:
        return set_session_vars(chat_id="theirs")

    set_session_vars(chat_id="ours", async_delivery=False)

    clear_session_vars(await asyncio.create_task(bind()))

    assert get_session_env("HERMES_SESSION_CHAT_ID") == ""
    assert async_delivery_supported() is True


async def test_tokens_of_another_thread_clear_the_context_they_are_used_in() -> None:
    tokens = await asyncio.to_thread(set_session_vars, chat_id="theirs")
    set_session_vars(chat_id="ours", async_delivery=False)

    clear_session_vars(tokens)

    assert get_session_env("HERMES_SESSION_CHAT_ID") == ""
    assert async_delivery_supported() is True


@in_new_context
def test_clearing_twice_or_without_tokens_does_no_harm() -> None:
    tokens = set_session_vars(chat_id="chat")

    clear_session_vars(tokens)
    clear_session_vars(tokens)
    clear_session_vars([])

    assert get_session_env("HERMES_SESSION_CHAT_ID") == ""


async def test_clearing_in_one_job_leaves_the_others_bound() -> None:
    async def bind_and_clear() -> str:
        clear_session_vars(set_session_vars(chat_id="theirs"))
        return get_session_env("HERMES_SESSION_CHAT_ID")

    set_session_vars(chat_id="ours")

    assert await asyncio.create_task(bind_and_clear()) == ""
    assert get_session_env("HERMES_SESSION_CHAT_ID") == "ours"


async def test_200_turns_side_by_side_see_only_their_own_values() -> None:
    together = asyncio.Barrier(TURNS)

    async def turn(number: int) -> None:
        tokens = _bind(number)
        for _ in range(5):
            # All turns have bound, and read, before any of them goes on.
            await together.wait()
            assert _seen() == _bound(number)
        await together.wait()
        if number % 2:
            clear_session_vars(tokens)
        await together.wait()
        scheduled = {name: f"{parameter} {number}" for parameter, name in CRON_NAMES.items()}
        assert _seen() == (_cleared() | scheduled if number % 2 else _bound(number))

    await asyncio.gather(*(turn(number) for number in range(TURNS)))


async def test_200_turns_see_their_own_values_in_the_threads_that_they_start() -> None:
    together = asyncio.Barrier(TURNS)

    async def turn(number: int) -> None:
        _bind(number)
        await together.wait()
        for _ in range(3):
            # There are few threads, each of which serves many turns.
            assert await asyncio.to_thread(_seen) == _bound(number)
        await together.wait()
        assert _seen() == _bound(number)

    await asyncio.gather(*(turn(number) for number in range(TURNS)))


async def test_a_binding_made_in_a_turns_thread_stays_in_that_thread() -> None:
    together = asyncio.Barrier(TURNS)

    async def turn(number: int) -> None:
        _bind(number)
        await together.wait()
        await asyncio.to_thread(_bind, number + TURNS)
        assert await asyncio.to_thread(_seen) == _seen() == _bound(number)

    await asyncio.gather(*(turn(number) for number in range(TURNS)))


def test_200_threads_with_a_copied_context_see_only_their_own_values() -> None:
    together = threading.Barrier(TURNS, timeout=60)
    seen: dict[int, dict[str, object]] = {}

    def read(number: int) -> None:
        together.wait()
        seen[number] = _seen()

    def started_for(number: int) -> threading.Thread:
        _bind(number)
        return threading.Thread(target=copy_context().run, args=(read, number))

    _run_all([Context().run(started_for, number) for number in range(TURNS)])

    assert seen == {number: _bound(number) for number in range(TURNS)}


def test_200_threads_that_bind_for_themselves_see_only_their_own_values() -> None:
    together = threading.Barrier(TURNS, timeout=60)
    seen: dict[int, dict[str, object]] = {}

    def turn(number: int) -> None:
        _bind(number)
        together.wait()
        seen[number] = _seen()

    _run_all([threading.Thread(target=turn, args=(number,)) for number in range(TURNS)])

    assert seen == {number: _bound(number) for number in range(TURNS)}


async def test_plain_threads_see_nothing_of_200_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    together = asyncio.Barrier(TURNS)

    async def turn(number: int, pool: ThreadPoolExecutor) -> None:
        _bind(number)
        await together.wait()
        assert await asyncio.wrap_future(pool.submit(_seen)) == _cleared()
        assert await asyncio.wrap_future(pool.submit(copy_context().run, _seen)) == _bound(number)

    with ThreadPoolExecutor(8) as pool:
        await asyncio.gather(*(turn(number, pool) for number in range(TURNS)))


def _bind(number: int) -> list[Token[Any]]:
    values = {parameter: f"{parameter} {number}" for parameter in SESSION_NAMES}
    tokens = set_session_vars(**values, cwd=f"/turn/{number}", async_delivery=number % 3 == 0)
    return tokens + set_cron_auto_delivery(*(f"{parameter} {number}" for parameter in CRON_NAMES))


def _bound(number: int) -> dict[str, object]:
    """Return what is read where _bind was called with this number."""
    texts = {
        name: f"{parameter} {number}" for names in (SESSION_NAMES, CRON_NAMES) for parameter, name in names.items()
    }
    return {**texts, "cwd": f"/turn/{number}", "async_delivery": number % 3 == 0}


def _cleared() -> dict[str, object]:
    """Return what is read where nothing is bound and the environment has no values."""
    return {**dict.fromkeys(NAMES, ""), "cwd": os.getcwd(), "async_delivery": True}


def _seen() -> dict[str, object]:
    texts = {name: get_session_env(name) for name in NAMES}
    return {**texts, "cwd": current_cwd(), "async_delivery": async_delivery_supported()}


async def _in_a_thread(read: Callable[[], bool]) -> bool:
    return await asyncio.to_thread(read)


def _in_a_plain_thread(read: Callable[[], bool]) -> bool:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(read).result()


def _run_all(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
