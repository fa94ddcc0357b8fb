"""The file of lines typed before, readable by its owner only."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prompt_toolkit.history import FileHistory

_NAME = "chat_history"


def open_history(home: Path) -> "FileHistory":
    from prompt_toolkit.history import FileHistory

    path = home / _NAME
    # Created here with mode 0600: FileHistory would create it with the default mode.
    os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
    return FileHistory(str(path))
