"""What follows from the engine's settings."""

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
