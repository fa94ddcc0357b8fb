"""One model of the catalogue, and where its like are asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self


@dataclass(frozen=True, slots=True)
class ModelEntry:
    # provider:model, as sessions name it.
    id: str
    provider: str
    # Unix seconds, 0 where its provider does not say.
    created: int
    owned_by: str

    @classmethod
    def of(cls, provider: str, name: str, *, created: int = 0, owned_by: str = "") -> Self:
        return cls(f"{provider}:{name}", provider, created, owned_by or provider)

    @property
    def name(self) -> str:
        """What its provider calls it."""
        return self.id.removeprefix(f"{self.provider}:")


class ModelSource(Protocol):
    """A provider that can be asked which models it has."""

    @property
    def provider(self) -> str: ...

    @property
    def settings(self) -> Mapping[str, object]:
        """All of the provider's settings, secrets included: the catalogue keeps no more than a mark of them."""
        ...

    async def list_models(self) -> Sequence[ModelEntry]:
        """Ask the provider. Raises WakefulError, in words without secrets, when it does not tell."""
        ...
