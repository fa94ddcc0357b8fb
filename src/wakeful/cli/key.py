"""`wakeful key`: print the local key, or a new key for the settings."""

import os

import click

from wakeful.config.home import find_home, make_home
from wakeful.gateway.entrance.local_key import local_key, new_key


@click.command()
@click.option("--new", "is_new", is_flag=True, help="Print a new key for WAKEFUL_API_KEYS instead; it is not stored.")
def key(is_new: bool) -> None:
    """Print the local key, which the server accepts as the operator's. It is created if there is none."""
    if is_new:
        click.echo(new_key())
        return
    home = find_home(os.environ)
    make_home(home)
    click.echo(local_key(home))
