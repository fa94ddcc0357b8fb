"""`wakeful grants`: list and revoke what agents may do without asking."""

from typing import Any

import click
import orjson

from wakeful.cli.client import Client
from wakeful.cli.command import quiet_config, run
from wakeful.cli.connection import connected
from wakeful.cli.lists.short_id import only_one, short_id
from wakeful.cli.plain_text import clock_time, moment, one_line
from wakeful.config.config import Config
from wakeful.errors import GrantNotFound
from wakeful.model.approvals.grant import short_folder

_EXAMPLE_LENGTH = 100
_HOW = "wakeful grants revoke ID takes one back, wakeful grants revoke --all takes back all."

GrantData = dict[str, Any]


@click.command(options_metavar="[--all] [--json]")
@click.argument("words", metavar="[revoke ID]", nargs=-1)
@click.option("--all", "is_all", is_flag=True, help="With revoke: all that are listed.")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known, as JSON.")
def grants(words: tuple[str, ...], is_all: bool, as_json: bool) -> None:
    """List what you have allowed agents to do without asking, or revoke it: from the next call on they ask again."""
    is_revoking = words[:1] == ("revoke",) and len(words) == (1 if is_all else 2)
    if (words or is_all) and not is_revoking:
        raise click.UsageError("Give no arguments, revoke and the ID of a grant, or revoke --all.")
    config = quiet_config()
    run(_do(config, words, is_all, as_json))


async def _do(config: Config, words: tuple[str, ...], is_all: bool, as_json: bool) -> None:
    async with connected(config, adopts=False, door="terminal") as client:
        found: list[GrantData] = (await client.get("/api/grants"))["grants"]
        if not words:
            click.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2) if as_json else _listed(found))
        elif is_all:
            await _revoke(client, found)
        else:
            named = only_one(words[1], [grant["id"] for grant in found], GrantNotFound, "grant")
            await _revoke(client, [grant for grant in found if grant["id"] == named])


async def _revoke(client: Client, grants: list[GrantData]) -> None:
    for grant in grants:
        await client.delete("/api/grants", id=grant["id"])
        click.echo(f"Revoked: calls that {one_line(grant['words'])} are asked about again {_scope(grant)}.")
    if not grants:
        click.echo("There is nothing to revoke.")


def _listed(grants: list[GrantData]) -> str:
    if not grants:
        return "Nothing is allowed for longer than one call: every dangerous command is asked about."
    lines = [line for grant in grants for line in _lines(grant)]
    return "\n".join([*lines, "", _HOW])


def _lines(grant: GrantData) -> list[str]:
    example = one_line(grant["example"])
    short = example if len(example) <= _EXAMPLE_LENGTH else f"{example[: _EXAMPLE_LENGTH - 1]}…"
    return [
        f"{short_id(grant['id'])}  Calls that {one_line(grant['words'])}, {_scope(grant)}, {_end(grant)}",
        f"        {_uses(grant)}{f'; allowed for: {short}' if short else ''}",
    ]


def _scope(grant: GrantData) -> str:
    if grant["scope"] == "session":
        return f"in the session {one_line(grant['session_id'])} and its sub-agents"
    chat = f" for the chat {one_line(grant['key'])}" if grant["key"] else ""
    return f"in {one_line(short_folder(grant['folder']))} and below{chat}"


def _end(grant: GrantData) -> str:
    if grant["expires_at"] is None:
        return "as long as it exists"
    day = moment(grant["expires_at"]).astimezone()
    return f"until {day.day} {day:%B %Y}"


def _uses(grant: GrantData) -> str:
    if not grant["uses"]:
        return "not used yet"
    times = "once" if grant["uses"] == 1 else f"{grant['uses']:,} times"
    return f"used {times}, last {clock_time(grant['last_used_at'])}"
