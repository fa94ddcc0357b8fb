"""A served engine on a SQLite file for each test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.web.kit import Served, served
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture
async def web(store: SqliteStore, tmp_path: Path) -> AsyncIterator[Served]:
    async with served(store, tmp_path) as web:
        yield web
