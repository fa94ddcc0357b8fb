"""The catalogue of models as the official clients read it."""

from dataclasses import replace
from typing import Any

import orjson
import pytest

from tests.unit.gateway.openai.taking import TakingEngine, asking, taking_api
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.models.routes import ApiModelRoutes


@pytest.fixture
def routes() -> ApiModelRoutes:
    no_store: Any = None
    api = taking_api(TakingEngine(no_store))
    return ApiModelRoutes(replace(api, models=lambda: [("demo:a/b", 5, "demo")]))


async def test_the_default_is_listed_first(routes: ApiModelRoutes) -> None:
    listed = orjson.loads((await routes.page(asking({}))).body)

    assert listed["data"] == [
        {"id": "wakeful", "object": "model", "created": 0, "owned_by": "wakeful"},
        {"id": "demo:a/b", "object": "model", "created": 5, "owned_by": "demo"},
    ]


async def test_one_is_found_by_its_name_and_no_other(routes: ApiModelRoutes) -> None:
    found = orjson.loads((await routes.show(asking({}, path={"model": "demo:a/b"}))).body)

    assert found["created"] == 5
    with pytest.raises(ApiError) as refusal:
        await routes.show(asking({}, path={"model": "demo:a"}))
    assert (refusal.value.status, refusal.value.code) == (404, "model_not_found")
