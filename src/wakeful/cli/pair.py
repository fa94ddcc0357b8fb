"""`wakeful pair`: list who may talk on messaging platforms, let people in and remove them."""

from typing import Any
from urllib.parse import quote

import click
import orjson

from wakeful.cli.client import Client
from wakeful.cli.command import quiet_config, run
from wakeful.cli.connection import connected
from wakeful.cli.plain_text import aligned, clock_time, one_line
from wakeful.config.config import Config

_HEADINGS = ["PLATFORM", "USER", "NAME", "STATE", "SINCE"]
_NOBODY = (
    "No one is paired or waits to be. A stranger who writes to the bot gets a code; people in WAKEFUL_<PLATFORM>_ALLOW "
    "need none."
)

PairingData = dict[str, Any]


@click.command(options_metavar="[--remove PLATFORM:USER] [--json]")
@click.argument("code", required=False)
@click.option("--remove", "person", metavar="PLATFORM:USER", help="Let this person in no longer.")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known, as JSON.")
def pair(code: str | None, person: str | None, as_json: bool) -> None:
    """List who may talk to the agent on messaging platforms, or let in the person with this CODE."""
    if code is not None and person is not None:
        raise click.UsageError("Give either a code or --remove.")
    config = quiet_config()
    run(_do(config, code, person, as_json))


async def _do(config: Config, code: str | None, person: str | None, as_json: bool) -> None:
    async with connected(config, adopts=False, door="terminal") as client:
        if code is not None:
            await _let_in(client, code)
        elif person is not None:
            # A slash in it would be another address.
            await client.delete(f"/api/pairings/{quote(person, safe=':')}")
            click.echo(f"{one_line(person)} may not talk any more.")
        else:
            found: list[PairingData] = (await client.get("/api/pairings"))["pairings"]
            click.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2) if as_json else _listed(found))


async def _let_in(client: Client, code: str) -> None:
    person = await client.post("/api/pairings", {"code": code})
    click.echo(f"{person['platform']} {one_line(person['user_id'])} ({one_line(person['name'])}) may talk now.")


def _listed(pairings: list[PairingData]) -> str:
    if not pairings:
        return _NOBODY
    rows = map(_row, sorted(pairings, key=lambda pairing: pairing["paired"]))
    return "\n".join(aligned([_HEADINGS, *rows]))


def _row(pairing: PairingData) -> list[str]:
    is_paired = pairing["paired"]
    state = "may talk" if is_paired else f"waits: wakeful pair {pairing['code']}"
    since = clock_time(pairing["paired_at"] if is_paired else pairing["asked_at"])
    return [pairing["platform"], one_line(pairing["user_id"]), one_line(pairing["name"]), state, since]
