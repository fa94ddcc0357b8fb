"""`wakeful sessions`: list the sessions, newest first."""

from typing import Any

import click
import orjson

from wakeful.cli.command import quiet_config, run
from wakeful.cli.connection import connected
from wakeful.cli.lists.session_list import recent_sessions, session_lines
from wakeful.config.config import Config


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print all that is known, as JSON.")
@click.option("--limit", metavar="NUMBER", type=click.IntRange(1, 10_000), default=50, help="50 if not set.")
def sessions(as_json: bool, limit: int) -> None:
    """List the sessions, the newest first."""
    config = quiet_config()
    found = run(_read(config, limit))
    if as_json:
        click.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2))
    else:
        click.echo("\n".join(session_lines(found)) or "There are no sessions yet.")


async def _read(config: Config, limit: int) -> list[dict[str, Any]]:
    async with connected(config, adopts=False, door="terminal") as client:
        return await recent_sessions(client, limit)
