"""A whole server in this process: built from settings, and asked without a socket."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx2

from tests.ready_database import put_sqlite_file
from wakeful.app import running_engine
from wakeful.building.engine import Running
from wakeful.building.http import FrontDoor, build_http, open_front_door
from wakeful.config.config import Config
from wakeful.config.load import load_config

KEY = "the-key-of-the-operator"
URL = "http://127.0.0.1:8787"


@dataclass(frozen=True, slots=True)
class Server:
    config: Config
    running: Running
    door: FrontDoor
    # The operator's.
    http: httpx2.AsyncClient


def config_in(home: Path, toml: str = "", **settings: str) -> Config:
    """`settings` are variables without their prefix. The built-in model answers at once, and the tables are there."""
    if not (home / "wakeful.db").exists():
        put_sqlite_file(home / "wakeful.db")
    (home / "config.toml").write_text(toml, encoding="utf-8")
    given = {f"WAKEFUL_{name}": value for name, value in settings.items()}
    config = load_config({"WAKEFUL_HOME": str(home), "WAKEFUL_STOP_GRACE_SECONDS": "0", **given})
    return replace(config, providers=replace(config.providers, demo_seconds_per_word=0.0))


@asynccontextmanager
async def server_of(config: Config) -> AsyncIterator[Server]:
    async with (
        running_engine(config, adopts=True) as running,
        open_front_door(config, running, KEY, URL) as door,
    ):
        transport = httpx2.ASGITransport(build_http(config, running, KEY, door))
        headers = {"authorization": f"Bearer {KEY}"}
        async with httpx2.AsyncClient(transport=transport, base_url=URL, headers=headers, trust_env=False) as http:
            yield Server(config, running, door, http)
