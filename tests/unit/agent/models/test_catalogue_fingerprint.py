"""The fingerprint: it changes with the providers and their models, and not with a token."""

from pathlib import Path

import pytest

from tests.unit.agent.models.catalogue_kit import DEFAULT, Source
from wakeful.agent.models.catalogue import Catalogue
from wakeful.model.ids import new_id

BASE = {"base_url": "https://user:old@a.example/v1?api-key=old&version=1", "api_key": "old", "idle_timeout": 120.0}


async def fingerprint(folder: Path, *sources: Source, default: str = DEFAULT) -> str:
    # A new file each time, so that nothing is known before.
    catalogue = Catalogue(sources, folder / new_id("models"), default)
    await catalogue.refresh()
    return catalogue.fingerprint()


@pytest.mark.parametrize(
    "change",
    [
        {"api_key": "new"},
        {"token": "new"},
        {"refresh_token": "new", "expires_at": 7},
        {"accessToken": "new", "expiresIn": 7},
        {"headers": {"Authorization": "Bearer new", "X-Api-Key": "new"}},
        {"base_url": "https://user:new@a.example/v1?api-key=new&version=1"},
    ],
)
async def test_it_stays_when_a_token_is_rotated(tmp_path: Path, change: dict[str, object]) -> None:
    old = BASE | {"headers": {}} if "headers" in change else BASE

    assert await fingerprint(tmp_path, Source("m", settings=old)) == await fingerprint(
        tmp_path, Source("m", settings=BASE | change)
    )


@pytest.mark.parametrize(
    "change",
    [
        {"base_url": "https://b.example/v1?version=1"},
        {"base_url": "https://a.example/v1?version=2"},
        {"base_url": "https://a.example/v1?version=1&beta="},
        {"organisation": "another"},
        {"headers": {"X-Project": "another"}},
        {"tags": ["another"]},
        {"token_limit": 7},
    ],
)
async def test_it_changes_with_an_endpoint_and_with_an_unknown_field(tmp_path: Path, change: dict[str, object]) -> None:
    before = await fingerprint(tmp_path, Source("m", settings=BASE))

    assert await fingerprint(tmp_path, Source("m", settings=BASE | change)) != before


async def test_it_changes_with_a_provider_and_with_the_set_of_models(tmp_path: Path) -> None:
    sets = [
        [Source("m")],
        [Source("m", "n")],
        [Source("m"), Source(provider="other")],
        [Source("m", provider="other")],
        [],
    ]
    seen = {await fingerprint(tmp_path, *sources) for sources in sets}

    assert len(seen) == len(sets)
    assert await fingerprint(tmp_path, default="openai:another") not in seen


async def test_it_does_not_depend_on_the_order_of_models_or_settings(tmp_path: Path) -> None:
    one = await fingerprint(tmp_path, Source("m", "n", settings={"a": 1, "b": 2}))

    assert await fingerprint(tmp_path, Source("n", "m", settings={"b": 2, "a": 1})) == one
