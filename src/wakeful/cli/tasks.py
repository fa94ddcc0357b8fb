"""`wakeful tasks`: list the background work of all sessions or of one, end a task, or print its output."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing

import click
import orjson

from wakeful.cli.client import Client, ServerEvent
from wakeful.cli.command import quiet_config, run
from wakeful.cli.connection import connected
from wakeful.cli.lists.session_list import find_session
from wakeful.cli.lists.task_list import find_task, read_tasks, task_lines
from wakeful.cli.plain_text import harmless
from wakeful.config.config import Config
from wakeful.errors import WakefulError
from wakeful.model.event import PROCESS_COMPLETE

_KILL_SECONDS = 20.0


@click.command(options_metavar="[--json]")
@click.argument("words", metavar="[SESSION | kill TASK | log TASK]", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print all that is known, as JSON.")
def tasks(words: tuple[str, ...], as_json: bool) -> None:
    """List the background work of all sessions, or of one; end a task, or print what it has said so far."""
    if len(words) > 2 or (len(words) == 2) != (words[:1] in (("kill",), ("log",))):
        raise click.UsageError("Give no arguments, a session, kill and a task, or log and a task.")
    config = quiet_config()
    run(_do(config, words, as_json))


async def _do(config: Config, words: tuple[str, ...], as_json: bool) -> None:
    is_kill = len(words) == 2 and words[0] == "kill"
    # Only the engine that watches a process can end it: without a server, this command adopts it for a moment.
    async with connected(config, adopts=is_kill, door="terminal") as client:
        if is_kill:
            await _kill(client, words[1])
        elif len(words) == 2:
            await _print_log(client, words[1])
        else:
            await _print_tasks(client, words[0] if words else "", as_json)


async def _print_tasks(client: Client, session: str, as_json: bool) -> None:
    found = await read_tasks(client, await find_session(client, session) if session else "")
    if as_json:
        click.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2))
    else:
        click.echo("\n".join(task_lines(found)) or "There is no background work.")


async def _kill(client: Client, name: str) -> None:
    task = await client.get(f"/api/tasks/{await find_task(client, name)}")
    if task["status"] != "running":
        raise WakefulError(f"{task['id']} has ended already.")
    async with aclosing(client.events("/api/session/stream", session_id=task["session_id"])) as events:
        # The first event is the current state, so no later event is missed.
        await anext(events)
        await client.post(f"/api/tasks/{task['id']}/kill", {})
        try:
            async with asyncio.timeout(_KILL_SECONDS):
                await _end_of(task["id"], events)
        except TimeoutError:
            raise WakefulError(f"{task['id']} has not ended yet; the server keeps trying.") from None
    click.echo(f"{task['id']} was ended; no agent is woken by it.")


async def _end_of(task_id: str, events: AsyncGenerator[ServerEvent, None]) -> None:
    async for event in events:
        if event.name == PROCESS_COMPLETE and event.data["process_id"] == task_id:
            return


async def _print_log(client: Client, name: str) -> None:
    """Print the output: raw into a pipe, without control characters on a terminal."""
    task_id = await find_task(client, name)
    offset, is_screen = 0, sys.stdout.isatty()
    while True:
        page = await client.get(f"/api/tasks/{task_id}/log", offset=offset)
        # click would take the colours out of what goes into a pipe.
        click.echo(harmless(page["output"]) if is_screen else page["output"], nl=False, color=True)
        if page["next_offset"] == offset:
            return
        offset = page["next_offset"]
