"""The folder that a command was called in: its tools work there."""

from pathlib import Path

from wakeful.errors import ConfigError


def current_folder() -> Path:
    try:
        folder = Path.cwd()
        str(folder).encode()
    except OSError as error:
        raise ConfigError(f"The current folder is not there any more ({error.strerror}).") from error
    except UnicodeEncodeError:
        raise ConfigError("The name of the current folder is not written in UTF-8: set WAKEFUL_WORKSPACE.") from None
    return folder
