"""Checks that need only the settings and this machine."""

from ipaddress import ip_address

from wakeful.agent.instructions.skills import find_skills
from wakeful.agent.models.fact_book import unpriced_sentence
from wakeful.building.models import build_models, build_providers
from wakeful.cli.doctor.result import CheckResult
from wakeful.cli.server.listener import bind_listener, is_answered, local_socket, url_of
from wakeful.config.config import Config
from wakeful.config.home import make_home
from wakeful.errors import ConfigError
from wakeful.tools.processes.sandbox import SandboxSetting, choose_sandbox
from wakeful.tools.search.engines import find_ripgrep

_OTHERS = 0o077


def check_home(config: Config) -> CheckResult:
    try:
        make_home(config.home)
    except ConfigError as error:
        return CheckResult.fail("home", str(error))
    if config.home.stat().st_mode & _OTHERS:
        return CheckResult.warn("home", f"Other users can look into {config.home}: run chmod 700 {config.home}.")
    return CheckResult.ok("home", str(config.home))


async def check_model(config: Config) -> CheckResult:
    try:
        providers = build_providers(config)
    except ConfigError as error:
        return CheckResult.fail("model", str(error))
    await providers.close()
    for name in config.models:
        if name.partition(":")[0] not in {"demo", *config.providers.endpoints}:
            return CheckResult.warn("model", f'[models."{name}"] is about no model: there is no such provider.')
    if config.model.startswith("demo:"):
        return CheckResult.warn("model", "The demonstration model answers: set WAKEFUL_MODEL, as in openai:gpt-5.")
    return CheckResult.ok("model", ", then ".join((config.model, *config.agent.fallback_models)))


def check_spend(config: Config) -> CheckResult:
    soft, hard = config.engine.daily_spend_usd, config.engine.daily_spend_hard_usd
    if soft is not None and hard is not None and soft > hard:
        words = "daily_spend_usd is above daily_spend_hard_usd, so it is never reached: exchange the two."
        return CheckResult.warn("spend", words)
    caps = {"nothing wakes by itself": soft, "all stops": hard}
    said = [f"after {usd:g} USD a day {what}" for what, usd in caps.items() if usd is not None]
    if not said:
        return CheckResult.ok("spend", "no limit")
    _, facts = build_models(config)
    for model in (config.model, *config.agent.fallback_models):
        if not facts.look_up(model)[0].is_priced:
            return CheckResult.warn("spend", unpriced_sentence(model))
    return CheckResult.ok("spend", ", ".join(said))


def check_sandbox(config: Config) -> CheckResult:
    choice = choose_sandbox(config.sandbox, config.home)
    if choice.sandbox is not None:
        return CheckResult.ok("sandbox", f"bwrap: {choice.why}")
    if config.sandbox is SandboxSetting.BWRAP:
        return CheckResult.fail("sandbox", f"The setting is bwrap, but {choice.why}.")
    danger = "an agent's command can read the key, and so answer its own questions"
    return CheckResult.warn("sandbox", f"None, because {choice.why}: {danger} (docs/gate.md).")


def check_search() -> CheckResult:
    ripgrep = find_ripgrep()
    return CheckResult.ok("search", f"ripgrep, {ripgrep}" if ripgrep else "our own; ripgrep, once installed, is faster")


def check_skills(config: Config) -> CheckResult:
    """Look at the skills of the server and of the usual workspace."""
    skills = find_skills(config.home, config.workspace)
    bad = [skill for skill in skills if skill.error]
    if bad:
        more = f" ({len(bad) - 1} more)" if len(bad) > 1 else ""
        return CheckResult.warn("skills", f"{bad[0].path}: {bad[0].error}{more}")
    return CheckResult.ok("skills", f"{len(skills)} found")


def check_port(config: Config) -> CheckResult:
    if is_answered(local_socket(config.home)):
        # Which port it was started with is its own business: `--port` may have named another than the settings.
        return CheckResult.ok("port", "the server runs")
    try:
        with bind_listener(config) as listener:
            return CheckResult.ok("port", f"{url_of(listener)} is free, and no server runs")
    except ConfigError as error:
        return CheckResult.fail("port", str(error))


def check_hooks(config: Config) -> CheckResult:
    if not config.hooks:
        return CheckResult.ok("hooks", "none")
    names = ", ".join(hook.name for hook in config.hooks)
    if not config.public_url and _is_loopback(config.host):
        return CheckResult.warn(
            "hooks", f"Only this machine can reach {names}: let a proxy serve them, and set WAKEFUL_PUBLIC_URL."
        )
    return CheckResult.ok("hooks", f"{names} at {config.public_url or f'port {config.port}'}/hooks/NAME")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
