"""$WAKEFUL_HOME: the folder that holds the settings, the database and the key."""

import os
from collections.abc import Mapping
from pathlib import Path

from wakeful.errors import ConfigError

HOME_VARIABLE = "WAKEFUL_HOME"
# In that folder.
CONFIG_FILE = "config.toml"


def find_home(environment: Mapping[str, str]) -> Path:
    named = environment.get(HOME_VARIABLE, "").strip() or "~/.wakeful"
    try:
        return Path(named).expanduser().absolute()
    except (RuntimeError, OSError) as error:
        raise ConfigError(
            f"There is no folder for {named}: set {HOME_VARIABLE} to the absolute path of a folder that can be written."
        ) from error


def make_home(home: Path) -> None:
    """Create the folder if it does not exist, readable by its owner only. Raises ConfigError."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"The folder {home} cannot be made ({error.strerror}): {_ADVICE}.") from error
    if not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        raise ConfigError(f"The folder {home} cannot be written: {_ADVICE}.")


_ADVICE = f"check its owner and permissions, or set {HOME_VARIABLE} to another folder"
