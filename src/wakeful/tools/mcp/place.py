"""What a stdio server needs of this machine."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wakeful.tools.mcp.kept_files import KeptFiles
from wakeful.tools.mcp.server_log import ServerLog


@dataclass(frozen=True, slots=True)
class StdioPlace:
    # That of commands; the server's own settings are added.
    environment: Mapping[str, str]
    # Where it runs, unless its settings name another folder.
    folder: Path
    log: ServerLog
    files: KeptFiles
