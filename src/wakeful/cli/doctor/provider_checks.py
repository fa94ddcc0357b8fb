"""Checks of the endpoints whose models are named in the settings."""

import asyncio
from collections.abc import Sequence
from difflib import get_close_matches

from wakeful.agent.models.model_list import EndpointModels
from wakeful.agent.providers.endpoint_errors import SHORTEST_SECRET
from wakeful.agent.providers.endpoint_settings import EndpointSettings
from wakeful.cli.doctor.result import CheckResult, CheckState
from wakeful.config.config import Config
from wakeful.errors import ModelError

_ONLINE = "wakeful doctor --online"
_PATIENCE_SECONDS = 20.0
_SHOWN = 5


async def check_providers(config: Config, *, is_online: bool) -> list[CheckResult]:
    """Check each endpoint in use. The endpoints themselves are asked only if `is_online`."""
    checks = (_check(config.providers.endpoints[name], used, config, is_online) for name, used in _used(config).items())
    found = await asyncio.gather(*checks)
    return [
        _with_key(config.providers.endpoints[name], result) for name, result in zip(_used(config), found, strict=True)
    ]


def _with_key(endpoint: EndpointSettings, found: CheckResult) -> CheckResult:
    """Warn of a key that is too short to be masked: it would be a part of ordinary words."""
    if found.state is not CheckState.OK or not 0 < len(endpoint.api_key) < SHORTEST_SECRET:
        return found
    advice = "Fine for a placeholder; get a longer one if it is a real key"
    return CheckResult.warn(found.name, f"Its key is too short to be masked in logs, outputs and errors. {advice}.")


def _used(config: Config) -> dict[str, list[str]]:
    """Return the models of each endpoint that the settings name, as provider:model. Unknown providers are left out: the
    check of the model names them.
    """
    named = [config.model, config.agent.compact_model, *config.agent.fallback_models]
    found: dict[str, list[str]] = {}
    for model in dict.fromkeys(name for name in named if name):
        provider = model.partition(":")[0].strip()
        if provider in config.providers.endpoints:
            found.setdefault(provider, []).append(model)
    return found


async def _check(endpoint: EndpointSettings, used: Sequence[str], config: Config, is_online: bool) -> CheckResult:
    name = f"provider:{endpoint.name}"
    if endpoint.lacks_key:
        found = CheckResult.fail if config.model in used else CheckResult.warn
        return found(name, f"{' and '.join(used)} cannot answer without a key: set {endpoint.key_setting}.")
    if not is_online:
        return CheckResult.ok(name, f"{endpoint.wire}, {endpoint.base_url}; not asked, as {_ONLINE} does")
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            listed = [entry.name for entry in await EndpointModels(endpoint).list_models()]
    except TimeoutError:
        return CheckResult.fail(name, f"{endpoint.base_url} listed no models within {_PATIENCE_SECONDS:g} s.")
    except ModelError as error:
        return _unlisted(name, error)
    return _compared(name, used, listed)


def _unlisted(name: str, error: ModelError) -> CheckResult:
    if error.code == "model_not_found":
        return CheckResult.warn(name, f"{error} If it lists no models at all, only a message can tell.")
    return CheckResult.fail(name, str(error))


def _compared(name: str, used: Sequence[str], listed: Sequence[str]) -> CheckResult:
    """Warn of a model that is not listed: some endpoints know more names than they list."""
    for model in used:
        wanted = model.partition(":")[2].strip()
        if listed and wanted not in listed:
            near = get_close_matches(wanted, listed, _SHOWN) or listed[:_SHOWN]
            return CheckResult.warn(name, f"It lists no model {wanted}: check the name. It has {', '.join(near)}.")
    return CheckResult.ok(name, f"it answers, and lists {len(listed)} models")
