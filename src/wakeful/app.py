"""Runs the program: starts the parts that `building` makes, and ends them in the opposite order."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace

from wakeful.building.engine import Running, build_engine, build_store, build_title_asker
from wakeful.building.loading import load
from wakeful.building.models import build_providers
from wakeful.config.config import Config
from wakeful.config.home import make_home
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.upkeep.titles import Titles
from wakeful.errors import ConfigError
from wakeful.model.event import NOTICE, TOOL_COMPLETE
from wakeful.model.tasks.task import TaskKind
from wakeful.store.base import Signal
from wakeful.tools.process_registry import process_registry

# Loaded only where a messenger has a token: their markup takes as long to load as half of the server.
_OPEN_DOORS = "wakeful.building.doors:open_doors"
# Loaded only where webhooks are configured.
_OPEN_WEBHOOKS = "wakeful.gateway.webhooks.door:open_webhooks"


@asynccontextmanager
async def running_engine(config: Config, *, adopts: bool) -> AsyncIterator[Running]:
    """Run an engine while the block runs. It always stops, and then its store closes, also after an error."""
    _make_folders(config)
    async with AsyncExitStack() as ending:
        providers = build_providers(config)
        ending.push_async_callback(providers.close)
        store = build_store(config)
        ending.push_async_callback(store.close)
        await store.open()
        running = build_engine(config, store, providers, adopts=adopts)
        ending.push_async_callback(running.catalogue.close)
        ending.push_async_callback(running.keeper.close)
        ending.push_async_callback(running.mcp.close)
        await running.mcp.open()
        # Pushed before the start, which may fail after it has taken over turns.
        ending.push_async_callback(running.engine.stop)
        await running.engine.start()
        ending.enter_context(_registry_serving(running.engine))
        store.notifier.listen(_note_delivered)
        yield await _serve(config, running, ending) if adopts else running


async def _serve(config: Config, running: Running, ending: AsyncExitStack) -> Running:
    """Start what only servers do: webhooks, titles, schedules, messengers. Return what their routes need of it."""
    engine, store = running.engine, running.store
    if config.webhooks:
        allows_private = config.webhooks_allow_private
        opening = load(_OPEN_WEBHOOKS)(engine, store, config.webhooks, allows_private=allows_private)
        running = replace(running, webhooks=await ending.enter_async_context(opening))
    if config.titles == "model":
        titles = Titles(store, build_title_asker(config, running), SystemClock())
        await ending.enter_async_context(engine.supervisor.at_work(titles.job))
    await ending.enter_async_context(engine.supervisor.at_work(running.schedules.job))
    if config.messaging.doors:
        doors = await ending.enter_async_context(load(_OPEN_DOORS)(config, running))
        running.files.on_post = doors.wake
        running = replace(running, doors=doors)
    return running


@contextmanager
def _registry_serving(engine: Engine) -> Iterator[None]:
    """While the block runs, what is marked as consumed in `process_registry` leaves this engine's inbox."""
    loop = asyncio.get_running_loop()

    def consume(task_id: str) -> None:
        asyncio.run_coroutine_threadsafe(engine.tasks.consume(task_id), loop)

    process_registry.serve_engine(consume)
    try:
        yield
    finally:
        process_registry.serve_engine(None)


def _note_delivered(signal: Signal) -> None:
    """Mark what this engine has delivered to an agent as consumed in `process_registry`."""
    for event in signal.events:
        if event.kind == NOTICE and event.data.get("kind") == TaskKind.PROCESS:
            process_registry.note_delivered(event.data["task_id"])
        elif event.kind == TOOL_COMPLETE and b'"consumed"' in event.kept:
            for task_id in event.data.get("consumed", ()):
                process_registry.note_delivered(task_id)


def _make_folders(config: Config) -> None:
    make_home(config.home)
    try:
        config.workspace.mkdir(exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"The workspace {config.workspace} cannot be made ({error.strerror}): "
            "set WAKEFUL_WORKSPACE to an existing folder."
        ) from error
