"""What follows from the engine's settings."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from wakeful.engine.settings import EngineSettings


@pytest.mark.parametrize(
    ("soft", "hard", "cap"), [(None, None, None), (2.0, None, 2.0), (None, 8.0, 8.0), (2.0, 8.0, 2.0), (9.0, 8.0, 8.0)]
)
def test_nothing_wakes_by_itself_from_the_lower_cap_on(
    soft: float | None, hard: float | None, cap: float | None
) -> None:
    settings = EngineSettings(daily_spend_usd=soft, daily_spend_hard_usd=hard)

    assert settings.waking_spend_usd == cap


def test_the_defaults_are_those_of_the_manual() -> None:
    manual = (Path(__file__).parents[3] / "docs" / "self-hosting.md").read_text(encoding="utf-8")
    told = {
        name: float(value) for name, value in re.findall(r"^\| `(\w+)` \| `WAKEFUL_\w+` \| ([\d.]+) \|", manual, re.M)
    }
    settings = EngineSettings()
    defaults = {field.name: getattr(settings, field.name) for field in fields(settings) if field.name in told}

    assert defaults == {name: told[name] for name in defaults}
    assert {"resume_limit", "wake_retry_limit", "delegation_limit", "delegation_depth"} <= set(defaults)
    assert settings.waking_spend_usd is None
