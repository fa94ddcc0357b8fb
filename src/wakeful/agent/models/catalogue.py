"""The models that providers offer, cached in memory and on disk.

Reading never waits for the network. A request for an unknown model may wait briefly for a running refresh.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from wakeful.agent.models.catalogue_file import CatalogueFile, Listing
from wakeful.agent.models.entry import ModelEntry, ModelSource
from wakeful.agent.models.facts import UNKNOWN, ModelFacts
from wakeful.agent.models.settings_mark import digest, settings_mark
from wakeful.agent.providers.demo.model import MODEL_NAMES
from wakeful.errors import WakefulError
from wakeful.model.api.request import DEFAULT_MODEL

# How long a caller waits for a refresh, which then continues without it, and how long one provider may take to answer.
_PATIENCE_SECONDS = 4.0
_LIMIT_SECONDS = 60.0
# How old a provider's list may become before it is asked for again.
_FRESH_SECONDS = 600.0
# How long after a failure no provider is asked again.
_PAUSE_SECONDS = 60.0

logger = logging.getLogger(__name__)


class Catalogue:
    """Not thread-safe: used on the event loop only. `default` is the configured model, as provider:model, `fallbacks`
    are those that stand in for it.
    """

    def __init__(
        self,
        sources: Sequence[ModelSource],
        file: Path,
        default: str,
        *,
        fallbacks: Sequence[str] = (),
        clock: Callable[[], float] = time.time,
        patience: float = _PATIENCE_SECONDS,
        limit: float = _LIMIT_SECONDS,
    ) -> None:
        self._sources = sources
        self._marks = settings_marks(sources)
        self._file = CatalogueFile(file)
        self._default = default
        self._fallbacks = fallbacks
        self._clock = clock
        self._patience = patience
        self._limit = limit
        # By provider. None until the file has been read.
        self._listings: dict[str, Listing] | None = None
        self._failed_at: float | None = None
        self._job: asyncio.Task[None] | None = None
        self._is_closed = False

    def models(self) -> list[ModelEntry]:
        """Return the known models without waiting, and start a refresh in the background if they are out of date."""
        if self._is_due():
            self._start()
        return self._entries()

    async def refresh(self) -> bool:
        """Wait briefly for the running refresh, or start one if it is due; return false if neither is the case. The
        refresh continues after the wait, even if the caller is cancelled.
        """
        job = self._start() if self._is_due() else self._job
        if job is None:
            return False
        await asyncio.wait([job], timeout=self._patience)
        return True

    def facts_of(self, model: str) -> ModelFacts:
        """Return what the provider's list says about a model, as provider:model. No provider is asked."""
        listing = self._known().get(model.partition(":")[0])
        entries = () if listing is None else listing.entries
        return next((entry.facts for entry in entries if entry.id == model), UNKNOWN)

    def fingerprint(self) -> str:
        """Return a digest of the providers, their settings and their models. A rotated token does not change it, and no
        provider is asked.
        """
        return digest([self._marks, [entry.id for entry in self._entries()]])

    def resolve_name(self, name: str | None) -> str | None:
        """Return the provider:model that a client means by a name, None if it is unknown. No provider is asked.

        A full name is returned as it is: the registry knows whether that provider exists.
        """
        if name is None or name == DEFAULT_MODEL:
            return self._default
        provider, _, model = name.partition(":")
        is_full = bool(provider and model)
        entries = self._entries()
        if is_full and any(entry.provider == provider for entry in entries):
            return name
        # Local models have names such as llama3.2:3b, which only look full.
        bare = {entry.name: entry.id for entry in reversed(entries)} | {_named(self._default).name: self._default}
        return bare.get(name) or (name if is_full else None)

    async def close(self) -> None:
        self._is_closed = True
        if self._job is not None:
            self._job.cancel()
            await asyncio.wait([self._job])

    def _is_due(self) -> bool:
        now = self._clock()
        if self._failed_at is not None and 0 <= now - self._failed_at < _PAUSE_SECONDS:
            return False
        known = self._known()
        # A time in the future says nothing about the age: the clock was set back.
        return any(name not in known or not 0 <= now - known[name].at < _FRESH_SECONDS for name in self._marks)

    def _entries(self) -> list[ModelEntry]:
        """Return the known models, sorted by id. They always include the demonstration model and the configured
        ones.
        """
        built_in = [ModelEntry.of("demo", name) for name in MODEL_NAMES]
        configured = [_named(id) for id in (self._default, *self._fallbacks)]
        listed = [entry for listing in self._known().values() for entry in listing.entries]
        entries = {entry.id: entry for entry in [*built_in, *configured, *listed]}
        return [entries[id] for id in sorted(entries)]

    def _known(self) -> dict[str, Listing]:
        if self._listings is None:
            # A listing made with other settings may be of another endpoint.
            self._listings = {
                provider: listing
                for provider, listing in self._file.read().items()
                if self._marks.get(provider) == listing.mark
            }
        return self._listings

    def _start(self) -> asyncio.Task[None] | None:
        """Return the running refresh; start one if none runs."""
        if self._job is None and self._sources and not self._is_closed:
            self._job = asyncio.create_task(self._refresh())
            self._job.add_done_callback(self._forget_job)
        return self._job

    def _forget_job(self, job: asyncio.Task[None]) -> None:
        self._job = None

    async def _refresh(self) -> None:
        are_listed = await asyncio.gather(*(self._ask(source) for source in self._sources))
        self._failed_at = None if all(are_listed) else self._clock()
        if any(are_listed):
            await self._keep(self._known())

    async def _ask(self, source: ModelSource) -> bool:
        """Fetch the models of one provider; they can be read before the other providers have answered. On failure, log
        it, keep the old listing and return false.
        """
        provider = source.provider
        try:
            async with asyncio.timeout(self._limit):
                entries = await source.list_models()
        except TimeoutError:
            logger.warning("%s did not list its models within %g s", provider, self._limit)
        except WakefulError as error:
            logger.warning("cannot list the models of %s: %s", provider, error)
        except Exception:  # The boundary of a background job: one provider must not affect the others.
            logger.exception("listing the models of %s broke", provider)
        else:
            listing = Listing(self._marks[provider], self._clock(), tuple(entries))
            self._listings = {**self._known(), provider: listing}
            return True
        return False

    async def _keep(self, listings: dict[str, Listing]) -> None:
        try:
            await asyncio.to_thread(self._file.write, listings)
        except OSError as error:
            logger.warning("cannot save the list of models: %s", error)


def settings_marks(sources: Sequence[ModelSource]) -> dict[str, str]:
    return {source.provider: settings_mark(source.settings) for source in sources}


def _named(id: str) -> ModelEntry:
    provider, _, name = id.partition(":")
    return ModelEntry.of(provider, name)
