"""What tests of the catalogue share: a provider and a clock that do what a test says."""

import asyncio
from collections.abc import Mapping, Sequence

from wakeful.agent.models.catalogue import Catalogue
from wakeful.agent.models.entry import ModelEntry
from wakeful.agent.models.facts import UNKNOWN

DEFAULT = "openai:gpt-5"


class Source:
    """A provider that answers when the test lets it."""

    def __init__(self, *names: str, provider: str = "openai", settings: Mapping[str, object] | None = None) -> None:
        self.provider = provider
        self.settings = settings or {}
        self.names: Sequence[str] = names
        self.facts = UNKNOWN
        self.error: Exception | None = None
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.was_asked = asyncio.Event()
        self.asked = 0

    async def list_models(self) -> list[ModelEntry]:
        self.asked += 1
        self.was_asked.set()
        await self.may_answer.wait()
        if self.error:
            raise self.error
        return [ModelEntry.of(self.provider, name, facts=self.facts) for name in self.names]


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def ids(catalogue: Catalogue) -> list[str]:
    return [entry.id for entry in catalogue.models()]


def reading_starts_a_refresh(catalogue: Catalogue) -> bool:
    before = asyncio.all_tasks()
    catalogue.models()
    return asyncio.all_tasks() != before
