"""What the commands share: their settings, the folder they are called in, and the event loop."""

import os
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from wakeful.cli.log import set_up_log
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import ConfigError

T = TypeVar("T")


def quiet_config() -> Config:
    """Load the settings and set up the log of a command that prints a result: only warnings are logged."""
    config = load_config(os.environ, defaults={"log_level": "warning"})
    set_up_log(config)
    return config


def current_folder() -> Path:
    """Return the folder that the command was called in; the tools of its sessions work there. Raises ConfigError."""
    try:
        folder = Path.cwd()
        str(folder).encode()
    except OSError as error:
        raise ConfigError(f"The current folder no longer exists ({error.strerror}).") from error
    except UnicodeEncodeError:
        raise ConfigError("The name of the current folder is not written in UTF-8: set WAKEFUL_WORKSPACE.") from None
    return folder


def run(main: Coroutine[Any, Any, T]) -> T:
    # Imported here: `wakeful --help` needs no event loop.
    import uvloop

    return uvloop.run(main)
