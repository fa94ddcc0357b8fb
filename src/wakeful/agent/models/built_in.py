"""The table of common models that comes with the package: built_in.toml, which says how old it is."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from wakeful.agent.models.facts import UNKNOWN, ModelFacts

_FILE = Path(__file__).with_name("built_in.toml")
# What providers add to the name of one release: -2024-08-06, -20250514, -latest.
_RELEASE = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$")


def built_in_facts(name: str) -> ModelFacts:
    """Return the facts about a model by its name at any provider: routers put the maker before it, as in openai/gpt-5,
    and local servers a size behind it, as in qwen3:8b.
    """
    name = name.rpartition("/")[2].lower()
    names = (name, _RELEASE.sub("", name), name.partition(":")[0])
    return next((_table()[known] for known in names if known in _table()), UNKNOWN)


@cache
def _table() -> Mapping[str, ModelFacts]:
    """Read the table when it is first needed: most commands never ask."""
    makers = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    del makers["as_of"]
    return {name: _facts(row) for models in makers.values() for name, row in models.items()}


def _facts(row: Mapping[str, Any]) -> ModelFacts:
    input_price, output_price = row.get("usd", (None, None))
    return ModelFacts(
        context_window=row.get("window"),
        max_output=row.get("output"),
        vision=row.get("vision"),
        input_price=input_price,
        cached_price=row.get("cached"),
        output_price=output_price,
    )
