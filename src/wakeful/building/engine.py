"""Builds the engine from its parts, and the store."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from wakeful.agent.loop import Loop
from wakeful.agent.models.catalogue import Catalogue
from wakeful.agent.models.fact_book import FactBook
from wakeful.agent.models.model_names import ModelNames
from wakeful.agent.models.window import result_limits
from wakeful.agent.prompt import Prompts
from wakeful.agent.providers.registry import ProviderRegistry
from wakeful.agent.title_maker import TitleMaker
from wakeful.building.loading import load
from wakeful.building.mcp import build_mcp
from wakeful.building.models import build_models
from wakeful.building.processes import build_process_settings, build_sandbox
from wakeful.building.tools import build_gate, build_tools, build_web_tools
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
from wakeful.model.spend import Spend
from wakeful.store.base import Store
from wakeful.store.sqlite.store import SqliteStore
from wakeful.tools.delegate_tool import DelegateTool
from wakeful.tools.files.copies import FileCopies
from wakeful.tools.files.kept_results import KeptResults
from wakeful.tools.mcp.servers import McpServers
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.kernel.host import this_host
from wakeful.tools.processes.ledgers.both import BothLedgers
from wakeful.tools.processes.ledgers.unstored import UnstoredLedger
from wakeful.tools.processes.ledgers.unstored_processes import UnstoredProcesses
from wakeful.tools.processes.output.secrets import Redactor
from wakeful.tools.processes.sandbox import SandboxChoice

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


def build_engine(config: Config, store: Store, providers: ProviderRegistry, *, adopts: bool) -> Running:
    """Build from the bottom up: the ledger, the processes, the tools, the loop, the engine."""
    host = this_host(config.home)
    binder = AdapterBinder([*ADAPTERS, *(CHAT_ADAPTERS[name]() for name in config.messaging.doors)])
    on_close = EndReports(config.webhooks).write
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
        redact=redact,
        count_error=metrics.count_model_error,
        windows=facts,
        cost_of=facts.cost_of,
        toolset_of=mcp.toolset,
        files=attachments,
    )
    prompts = Prompts(config.home, OPERATOR, partial(has_memory, config.messaging.doors))
    equipment = Equipment(
        loop=loop,
        prompts=prompts,
        processes=keeper,
        unstored=UnstoredProcesses(keeper, unstored),
        files=results,
        changed_files=copies,
        attachments=attachments,
    )
    engine = Engine(ledger, equipment, adopts=adopts)
    return Running(
        engine=engine,
        store=store,
        keeper=keeper,
        providers=providers,
        catalogue=catalogue,
        facts=facts,
        metrics=metrics,
        files=files,
        schedules=schedules,
        mcp=mcp,
        attachments=attachments,
        tools=frozenset(tool.spec.name for tool in tools),
        sandbox=sandbox,
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
