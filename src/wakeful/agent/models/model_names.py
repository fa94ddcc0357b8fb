"""Which model a client or an agent means by a name."""

from dataclasses import dataclass

from wakeful.agent.models.catalogue import Catalogue
from wakeful.agent.providers.registry import ProviderRegistry
from wakeful.errors import ConfigError

# How many models a refusal names.
_MOST_NAMED = 40


@dataclass(frozen=True, slots=True)
class ModelNames:
    catalogue: Catalogue
    providers: ProviderRegistry

    async def find(self, name: str) -> str | None:
        """Return the provider:model that is meant, None if no provider serves it."""
        found = self._known(name)
        if found is None and await self.catalogue.refresh():
            # The model is new, or this server has just started.
            found = self._known(name)
        return found

    async def choose(self, name: str) -> str:
        """Return the same for an agent that chooses a model. Raises ConfigError, with the models that it can choose."""
        found = await self.find(name)
        if found is None:
            raise ConfigError(f"There is no model {name!r}; the models are: {self._usable()}.")
        if missing := self.providers.missing_key(found):
            raise ConfigError(f"The model {found} has no key here ({missing}); the models are: {self._usable()}.")
        return found

    def _known(self, name: str) -> str | None:
        full = self.catalogue.resolve_name(name or None)
        if full is None:
            return None
        try:
            self.providers.resolve(full)
        except ConfigError:
            return None
        return full

    def _usable(self) -> str:
        ids = [entry.id for entry in self.catalogue.models() if not self.providers.missing_key(entry.id)]
        more = [f"and {len(ids) - _MOST_NAMED} more"] if len(ids) > _MOST_NAMED else []
        return ", ".join([*ids[:_MOST_NAMED], *more])
