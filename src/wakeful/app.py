"""The composition root: one build_… function for each room, and the only file that names concrete classes."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from importlib.metadata import version
from typing import Any

from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from wakeful.agent.loop import Loop
from wakeful.agent.providers.registry import ProviderRegistry
from wakeful.config.config import Config
from wakeful.config.home import make_home
from wakeful.config.values import OPERATOR
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.errors import ConfigError
from wakeful.gateway.auth import Keyring
from wakeful.gateway.http import http_app
from wakeful.store.base import Store
from wakeful.store.sqlite.store import SqliteStore
from wakeful.tools.base import Tool
from wakeful.tools.files import ListFiles, ReadFile, WriteFile

# Loaded only where PostgreSQL is used: its driver takes a tenth of a second and 17 MB.
_POSTGRES_STORE = "wakeful.store.postgres.store:PostgresStore"


@asynccontextmanager
async def running_engine(config: Config, *, adopts: bool) -> AsyncIterator[Engine]:
    """An engine from its start to its end. It stops before its store closes, and both whatever happens between."""
    _make_folders(config)
    async with AsyncExitStack() as ending:
        providers = build_providers(config)
        ending.push_async_callback(providers.close)
        store = build_store(config)
        ending.push_async_callback(store.close)
        await store.open()
        engine = build_engine(config, store, providers)
        # Also when the start fails half-way: it may have taken turns over already.
        ending.push_async_callback(engine.stop)
        await engine.start(adopts=adopts)
        yield engine


def build_store(config: Config) -> Store:
    if config.database_url:
        store: Store = _load(_POSTGRES_STORE)(config.database_url)
        return store
    return SqliteStore(config.database_file, time.time)


def build_providers(config: Config) -> ProviderRegistry:
    registry = ProviderRegistry(config.providers)
    try:
        # Better now than in the first turn.
        registry.resolve(config.model)
    except ConfigError as error:
        raise ConfigError(f"{config.origins.get('model', 'The default model')}: {error}") from error
    return registry


def build_tools() -> Sequence[Tool]:
    return (ListFiles(), ReadFile(), WriteFile())


def build_engine(config: Config, store: Store, providers: ProviderRegistry) -> Engine:
    loop = Loop(providers.resolve, build_tools(), config.agent)
    return Engine(store, loop, SystemClock(), config.engine)


def build_http(config: Config, engine: Engine, key: str) -> ASGIApp:
    routes: list[BaseRoute] = []
    return http_app(
        Keyring({OPERATOR: key, **config.api_keys}),
        routes,
        version=version("wakeful"),
        is_stopping=lambda: engine.is_stopping,
    )


def _make_folders(config: Config) -> None:
    make_home(config.home)
    try:
        config.workspace.mkdir(exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"The workspace {config.workspace} cannot be made ({error.strerror}): "
            "set WAKEFUL_WORKSPACE to a folder that is there."
        ) from error


def _load(name: str) -> Any:
    """`name` is module:Class."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)
