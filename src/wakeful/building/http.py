"""Builds what a server answers over HTTP: the API, the page and its routes, logins, hooks."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

from starlette.routing import Route
from starlette.types import ASGIApp

from wakeful.agent.instructions.skills import find_skills
from wakeful.agent.models.entry import ModelEntry
from wakeful.agent.models.fact_book import FactSource
from wakeful.agent.models.facts import ModelFacts
from wakeful.agent.models.model_names import ModelNames
from wakeful.building.engine import Running
from wakeful.building.loading import load
from wakeful.building.processes import process_root
from wakeful.config.config import Config
from wakeful.config.home import CONFIG_FILE
from wakeful.config.values import OPERATOR
from wakeful.engine.clock import SystemClock
from wakeful.gateway.document.routes import DocumentRoutes
from wakeful.gateway.entrance.auth import Keyring
from wakeful.gateway.entrance.limits import RequestLimits
from wakeful.gateway.entrance.logins.desk import LoginDesk, LoginLinks
from wakeful.gateway.entrance.logins.list_routes import LoginListRoutes
from wakeful.gateway.entrance.logins.password import Password
from wakeful.gateway.entrance.logins.routes import LoginRoutes
from wakeful.gateway.entrance.logins.seal import end_outdated_logins, seals_of
from wakeful.gateway.entrance.own_address import OwnAddress
from wakeful.gateway.hooks.hook import Hook
from wakeful.gateway.hooks.intake import HookIntake
from wakeful.gateway.hooks.routes import HookRoutes
from wakeful.gateway.http import http_app
from wakeful.gateway.messaging.doors import Doors
from wakeful.gateway.messaging.inbound.people import People
from wakeful.gateway.messaging.inbound.sessions import NewSessions
from wakeful.gateway.messaging.settings import DoorSettings
from wakeful.gateway.monitoring.health import Health
from wakeful.gateway.monitoring.metrics import CountRequests, metrics_route
from wakeful.gateway.openai.api import Api
from wakeful.gateway.openai.routes import api_routes
from wakeful.gateway.platforms.api_server import APIServerAdapter
from wakeful.gateway.platforms.local import AskAdapter, TerminalAdapter, WebAdapter
from wakeful.model.messaging.post import WEBHOOK
from wakeful.tools.processes.kernel.descent import Descent
from wakeful.tools.processes.kernel.host import this_host
from wakeful.tools.task_desk import TaskDesk
from wakeful.web.facts.costs import CostRoutes
from wakeful.web.facts.me import MeRoutes, ServerFacts
from wakeful.web.facts.models import ModelChoice, ModelChoiceRoutes
from wakeful.web.facts.skills import ShownSkill, SkillRoutes
from wakeful.web.facts.usage import UsageRoutes
from wakeful.web.mcp.routes import McpRoutes
from wakeful.web.messaging.hooks import HookFacts
from wakeful.web.messaging.routes import messaging_routes
from wakeful.web.pages import PageRoutes
from wakeful.web.routes import web_routes
from wakeful.web.schedules.routes import CronRoutes
from wakeful.web.web import Web
from wakeful.wire.openapi import Family
from wakeful.wire.sse import StreamSettings

_VERSION = version("wakeful")

# Loaded when the document is first requested: 25 small files that most commands do not need.
_FAMILIES = (
    "wakeful.gateway.openai.families:FAMILIES",
    "wakeful.web.families:FAMILIES",
    "wakeful.gateway.monitoring.document:SERVER_FAMILIES",
)

# The doors that a client of the web routes may name as its own.
_WEB_DOORS = {door.name: door for door in (WebAdapter.door(), TerminalAdapter.door(), AskAdapter.door())}


@dataclass(frozen=True, slots=True)
class FrontDoor:
    """The parts that let browsers log in."""

    desk: LoginDesk
    links: LoginLinks
    address: OwnAddress


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
            *messaging_routes(web, desk, [_hook_facts(hook, config) for hook in config.hooks]),
            *McpRoutes(web, running.mcp).routes(),
            *UsageRoutes(web, config.engine).routes(),
            *CostRoutes(web, running.facts.costs_of).routes(),
            *SkillRoutes(web, partial(_shown_skills, config.home)).routes(),
            *CronRoutes(running.schedules).routes(),
            *build_page(config, running, door),
            *api_routes(build_api(config, running)),
            *build_hooks(config, running),
            metrics,
            *document.routes(),
            *(() if running.doors is None else running.doors.routes),
        ],
        health=health,
        limits=RequestLimits(in_all=config.api_concurrency, per_key=config.api_concurrency_per_key),
        origins=config.cors_origins,
        desk=door.desk,
        address=door.address,
        is_command=Descent(process_root(config)).is_command,
    )
    return CountRequests(app, running.metrics)


def build_front_door(config: Config, running: Running, url: str = "") -> FrontDoor:
    """`url` is where the server listens, or empty when it listens on its Unix socket only."""
    desk = LoginDesk(running.store, {OPERATOR, *config.api_keys})
    served = urlsplit(url).hostname or ""
    # A wildcard address names no host, but the server can be reached at the loopback address.
    loopback = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(served, "")
    names = config.hosts if loopback else (*config.hosts, config.host, served)
    page = config.public_url or (url.replace(served, loopback) if loopback else url)
    return FrontDoor(desk, LoginLinks(desk, page if url else ""), OwnAddress(names, config.public_url))


@asynccontextmanager
async def open_front_door(config: Config, running: Running, key: str, url: str) -> AsyncIterator[FrontDoor]:
    """End logins whose password or key was replaced; then, while the block runs, cut off streams of ended logins."""
    door = build_front_door(config, running, url)
    seals = seals_of(key=key, password=config.password, api_keys=config.api_keys, operator=OPERATOR)
    await end_outdated_logins(running.store, this_host(config.home).id, seals, operator=OPERATOR)
    async with running.engine.supervisor.at_work(door.desk.watch(SystemClock())):
        yield door


def build_web(config: Config, running: Running) -> Web:
    return Web(
        engine=running.engine,
        store=running.store,
        tasks=TaskDesk(running.keeper, running.engine.delegations),
        attachments=running.attachments,
        doors=_WEB_DOORS,
        check_model=running.providers.resolve,
        operator=OPERATOR,
        model=config.model,
        workspace=str(config.workspace),
        window_of=running.facts.window_of,
        compact_at=config.agent.compact_at,
        mode=config.engine.permission_mode,
        streams=build_streams(config),
    )


def build_page(config: Config, running: Running, door: FrontDoor) -> list[Route]:
    def models() -> list[ModelChoice]:
        return [_model_choice(entry, *running.facts.look_up(entry.id)) for entry in running.catalogue.models()]

    password = Password(config.password)
    facts = ServerFacts(
        host=socket.gethostname(),
        version=_VERSION,
        model=config.model,
        mode=config.engine.permission_mode,
        sandbox=running.sandbox.kind,
        has_password=password.is_set,
        undo_seconds=config.engine.undo_seconds,
        config_file=str(config.home / CONFIG_FILE),
    )
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


def _shown_skills(home: Path, workspace: str) -> list[ShownSkill]:
    return [
        ShownSkill(name=skill.name, description=skill.description, path=skill.path, error=skill.error or None)
        for skill in find_skills(home, Path(workspace) if workspace else None)
    ]


def build_desk(config: Config, running: Running) -> Doors:
    """Return the open doors, or what a command without any needs in their place."""
    desk = running.doors or Doors(People(running.store, config.messaging.doors))
    webhooks = {} if running.webhooks is None else {WEBHOOK: running.webhooks}
    return replace(desk, postmen={**desk.postmen, **webhooks})


def build_hooks(config: Config, running: Running) -> list[Route]:
    new = NewSessions(OPERATOR, config.model, config.workspace)
    intake = HookIntake(running.engine, running.store, config.messaging.doors, new)
    return HookRoutes(config.hooks, intake, body_kib=config.hook_body_kib).routes()


def _hook_facts(hook: Hook, config: Config) -> HookFacts:
    platform = "" if hook.deliver is None else hook.deliver.platform
    return HookFacts(
        name=hook.name,
        signature=hook.scheme,
        url=f"{config.public_url}/hooks/{hook.name}",
        deliver=hook.deliver,
        scope=config.messaging.doors.get(platform, DoorSettings()).sessions,
    )


def document_families() -> list[Family]:
    return [family for name in _FAMILIES for family in load(name)]


def build_api(config: Config, running: Running) -> Api:
    async def tools(choice: object) -> frozenset[str]:
        return running.tools | await running.mcp.tool_names(choice)

    return Api(
        engine=running.engine,
        store=running.store,
        door=APIServerAdapter.door(),
        resolve_model=ModelNames(running.catalogue, running.providers).find,
        models=lambda: [(model.id, model.created, model.owned_by) for model in running.catalogue.models()],
        operator=OPERATOR,
        workspace=str(config.workspace),
        tools=tools,
        tool_items=config.tool_items,
        streams=build_streams(config),
    )


def build_streams(config: Config) -> StreamSettings:
    return StreamSettings(write_seconds=config.stream_write_seconds, comment_seconds=config.stream_comment_seconds)
