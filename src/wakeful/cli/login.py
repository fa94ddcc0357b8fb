"""`wakeful login`: print a new link that logs a browser in."""

import click

from wakeful.cli.client import Client
from wakeful.cli.command import quiet_config, run
from wakeful.cli.server.listener import is_answered, local_socket
from wakeful.config.config import Config
from wakeful.errors import ConfigError
from wakeful.gateway.entrance.local_key import local_key


@click.command()
@click.option("--as", "name", metavar="NAME", help="Whose sessions the page shows: a name in api_keys; you if not set.")
def login(name: str | None) -> None:
    """Print a link that opens the web page. It works once, within an hour."""
    config = quiet_config()
    click.echo(run(_ask(config, name)))


async def _ask(config: Config, name: str | None) -> str:
    """Ask the running server. An engine in this process would end with this command, and make its link useless."""
    socket = local_socket(config.home)
    if not is_answered(socket):
        raise ConfigError(f"No server runs with the home {config.home}: start one with wakeful serve.")
    async with Client(socket, local_key(config.home), "terminal") as client:
        answer = await client.post("/api/login/link", {} if name is None else {"as": name})
    return str(answer["url"])
