"""What a built engine does as the settings say."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.building.kit import config_in, server_of
from wakeful.app import running_engine
from wakeful.building.engine import build_store, build_title_asker
from wakeful.config.machine_zone import machine_zone
from wakeful.errors import LimitReached
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore


def test_a_database_that_the_settings_name_is_used_instead_of_the_file(tmp_path: Path) -> None:
    config = config_in(tmp_path)

    assert isinstance(build_store(config), SqliteStore)
    assert isinstance(build_store(replace(config, database_url="postgresql://127.0.0.1:9/x")), PostgresStore)


async def test_a_title_is_made_of_what_was_said_unless_the_day_has_cost_too_much(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    async with running_engine(config, adopts=False) as running:
        title, _ = await build_title_asker(config, running)("demo:wakeful", "hello there", "good bye")
        spent = replace(config, engine=replace(config.engine, daily_spend_hard_usd=0.0))
        with pytest.raises(LimitReached):
            await build_title_asker(spent, running)("demo:wakeful", "hello there", "good bye")

    assert title == "Hello there"


@pytest.mark.parametrize("given", ["Asia/Tokyo", ""])
async def test_a_schedule_is_in_the_zone_of_the_settings_or_of_the_machine(
    tmp_path: Path, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    assert machine_zone() == "America/New_York"
    async with server_of(config_in(tmp_path, TIMEZONE=given)) as server:
        answer = await server.http.post("/api/cron", json={"schedule": "0 9 * * *", "prompt": "x"})

    assert answer.json()["timezone"] == (given or "America/New_York")
