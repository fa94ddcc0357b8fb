"""`wakeful login`: print a new link by which a browser logs in."""

import os

import click

from wakeful.cli.client import Client
from wakeful.cli.event_loop import run
from wakeful.cli.log import set_up_log
from wakeful.cli.server.listener import is_answered, local_socket
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import ConfigError
from wakeful.gateway.entrance.local_key import local_key


@click.command()
@click.option("--as", "name", metavar="NAME", help="Whose sessions the page shows: a name in api_keys; you if not set.")
def login(name: str | None) -> None:
    """Print a link that opens the web page. It works once, within an hour."""
    config = load_config(os.environ, defaults={"log_level": "warning"})
    set_up_log(config)
    click.echo(run(_ask(config, name)))


async def _ask(config: Config, name: str | None) -> str:
    """Only of a server that is there: a link to one that ends with this command would lead nowhere."""
    socket = local_socket(config.home)
    if not is_answered(socket):
        raise ConfigError(f"No server runs with the home {config.home}: start one with wakeful serve.")
    async with Client(socket, local_key(config.home), "terminal") as client:
        answer = await client.post("/api/login/link", {} if name is None else {"as": name})
    return str(answer["url"])
