"""The composition root: a build_… function for each part, and the only file that names concrete classes."""

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.routing import Route
from starlette.types import ASGIApp

from wakeful.agent.loop import Loop
from wakeful.agent.models.catalogue import Catalogue, settings_marks
from wakeful.agent.models.entry import ModelEntry
from wakeful.agent.models.fact_book import FactBook, FactSource
from wakeful.agent.models.facts import ModelFacts
from wakeful.agent.models.learnt_windows import WindowFile
from wakeful.agent.models.model_list import model_sources
from wakeful.agent.models.window import result_limits
from wakeful.agent.providers.registry import ProviderRegistry
from wakeful.agent.title_maker import TitleMaker
from wakeful.config.config import Config
from wakeful.config.home import make_home
from wakeful.config.machine_zone import machine_zone
from wakeful.config.values import OPERATOR
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.ledger import Ledger
from wakeful.engine.ports import Equipment
from wakeful.engine.schedules.desk import ScheduleDesk
from wakeful.engine.schedules.settings import ScheduleSettings
from wakeful.engine.spend_guard import SpendGuard
from wakeful.engine.upkeep.titles import AskForTitle, Titles
from wakeful.errors import ConfigError
from wakeful.gateway.document.routes import DocumentRoutes
from wakeful.gateway.entrance.auth import Keyring
from wakeful.gateway.entrance.limits import RequestLimits
from wakeful.gateway.entrance.local_key import local_key
from wakeful.gateway.entrance.logins.desk import LoginDesk, LoginLinks
from wakeful.gateway.entrance.logins.list_routes import LoginListRoutes
from wakeful.gateway.entrance.logins.password import Password
from wakeful.gateway.entrance.logins.routes import LoginRoutes
from wakeful.gateway.entrance.logins.seal import end_outdated_logins, seals_of
from wakeful.gateway.entrance.own_address import OwnAddress
from wakeful.gateway.hooks.intake import HookIntake
from wakeful.gateway.hooks.routes import HookRoutes
from wakeful.gateway.http import http_app
from wakeful.gateway.messaging.doors import Doors
from wakeful.gateway.messaging.files import ChatFiles
from wakeful.gateway.messaging.inbound.ingress import NewSessions
from wakeful.gateway.messaging.inbound.people import People
from wakeful.gateway.monitoring.health import Health
from wakeful.gateway.monitoring.metrics import CountRequests, Metrics, metrics_route
from wakeful.gateway.openai.api import Api
from wakeful.gateway.openai.routes import api_routes
from wakeful.gateway.platforms.api_server import APIServerAdapter
from wakeful.gateway.platforms.ask import AskAdapter
from wakeful.gateway.platforms.base import BasePlatformAdapter
from wakeful.gateway.platforms.binder import AdapterBinder
from wakeful.gateway.platforms.chat import CHAT_ADAPTERS
from wakeful.gateway.platforms.cron import CronAdapter
from wakeful.gateway.platforms.hook import HookAdapter
from wakeful.gateway.platforms.terminal import TerminalAdapter
from wakeful.gateway.platforms.web import WebAdapter
from wakeful.gateway.webhooks.queue import StoredQueue
from wakeful.gateway.webhooks.sender import WebhookSender
from wakeful.model.event import NOTICE, TOOL_COMPLETE
from wakeful.model.request import request_as_far_as_known
from wakeful.model.tasks.task import TaskKind
from wakeful.model.turn import Turn
from wakeful.store.base import Signal, Store
from wakeful.store.sqlite.store import SqliteStore
from wakeful.tools.base import Tool
from wakeful.tools.commands.gate.gate import Gate
from wakeful.tools.cronjob_tool import CronjobTool
from wakeful.tools.delegate_tool import DelegateTool
from wakeful.tools.files.file_tools import ListFiles, ReadFile, WriteFile
from wakeful.tools.files.kept_results import KeptResults
from wakeful.tools.ports import TaskLedger
from wakeful.tools.process_registry import process_registry
from wakeful.tools.process_tool import ProcessTool
from wakeful.tools.processes.environment import secrets_in
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.kernel.descent import Descent
from wakeful.tools.processes.kernel.host import this_host
from wakeful.tools.processes.ledgers.both import BothLedgers
from wakeful.tools.processes.ledgers.unstored import UnstoredLedger
from wakeful.tools.processes.ledgers.unstored_processes import UnstoredProcesses
from wakeful.tools.processes.output.secrets import Redactor
from wakeful.tools.processes.settings import MIB, ProcessSettings
from wakeful.tools.send_file_tool import SendFileTool
from wakeful.tools.task_desk import TaskDesk
from wakeful.tools.terminal_tool import TerminalTool
from wakeful.web.facts.me import MeRoutes, ServerFacts
from wakeful.web.facts.models import ModelChoice, ModelChoiceRoutes
from wakeful.web.facts.usage import UsageRoutes
from wakeful.web.messaging.routes import messaging_routes
from wakeful.web.pages import PageRoutes
from wakeful.web.routes import web_routes
from wakeful.web.schedules.routes import CronRoutes
from wakeful.web.web import Web
from wakeful.wire.openapi import Family
from wakeful.wire.sse import StreamSettings

_VERSION = version("wakeful")

# Loaded only where PostgreSQL is used: its driver takes a tenth of a second and 17 MB.
_POSTGRES_STORE = "wakeful.store.postgres.store:PostgresStore"
# Loaded only where a messenger has a token: their markup takes as long to load as half of the server.
_OPEN_DOORS = "wakeful.platform_doors:open_doors"
# Loaded when the document is first requested: 25 small files that most commands do not need.
_FAMILIES = (
    "wakeful.gateway.openai.families:FAMILIES",
    "wakeful.web.families:FAMILIES",
    "wakeful.gateway.monitoring.document:SERVER_FAMILIES",
)

# The adapters of all doors. A turn's row names its door, and the node that runs the turn binds it by that adapter.
ADAPTERS: Sequence[BasePlatformAdapter] = (
    WebAdapter(),
    TerminalAdapter(),
    AskAdapter(),
    APIServerAdapter(),
    HookAdapter(),
    CronAdapter(),
)
# The doors that a client of the web routes may name as its own.
_WEB_DOORS = {door.name: door for door in (WebAdapter.door(), TerminalAdapter.door(), AskAdapter.door())}


@dataclass(frozen=True, slots=True)
class Running:
    """A running engine, and the parts that its doors need."""

    engine: Engine
    store: Store
    keeper: ProcessKeeper
    providers: ProviderRegistry
    catalogue: Catalogue
    facts: FactBook
    webhooks: StoredQueue
    metrics: Metrics
    files: ChatFiles
    schedules: ScheduleDesk
    # The names of the agent's tools.
    tools: frozenset[str]
    doors: Doors | None = None


@dataclass(frozen=True, slots=True)
class FrontDoor:
    """The parts that let browsers log in."""

    desk: LoginDesk
    links: LoginLinks
    address: OwnAddress


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
        # Pushed before the start, which may fail after it has taken over turns.
        ending.push_async_callback(running.engine.stop)
        await running.engine.start()
        ending.enter_context(_registry_serving(running.engine))
        store.notifier.listen(_note_delivered)
        if adopts and config.webhooks:
            await ending.enter_async_context(_webhooks_sent(config, running))
        if adopts and config.titles == "model":
            titles = Titles(store, build_title_asker(config, store, providers), SystemClock())
            await ending.enter_async_context(running.engine.supervisor.at_work(titles.job))
        if adopts:
            await ending.enter_async_context(running.engine.supervisor.at_work(running.schedules.job))
        if adopts and config.messaging.doors:
            opening = _load(_OPEN_DOORS)(config, running.engine, store, check_model_of(running))
            doors = await ending.enter_async_context(opening)
            running.files.on_post = doors.wake
            running = replace(running, doors=doors)
        yield running


def build_store(config: Config) -> Store:
    if config.database_url:
        store: Store = _load(_POSTGRES_STORE)(config.database_url)
        return store
    return SqliteStore(config.database_file, time.time)


def build_providers(config: Config) -> ProviderRegistry:
    registry = ProviderRegistry(config.providers)
    # Fail at the start, not in the first turn.
    for setting, names in (
        ("model", [config.model]),
        ("compact_model", [config.agent.compact_model or config.model]),
        ("fallback_models", config.agent.fallback_models),
    ):
        for name in names:
            try:
                registry.resolve(name)
            except ConfigError as error:
                raise ConfigError(f"{config.origins.get(setting, 'The default model')}: {error}") from error
    return registry


def build_models(config: Config) -> tuple[Catalogue, FactBook]:
    """Return the models that providers list, and the facts about models."""
    sources = model_sources(config.providers, config.model)
    fallbacks = config.agent.fallback_models
    catalogue = Catalogue(sources, config.home / "models.json", config.model, fallbacks=fallbacks)
    learnt = WindowFile(config.home / "windows.json", settings_marks(sources))
    has_cap = config.engine.daily_spend_usd is not None or config.engine.daily_spend_hard_usd is not None
    configured = {name: table.facts for name, table in config.models.items()}
    return catalogue, FactBook(configured, catalogue.facts_of, learnt, warns_of_unpriced=has_cap)


def build_engine(config: Config, store: Store, providers: ProviderRegistry, *, adopts: bool) -> Running:
    """Build from the bottom up: the ledger, the processes, the tools, the loop, the engine."""
    host = this_host(config.home)
    binder = AdapterBinder([*ADAPTERS, *(CHAT_ADAPTERS[name]() for name in config.messaging.doors)])
    webhooks = StoredQueue(store, config.webhooks)
    on_close = webhooks.add_on_close if config.webhooks else None
    ledger = Ledger(store, SystemClock(), config.engine, host=host, binder=binder, on_close=on_close)
    settings = build_process_settings(config)
    unstored = UnstoredLedger(settings.root)
    tasks = BothLedgers(ledger.tasks, unstored)
    keeper = ProcessKeeper(tasks, settings, host)
    files = ChatFiles(store)
    schedules = build_schedules(config, ledger, providers)
    tools = build_tools(ledger, keeper, tasks, binder, files, schedules, config.home)
    catalogue, facts = build_models(config)
    metrics = Metrics()
    store.notifier.listen(metrics.hear)
    results = KeptResults(config.home, result_limits(facts, config.agent.result_limit))
    redact = Redactor(settings.secrets).text
    loop = Loop(
        providers.resolve, tools, config.agent, results, redact, metrics.count_model_error, facts, facts.cost_of
    )
    equipment = Equipment(loop, keeper, UnstoredProcesses(keeper, unstored), results)
    engine = Engine(ledger, equipment, adopts=adopts)
    names = frozenset(tool.spec.name for tool in tools)
    return Running(engine, store, keeper, providers, catalogue, facts, webhooks, metrics, files, schedules, names)


def build_title_asker(config: Config, store: Store, providers: ProviderRegistry) -> AskForTitle:
    maker, guard = TitleMaker(providers.resolve), SpendGuard(store, config.engine)

    async def ask(model: str, said: str, answered: str) -> str:
        await guard.check()
        return await maker.ask(model, said, answered)

    return ask


def build_schedules(config: Config, ledger: Ledger, providers: ProviderRegistry) -> ScheduleDesk:
    def check_model(name: str) -> None:
        providers.resolve(name)

    settings = ScheduleSettings(
        operator=OPERATOR,
        model=config.model,
        workspace=str(config.workspace),
        timezone=config.timezone or machine_zone(),
        catch_up_seconds=config.cron_catch_up_seconds,
        min_seconds=config.cron_min_seconds,
        platforms={name: door.sessions for name, door in config.messaging.doors.items()},
    )
    return ScheduleDesk(ledger, settings, check_model)


def build_process_settings(config: Config) -> ProcessSettings:
    return ProcessSettings(
        root=_process_root(config),
        secrets=frozenset(config.secrets | {local_key(config.home)} | _secrets_around(config)),
        extra_environment=config.task_environment,
        output_cap=config.task_output_mib * MIB,
    )


def _process_root(config: Config) -> Path:
    return config.home / "tasks"


def _secrets_around(config: Config) -> set[str]:
    """Return the secrets of other programs that happen to be in our environment."""
    return secrets_in(os.environ, passed_on=config.task_environment)


def build_tools(
    ledger: Ledger,
    keeper: ProcessKeeper,
    tasks: TaskLedger,
    binder: AdapterBinder,
    files: ChatFiles,
    schedules: ScheduleDesk,
    home: Path,
) -> Sequence[Tool]:
    def can_ask(turn: Turn) -> bool:
        return binder.can_ask(turn) or request_as_far_as_known(turn.request).can_ask

    gate = Gate(ledger.approvals, can_ask, home)
    return (
        ListFiles(home),
        ReadFile(home),
        WriteFile(gate),
        TerminalTool(keeper, gate),
        ProcessTool(keeper, tasks, ledger.delegations, gate),
        DelegateTool(ledger.delegations, ledger.memory_delegations),
        CronjobTool(schedules),
        SendFileTool(files, home),
    )


def build_http(config: Config, running: Running, key: str, door: FrontDoor) -> ASGIApp:
    engine, store = running.engine, running.store
    web, desk = build_web(config, running), build_desk(config, running)
    metrics = metrics_route(running.metrics, store, engine.node, engine.vitals)
    health = Health(_VERSION, store, engine.vitals, lambda: engine.is_stopping, config.home, desk.statuses)
    document = DocumentRoutes(_VERSION, document_families)
    app = http_app(
        Keyring({OPERATOR: key, **config.api_keys}),
        [
            *web_routes(web),
            *messaging_routes(web, desk),
            *UsageRoutes(web, config.engine).routes(),
            *CronRoutes(running.schedules).routes(),
            *build_page(config, running, door),
            *api_routes(build_api(config, running)),
            *build_hooks(config, running),
            metrics,
            *document.routes(),
            *(() if running.doors is None else running.doors.routes),
        ],
        health=health,
        limits=RequestLimits(config.api_concurrency, config.api_concurrency_per_key),
        origins=config.cors_origins,
        desk=door.desk,
        address=door.address,
        is_command=Descent(_process_root(config)).is_command,
    )
    return CountRequests(app, running.metrics)


def build_front_door(config: Config, running: Running, url: str = "") -> FrontDoor:
    """`url` is where the server listens, or empty when it listens on its Unix socket only."""
    desk = LoginDesk(running.store, {OPERATOR, *config.api_keys})
    served = urlsplit(url).hostname or ""
    # A wildcard address names no host, but the server can be reached at the loopback address.
    loopback = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(served, "")
    names = config.hosts if loopback else (*config.hosts, config.host, served)
    page = config.public_url or (url.replace(served, loopback, 1) if loopback else url)
    return FrontDoor(desk, LoginLinks(desk, page if url else ""), OwnAddress(names, config.public_url))


@asynccontextmanager
async def open_front_door(config: Config, running: Running, key: str, url: str) -> AsyncIterator[FrontDoor]:
    """End logins whose password or key was replaced; then, while the block runs, cut off streams of ended logins."""
    door = build_front_door(config, running, url)
    seals = seals_of(key, config.password, config.api_keys, operator=OPERATOR)
    await end_outdated_logins(running.store, this_host(config.home).id, seals, operator=OPERATOR)
    async with running.engine.supervisor.at_work(door.desk.watch(SystemClock())):
        yield door


def check_model_of(running: Running) -> Callable[[str], None]:
    """Return a function that raises ConfigError for a model that no provider answers to."""

    def check_model(name: str) -> None:
        running.providers.resolve(name)

    return check_model


def build_web(config: Config, running: Running) -> Web:
    return Web(
        engine=running.engine,
        store=running.store,
        tasks=TaskDesk(running.keeper, running.engine.delegations),
        doors=_WEB_DOORS,
        check_model=check_model_of(running),
        operator=OPERATOR,
        model=config.model,
        workspace=str(config.workspace),
        window_of=running.facts.window_of,
        compact_at=config.agent.compact_at,
        streams=build_streams(config),
    )


def build_page(config: Config, running: Running, door: FrontDoor) -> list[Route]:
    def models() -> list[ModelChoice]:
        return [_model_choice(entry, *running.facts.look_up(entry.id)) for entry in running.catalogue.models()]

    password = Password(config.password)
    facts = ServerFacts(socket.gethostname(), _VERSION, config.model, password.is_set, config.engine.undo_seconds)
    rooms = (
        PageRoutes(has_password=password.is_set),
        MeRoutes(facts, OPERATOR),
        ModelChoiceRoutes(models, config.model),
        LoginRoutes(door.desk, door.links, password, door.address, operator=OPERATOR),
        LoginListRoutes(door.desk, operator=OPERATOR),
    )
    return [route for room in rooms for route in room.routes()]


def _model_choice(entry: ModelEntry, facts: ModelFacts, source: FactSource) -> ModelChoice:
    return ModelChoice(
        id=entry.id,
        provider=entry.provider,
        name=entry.name,
        context_window=facts.context_window,
        max_output=facts.max_output,
        vision=facts.vision,
        input_price=facts.input_price,
        output_price=facts.output_price,
        facts=source.value,
    )


def build_desk(config: Config, running: Running) -> Doors:
    """Return the open doors, or what a command without any needs in their place."""
    return running.doors or Doors(People(running.store, config.messaging.doors))


def build_hooks(config: Config, running: Running) -> list[Route]:
    new = NewSessions(OPERATOR, config.model, config.workspace)
    intake = HookIntake(running.engine, running.store, config.messaging.doors, new)
    return HookRoutes(config.hooks, intake, body_kib=config.hook_body_kib).routes()


def document_families() -> list[Family]:
    return [family for name in _FAMILIES for family in _load(name)]


def build_api(config: Config, running: Running) -> Api:
    def known(name: str) -> str | None:
        full = running.catalogue.resolve_name(name or None)
        if full is None:
            return None
        try:
            running.providers.resolve(full)
        except ConfigError:
            return None
        return full

    async def resolve(name: str) -> str | None:
        found = known(name)
        if found is None and await running.catalogue.refresh():
            # The model is new, or this server has just started.
            found = known(name)
        return found

    return Api(
        engine=running.engine,
        store=running.store,
        door=APIServerAdapter.door(),
        resolve_model=resolve,
        models=lambda: [(model.id, model.created, model.owned_by) for model in running.catalogue.models()],
        operator=OPERATOR,
        workspace=str(config.workspace),
        tools=running.tools,
        tool_items=config.tool_items,
        streams=build_streams(config),
    )


def build_streams(config: Config) -> StreamSettings:
    return StreamSettings(config.stream_write_seconds, config.stream_comment_seconds)


@asynccontextmanager
async def _webhooks_sent(config: Config, running: Running) -> AsyncIterator[None]:
    allows_private = config.webhooks_allow_private
    sender = WebhookSender(running.webhooks, config.webhooks, SystemClock(), allows_private=allows_private)

    def hear(signal: Signal) -> None:
        if running.webhooks.has_grown(signal):
            sender.wake()

    running.store.notifier.listen(hear)
    async with sender.at_work(running.engine.supervisor):
        yield


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


def _load(name: str) -> Any:
    """Import `name`, which is module:attribute."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)
