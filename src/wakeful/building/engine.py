"""Builds the engine and what it works with: the store, the providers, the processes, the tools."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wakeful.agent.loop import Loop
from wakeful.agent.models.catalogue import Catalogue, settings_marks
from wakeful.agent.models.fact_book import FactBook
from wakeful.agent.models.learnt_windows import WindowFile
from wakeful.agent.models.model_list import model_sources
from wakeful.agent.models.model_names import ModelNames
from wakeful.agent.models.window import result_limits
from wakeful.agent.prompt import Prompts
from wakeful.agent.providers.endpoint_settings import Wire
from wakeful.agent.providers.registry import ProviderRegistry
from wakeful.agent.title_maker import TitleMaker
from wakeful.building.loading import load
from wakeful.building.mcp import build_mcp
from wakeful.config.config import Config
from wakeful.config.machine_zone import machine_zone
from wakeful.config.values import OPERATOR
from wakeful.engine.attachments.desk import AttachmentDesk
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.job import Job
from wakeful.engine.ledger import Ledger
from wakeful.engine.ports import Equipment
from wakeful.engine.schedules.desk import ScheduleDesk
from wakeful.engine.schedules.settings import ScheduleSettings
from wakeful.engine.spend_guard import SpendGuard
from wakeful.engine.upkeep.titles import AskForTitle
from wakeful.errors import ConfigError
from wakeful.gateway.entrance.local_key import local_key
from wakeful.gateway.messaging.doors import Doors
from wakeful.gateway.messaging.files import ChatFiles
from wakeful.gateway.messaging.operators_chat import has_memory
from wakeful.gateway.monitoring.metrics import Metrics
from wakeful.gateway.platforms.api_server import APIServerAdapter
from wakeful.gateway.platforms.base import BasePlatformAdapter
from wakeful.gateway.platforms.binder import AdapterBinder
from wakeful.gateway.platforms.chat import CHAT_ADAPTERS, HookAdapter
from wakeful.gateway.platforms.cron import CronAdapter
from wakeful.gateway.platforms.local import AskAdapter, TerminalAdapter, WebAdapter
from wakeful.gateway.webhooks.reports import EndReports
from wakeful.model.api.request import request_as_far_as_known
from wakeful.model.spend import Spend
from wakeful.model.turn import Turn
from wakeful.network.checked_target import TargetFinder, addresses_of
from wakeful.store.base import Store
from wakeful.store.sqlite.store import SqliteStore
from wakeful.tools.base import Tool
from wakeful.tools.cronjob_tool import CronjobTool
from wakeful.tools.delegate_tool import DelegateTool
from wakeful.tools.files.change_tools import EditFile, WriteFile
from wakeful.tools.files.copies import FileCopies
from wakeful.tools.files.file_changer import FileChanger
from wakeful.tools.files.file_tools import ListFiles, ReadFile
from wakeful.tools.files.kept_results import KeptResults
from wakeful.tools.files.workspace import Folders
from wakeful.tools.gate import Gate
from wakeful.tools.mcp.servers import McpServers
from wakeful.tools.ports import TaskLedger
from wakeful.tools.process_tool import ProcessTool
from wakeful.tools.processes.environment import secrets_in
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.kernel.host import this_host
from wakeful.tools.processes.ledgers.both import BothLedgers
from wakeful.tools.processes.ledgers.unstored import UnstoredLedger
from wakeful.tools.processes.ledgers.unstored_processes import UnstoredProcesses
from wakeful.tools.processes.output.secrets import Redactor
from wakeful.tools.processes.sandbox import Sandbox, SandboxChoice, SandboxSetting, choose_sandbox
from wakeful.tools.processes.settings import MIB, ProcessSettings
from wakeful.tools.search.search_files_tool import SearchFiles
from wakeful.tools.session_search_tool import SessionSearchTool
from wakeful.tools.show_file_tool import ShowFileTool
from wakeful.tools.terminal_tool import TerminalTool
from wakeful.tools.todo_tool import TodoTool
from wakeful.tools.web.fetcher import Fetcher
from wakeful.tools.web.web_fetch_tool import WebFetch

# Loaded only where PostgreSQL is used: its driver takes a tenth of a second and 17 MB.
_POSTGRES_STORE = "wakeful.store.postgres.store:PostgresStore"

# The adapters of all doors. A turn's row names its door, and the node that runs the turn binds it by that adapter.
ADAPTERS: Sequence[BasePlatformAdapter] = (
    WebAdapter(),
    TerminalAdapter(),
    AskAdapter(),
    APIServerAdapter(),
    HookAdapter(),
    CronAdapter(),
)


@dataclass(frozen=True, slots=True)
class Running:
    """A running engine, and the parts that its doors need."""

    engine: Engine
    store: Store
    keeper: ProcessKeeper
    providers: ProviderRegistry
    catalogue: Catalogue
    facts: FactBook
    metrics: Metrics
    files: ChatFiles
    schedules: ScheduleDesk
    mcp: McpServers
    attachments: AttachmentDesk
    # The names of the agent's tools, but those of MCP servers.
    tools: frozenset[str]
    # What their commands run in.
    sandbox: SandboxChoice
    doors: Doors | None = None
    # Sends webhooks, where some are configured.
    webhooks: Job | None = None


def build_store(config: Config) -> Store:
    if config.database_url:
        store: Store = load(_POSTGRES_STORE)(config.database_url)
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
    dear_writes = {name for name, one in config.providers.endpoints.items() if one.wire is Wire.ANTHROPIC}
    facts = FactBook(configured, catalogue.facts_of, learnt, dear_writes=dear_writes, warns_of_unpriced=has_cap)
    return catalogue, facts


def build_engine(config: Config, store: Store, providers: ProviderRegistry, *, adopts: bool) -> Running:
    """Build from the bottom up: the ledger, the processes, the tools, the loop, the engine."""
    host = this_host(config.home)
    binder = AdapterBinder([*ADAPTERS, *(CHAT_ADAPTERS[name]() for name in config.messaging.doors)])
    on_close = EndReports(config.webhooks).write if config.webhooks else None
    ledger = Ledger(store, SystemClock(), config.engine, host=host, binder=binder, on_close=on_close)
    sandbox = build_sandbox(config)
    settings = build_process_settings(config, sandbox.sandbox)
    unstored = UnstoredLedger(settings.root)
    tasks = BothLedgers(ledger.tasks, unstored)
    keeper = ProcessKeeper(tasks, settings, host)
    files = ChatFiles(store)
    attachments = AttachmentDesk(store, config.home, config.messaging.attachment_bytes)
    schedules = build_schedules(config, ledger, providers)
    copies = FileCopies(config.home)
    own = build_tools(ledger, keeper, tasks, files, schedules, attachments, config, copies)
    catalogue, facts = build_models(config)
    delegate = DelegateTool(ledger.delegations, ledger.memory_delegations, ModelNames(catalogue, providers).choose)
    tools = [*own, delegate, *build_web_tools(config)]
    metrics = Metrics()
    store.notifier.listen(metrics.hear)
    results = KeptResults(config.home, result_limits(facts, config.agent.result_limit))
    redact = Redactor(settings.secrets).text
    gate = build_gate(ledger, binder)
    mcp = build_mcp(config, settings)
    loop = Loop(
        providers.resolve,
        tools,
        gate,
        config.agent,
        results,
        redact,
        metrics.count_model_error,
        facts,
        facts.cost_of,
        mcp.toolset,
        attachments,
    )
    prompts = Prompts(config.home, OPERATOR, partial(has_memory, config.messaging.doors))
    equipment = Equipment(loop, prompts, keeper, UnstoredProcesses(keeper, unstored), results, copies, attachments)
    engine = Engine(ledger, equipment, adopts=adopts)
    names = frozenset(tool.spec.name for tool in tools)
    return Running(
        engine, store, keeper, providers, catalogue, facts, metrics, files, schedules, mcp, attachments, names, sandbox
    )


def build_title_asker(config: Config, running: Running) -> AskForTitle:
    maker = TitleMaker(running.providers.resolve, running.facts.cost_of)
    guard = SpendGuard(running.store, config.engine)

    async def ask(model: str, said: str, answered: str) -> tuple[str, Spend]:
        await guard.check()
        return await maker.ask(model, said, answered)

    return ask


def build_schedules(config: Config, ledger: Ledger, providers: ProviderRegistry) -> ScheduleDesk:
    settings = ScheduleSettings(
        operator=OPERATOR,
        model=config.model,
        workspace=str(config.workspace),
        timezone=config.timezone or machine_zone(),
        catch_up_seconds=config.cron_catch_up_seconds,
        min_seconds=config.cron_min_seconds,
        platforms={name: door.sessions for name, door in config.messaging.doors.items()},
    )
    return ScheduleDesk(ledger, settings, providers.resolve)


def build_sandbox(config: Config) -> SandboxChoice:
    """Raises ConfigError where the setting wants a sandbox that does not work."""
    choice = choose_sandbox(config.sandbox, config.home)
    if choice.sandbox is None and config.sandbox is SandboxSetting.BWRAP:
        raise ConfigError(f"{config.origins.get('sandbox', 'sandbox')} is bwrap, but {choice.why}.")
    return choice


def build_process_settings(config: Config, sandbox: Sandbox | None = None) -> ProcessSettings:
    return ProcessSettings(
        root=process_root(config),
        secrets=frozenset(config.secrets | {local_key(config.home)} | _secrets_around(config)),
        extra_environment=config.task_environment,
        output_cap=config.task_output_mib * MIB,
        sandbox=sandbox,
    )


def process_root(config: Config) -> Path:
    return config.home / "tasks"


def _secrets_around(config: Config) -> set[str]:
    """Return the secrets of other programs that happen to be in our environment."""
    return secrets_in(os.environ, passed_on=config.task_environment)


def build_gate(ledger: Ledger, binder: AdapterBinder) -> Gate:
    def can_ask(turn: Turn) -> bool:
        return binder.can_ask(turn) or request_as_far_as_known(turn.request).can_ask

    return Gate(ledger.approvals, can_ask)


def _can_show(turn: Turn) -> bool:
    """Return whether a person can look at the turn's session: clients of the API get the answer alone."""
    return not turn.is_ephemeral and turn.door.name != APIServerAdapter.name


def build_tools(
    ledger: Ledger,
    keeper: ProcessKeeper,
    tasks: TaskLedger,
    files: ChatFiles,
    schedules: ScheduleDesk,
    attachments: AttachmentDesk,
    config: Config,
    copies: FileCopies,
) -> Sequence[Tool]:
    home, folders = config.home, Folders(config.home, config.extra_folders)
    changer = FileChanger(ledger.changes, copies)
    return (
        ListFiles(folders),
        ReadFile(folders),
        SearchFiles(folders),
        WriteFile(changer, folders),
        EditFile(changer, folders),
        TerminalTool(keeper, home),
        ProcessTool(keeper, tasks, ledger.delegations, home),
        CronjobTool(schedules),
        ShowFileTool(files, attachments, _can_show, folders),
        SessionSearchTool(ledger.sessions),
        TodoTool(ledger.todo),
    )


def build_web_tools(config: Config) -> Sequence[Tool]:
    if not config.web_fetch:
        return ()
    return (WebFetch(Fetcher(TargetFinder(addresses_of, allows_private=config.web_fetch_allow_private))),)
