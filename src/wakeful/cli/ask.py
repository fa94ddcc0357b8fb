"""`wakeful ask`: run one turn and print it as it arrives. The command ends with the turn, so nothing can be delivered
later.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from wakeful.cli.asking.own_turn import ask_own_engine
from wakeful.cli.asking.served_turn import ask_server
from wakeful.cli.command import current_folder, run
from wakeful.cli.log import set_up_log
from wakeful.cli.server.listener import is_answered, local_socket
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import MessageUnusable

# Where the user names a model for this command. A model in config.toml is the server's setting, and the server may have
# another one by now.
_MODEL_ORIGINS = ("--model", "WAKEFUL_MODEL")


@click.command()
@click.argument("message")
@click.option(
    "--model", metavar="PROVIDER:MODEL", help="Who answers; if not set, WAKEFUL_MODEL, or else the server's model."
)
@click.option(
    "--attach",
    "files",
    metavar="PATH",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Send this file along; may be given several times.",
)
def ask(message: str, model: str | None, files: tuple[Path, ...]) -> int:
    """Ask MESSAGE, or what standard input holds if it is -, and print the answer as it comes."""
    text = _checked(_read_input() if message == "-" else message)
    defaults = {"workspace": current_folder(), "log_level": "warning"}
    config = load_config(os.environ, options={"model": model}, defaults=defaults)
    set_up_log(config)
    return run(_ask(config, text, files))


async def _ask(config: Config, text: str, files: Sequence[Path]) -> int:
    """Ask the running server; without one, run the turn on an engine in this process."""
    socket = local_socket(config.home)
    if is_answered(socket):
        is_named = config.origins.get("model") in _MODEL_ORIGINS
        return await ask_server(config, socket, text, config.model if is_named else "", files)
    return await ask_own_engine(config, text, files)


def _read_input() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise MessageUnusable("Standard input is not text in UTF-8.") from None


def _checked(text: str) -> str:
    if not text.strip():
        raise MessageUnusable("The message is empty.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise MessageUnusable("The message is not text in UTF-8.") from None
    return text
