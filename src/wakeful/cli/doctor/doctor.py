"""`wakeful doctor`: check what the server needs, with or without a running one."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial

import click
import orjson

from wakeful.cli.client import Client
from wakeful.cli.command import quiet_config, run
from wakeful.cli.connection import connected
from wakeful.cli.doctor.mcp_checks import check_mcp
from wakeful.cli.doctor.platform_checks import check_platforms
from wakeful.cli.doctor.provider_checks import check_providers
from wakeful.cli.doctor.result import CheckResult, CheckState
from wakeful.cli.doctor.server_checks import check_cron, check_database, check_doors, check_outbox, check_people
from wakeful.cli.doctor.settings_checks import (
    check_home,
    check_hooks,
    check_model,
    check_port,
    check_sandbox,
    check_search,
    check_skills,
    check_spend,
)
from wakeful.cli.server.listener import is_answered, local_socket
from wakeful.config.config import Config
from wakeful.errors import ConfigError, WakefulError
from wakeful.tools.processes.output.secrets import Redactor

ServerCheck = Callable[[Config, Client], Awaitable[CheckResult]]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the checks as JSON.")
@click.option("--online", "is_online", is_flag=True, help="Ask the endpoints of the models, too.")
def doctor(as_json: bool, is_online: bool) -> int:
    """Check the settings, the database, the model, the messaging platforms, MCP servers, schedules and hooks."""
    try:
        config = quiet_config()
    except ConfigError as error:
        found, redact = [CheckResult.fail("settings", str(error))], Redactor(frozenset()).text
    else:
        found, redact = run(_examine(config, is_online=is_online)), Redactor(frozenset(config.secrets)).text
    click.echo(redact(_as_json(found) if as_json else "\n".join(result.line for result in found)))
    return 1 if any(result.state is CheckState.FAIL for result in found) else 0


async def _examine(config: Config, *, is_online: bool) -> list[CheckResult]:
    return [
        check_home(config),
        await check_model(config),
        *await check_providers(config, is_online=is_online),
        check_spend(config),
        check_skills(config),
        check_port(config),
        check_sandbox(config),
        check_search(),
        *[result async for result in _examine_server(config)],
        *await check_platforms(config),
        check_hooks(config),
    ]


async def _examine_server(config: Config) -> AsyncIterator[CheckResult]:
    """Ask the running server, or else an engine in this process. That one runs no turn, so any model will do: one that
    is configured wrongly is another check's result.
    """
    modest = replace(config, model="demo:wakeful", agent=replace(config.agent, fallback_models=()))
    is_served = is_answered(local_socket(config.home))
    checks: list[tuple[str, ServerCheck]] = [
        ("database", check_database),
        ("cron", partial(check_cron, is_served=is_served)),
    ]
    if config.messaging.doors:
        checks += [("people", check_people), ("outbox", check_outbox)]
        checks += [("doors", check_doors)] if is_served else []
    checks += [(f"mcp:{server.name}", partial(check_mcp, server=server)) for server in config.mcp]
    try:
        async with connected(modest, adopts=False, door="terminal") as client:
            for name, check in checks:
                yield await _guarded(name, check(config, client))
    except WakefulError as error:
        yield CheckResult.fail("database", str(error))


async def _guarded(name: str, check: Awaitable[CheckResult]) -> CheckResult:
    try:
        return await check
    except WakefulError as error:
        return CheckResult.fail(name, str(error))


def _as_json(found: list[CheckResult]) -> str:
    checks = [{"name": result.name, "state": result.state, "message": result.message} for result in found]
    return orjson.dumps({"checks": checks}, option=orjson.OPT_INDENT_2).decode()
