"""One model of the catalogue, and the protocol of the providers that list models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from wakeful.agent.models.facts import UNKNOWN, ModelFacts


@dataclass(frozen=True, slots=True)
class ModelEntry:
    # provider:model, as sessions name it.
    id: str
    provider: str
    # Unix seconds, 0 if the provider does not say.
    created: int
    owned_by: str
    # What the provider's list says about it.
    facts: ModelFacts = UNKNOWN

    @classmethod
    def of(cls, provider: str, name: str, *, created: int = 0, owned_by: str = "", facts: ModelFacts = UNKNOWN) -> Self:
        return cls(f"{provider}:{name}", provider, created, owned_by or provider, facts)

    @property
    def name(self) -> str:
        """The model's name at its provider."""
        return self.id.removeprefix(f"{self.provider}:")


class ModelSource(Protocol):
    """A provider that can list its models."""

    @property
    def provider(self) -> str: ...

    @property
    def settings(self) -> Mapping[str, object]:
        """All settings of the provider, secrets included: the catalogue stores only a mark of them."""
        ...

    async def list_models(self) -> Sequence[ModelEntry]:
        """Ask the provider. Raises WakefulError, with a message free of secrets, if it does not answer with a list."""
        ...
