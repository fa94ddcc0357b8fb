"""`wakeful logins`: list the browsers that are logged in, and log them out."""

import click
import orjson

from wakeful.cli.client import Client
from wakeful.cli.command import quiet_config, run
from wakeful.cli.connection import connected
from wakeful.cli.lists.login_list import find_login, login_lines, read_logins
from wakeful.config.config import Config


@click.command(options_metavar="[--json]")
@click.argument("words", metavar="[revoke ID | revoke --all]", nargs=-1)
@click.option("--all", "all_of_them", is_flag=True, help="With revoke: log every browser out.")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known, as JSON.")
def logins(words: tuple[str, ...], all_of_them: bool, as_json: bool) -> None:
    """List the browsers that are logged in, or log one or all of them out. What they have open ends at once."""
    is_revoke = words[:1] == ("revoke",) and len(words) == (1 if all_of_them else 2)
    if not is_revoke and (words or all_of_them):
        raise click.UsageError("Give no arguments, revoke and the id of a login, or revoke --all.")
    config = quiet_config()
    run(_do(config, words[1:], is_revoke=is_revoke, as_json=as_json))


async def _do(config: Config, named: tuple[str, ...], *, is_revoke: bool, as_json: bool) -> None:
    async with connected(config, adopts=False, door="terminal") as client:
        if is_revoke:
            await _revoke(client, named)
        elif as_json:
            click.echo(orjson.dumps(await read_logins(client), option=orjson.OPT_INDENT_2))
        else:
            click.echo("\n".join(login_lines(await read_logins(client))) or "No browser is logged in.")


async def _revoke(client: Client, named: tuple[str, ...]) -> None:
    """Log one browser out, or all if none is named."""
    which = {"id": await find_login(client, named[0])} if named else {"others": "true"}
    count = (await client.delete("/api/logins", **which))["ended"]
    click.echo(f"{count} browser{'s are' if count != 1 else ' is'} logged out.")
