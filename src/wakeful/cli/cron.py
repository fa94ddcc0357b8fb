"""`wakeful cron`: schedule prompts, list them and their runs, pause, resume, fire and remove them."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import click
import orjson

from wakeful.cli.client import Client
from wakeful.cli.command import quiet_config, run
from wakeful.cli.connection import connected
from wakeful.cli.lists.cron_list import find_job, job_lines, run_lines

_ID = click.argument("name", metavar="ID")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print all that is known, as JSON.")
_ZONE = click.option("--tz", "timezone", metavar="ZONE", help="Such as Europe/Berlin; the server's by default.")

Answer = Any


@click.group()
def cron() -> None:
    """Schedule prompts that are said to an agent at set times. ID is an id or a name."""


@cron.command()
@click.argument("schedule")
@click.argument("prompt")
@click.option("--deliver", metavar="TARGET", help="The chat for its answers: PLATFORM:CHAT or PLATFORM:CHAT:THREAD.")
@_ZONE
@click.option("--name", help="A name to use instead of the id.")
@click.option("--model", metavar="MODEL", help="As provider:model; the default of the chat or the server without it.")
@click.option("--fresh", is_flag=True, help="Begin a new session each time.")
@click.option("--catch-up", "catch_up_seconds", type=float, metavar="SECONDS", help="How old a missed firing may be.")
@_JSON
def add(as_json: bool, **fields: Any) -> None:
    """Add a schedule, and print its id.

    SCHEDULE is five cron fields (six: seconds first), @hourly, @daily, @weekly, @monthly, "every 10m", "in 2h" or
    "at 2027-01-31T09:00:00Z".
    """
    job = _ask(lambda client: client.post("/api/cron", fields))
    _print(job, as_json, [job["id"], *job_lines([job])])


@cron.command("list")
@_JSON
def list_jobs(as_json: bool) -> None:
    """List the schedules."""
    found = _ask(lambda client: client.get("/api/cron"))
    _print(found, as_json, job_lines(found["jobs"]) or ["There are no schedules: wakeful cron add makes one."])


@cron.command()
@_ID
@_JSON
def pause(name: str, as_json: bool) -> None:
    """Let a schedule rest until it is resumed."""
    _change(name, as_json, paused=True)


@cron.command()
@_ID
@_JSON
def resume(name: str, as_json: bool) -> None:
    """Let a paused schedule go on from now."""
    _change(name, as_json, paused=False)


@cron.command()
@_ID
@_JSON
def remove(name: str, as_json: bool) -> None:
    """Remove a schedule and the list of its runs."""
    job = _ask(partial(_with_job, name, lambda client, path: client.delete(path)))
    _print(job, as_json, ["It is removed."])


@cron.command("run")
@_ID
@_JSON
def run_job(name: str, as_json: bool) -> None:
    """Fire a schedule now."""
    fired = _ask(partial(_with_job, name, lambda client, path: client.post(f"{path}/run", {})))
    _print(fired, as_json, run_lines([fired]))


@cron.command()
@_ID
@_JSON
def runs(name: str, as_json: bool) -> None:
    """List the runs of a schedule, the newest first."""
    found = _ask(partial(_with_job, name, lambda client, path: client.get(f"{path}/runs")))
    _print(found, as_json, run_lines(found["runs"]) or ["It has not fired yet."])


@cron.command("next")
@click.argument("schedule")
@_ZONE
@click.option("--from", "since", metavar="TIME", help="Such as 2027-01-31T09:00:00Z; now by default.")
@click.option("--count", type=click.IntRange(1, 1000), default=5, show_default=True, metavar="N")
@_JSON
def next_times(schedule: str, timezone: str | None, since: str | None, count: int, as_json: bool) -> None:
    """Print when a schedule would fire, in UTC."""
    query: dict[str, str | int] = {"schedule": schedule, "count": count}
    query |= {name: value for name, value in (("timezone", timezone), ("from", since)) if value}
    found = _ask(lambda client: client.get("/api/cron/next", **query))
    _print(found, as_json, found["times"])


def _change(name: str, as_json: bool, **fields: Any) -> None:
    job = _ask(partial(_with_job, name, lambda client, path: client.patch(path, fields)))
    _print(job, as_json, job_lines([job]))


def _ask(request: Callable[[Client], Awaitable[Answer]]) -> Answer:
    async def ask() -> Answer:
        async with connected(quiet_config(), adopts=False, door="terminal") as client:
            return await request(client)

    return run(ask())


async def _with_job(name: str, request: Callable[[Client, str], Awaitable[Answer]], client: Client) -> Answer:
    """Make a request to the path of the job with this id or name."""
    return await request(client, f"/api/cron/{await find_job(client, name)}")


def _print(answer: Answer, as_json: bool, lines: list[str]) -> None:
    click.echo(orjson.dumps(answer, option=orjson.OPT_INDENT_2) if as_json else "\n".join(lines))
