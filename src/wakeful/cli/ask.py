"""`wakeful ask`: one turn, printed as it comes. It is a door that cannot deliver later: it ends with its turn."""

import os
import sys

import click

from wakeful.cli.asking.own_turn import ask_own_engine
from wakeful.cli.asking.served_turn import ask_server
from wakeful.cli.command import current_folder, run
from wakeful.cli.log import set_up_log
from wakeful.cli.server.listener import is_answered, local_socket
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import MessageUnusable

# Where a model is named for this command. The settings in the home are the server's own business: it has read them, and
# may have been told otherwise since.
_TOLD = ("--model", "WAKEFUL_MODEL")


@click.command()
@click.argument("message")
@click.option(
    "--model", metavar="PROVIDER:MODEL", help="Who answers; if not set, WAKEFUL_MODEL, or else the server's model."
)
def ask(message: str, model: str | None) -> int:
    """Ask MESSAGE, or what standard input holds if it is -, and print the answer as it comes."""
    text = _checked(_read_input() if message == "-" else message)
    defaults = {"workspace": current_folder(), "log_level": "warning"}
    config = load_config(os.environ, options={"model": model}, defaults=defaults)
    set_up_log(config)
    return run(_ask(config, text))


async def _ask(config: Config, text: str) -> int:
    """The server that holds the home answers, or else an engine of our own, for this turn only."""
    socket = local_socket(config.home)
    if is_answered(socket):
        is_told = config.origins.get("model") in _TOLD
        return await ask_server(config, socket, text, config.model if is_told else "")
    return await ask_own_engine(config, text)


def _read_input() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise MessageUnusable("What standard input holds is not a text in UTF-8.") from None


def _checked(text: str) -> str:
    if not text.strip():
        raise MessageUnusable("The message is empty.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise MessageUnusable("The message is not a text in UTF-8.") from None
    return text
