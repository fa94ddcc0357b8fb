"""`wakeful key`: print the local key, made if there is none."""

import os

import click

from wakeful.config.home import find_home, make_home
from wakeful.gateway.local_key import local_key


@click.command()
def key() -> None:
    """Print the local key, which the server accepts as the operator's. It is made when there is none."""
    home = find_home(os.environ)
    make_home(home)
    click.echo(local_key(home))
