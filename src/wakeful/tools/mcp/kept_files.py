"""What is kept of MCP servers in the home folder: their listings, the tools of each running turn, and which processes
run. All of it can be lost without harm: on a full disk the servers work without it.
"""

import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from signal import SIGKILL
from typing import Any, TypeVar

import orjson

from wakeful.model.turn import Turn
from wakeful.tools.mcp.listing import ListedTool, ToolListing
from wakeful.tools.mcp.settings import McpServerSettings
from wakeful.tools.processes.kernel.grip import end_rest_of_group, grip_on
from wakeful.tools.processes.kernel.identity import Identity, own_identity

logger = logging.getLogger(__name__)

T = TypeVar("T")

# Files that no turn has used for this long are removed.
_FORGOTTEN_SECONDS = 30 * 86_400


class KeptFiles:
    def __init__(self, home: Path) -> None:
        self._folder = home / "mcp"
        self._turns = self._folder / "turns"
        self._toolsets = self._folder / "toolsets"

    def listing(self, settings: McpServerSettings) -> ToolListing | None:
        """Return what the server has listed before, unless its settings name another server since."""

        def decode(content: Mapping[str, Any]) -> ToolListing | None:
            if content["mark"] != _mark(settings):
                return None
            return ToolListing(tuple(ListedTool(**tool) for tool in content["tools"]), content["left_out"])

        return _read(self._listing_file(settings.name), decode)

    def keep_listing(self, settings: McpServerSettings, listing: ToolListing) -> None:
        content = {
            "mark": _mark(settings),
            "tools": [asdict(tool) for tool in listing.tools],
            "left_out": listing.left_out,
        }
        _write(self._listing_file(settings.name), content)

    def toolset(self, turn: Turn) -> Mapping[str, Any] | None:
        """Return what was kept for this turn before a crash."""
        kept = _read(self._turns / f"{turn.session_id}.json", lambda content: content)
        if kept is None or kept.get("turn") != turn.id:
            return None
        return _read(self._toolsets / f"{kept.get('toolset')}.json", lambda content: content)

    def keep_toolset(self, turn: Turn, content: Mapping[str, Any]) -> None:
        """Keep it for the turn, instead of what the session's last turn had: a session runs one turn at a time. Many
        turns have the same tools, which are kept once.
        """
        mark = hashlib.sha256(orjson.dumps(content)).hexdigest()
        path = self._toolsets / f"{mark}.json"
        try:
            os.utime(path)
        except OSError:
            _write(path, content)
        _write(self._turns / f"{turn.session_id}.json", {"turn": turn.id, "toolset": mark})

    def clean_up(self) -> None:
        """Kill servers whose Wakeful was killed and that have not ended by themselves, and forget old turns."""
        for path in self._folder.glob("*.pid"):
            if (found := _read(path, _processes)) is not None:
                if _is_alive(found[0]):
                    continue
                _kill(found[1])
            path.unlink(missing_ok=True)
        for path in (*self._turns.glob("*.json"), *self._toolsets.glob("*.json")):
            if path.stat().st_mtime < time.time() - _FORGOTTEN_SECONDS:
                path.unlink(missing_ok=True)

    @contextmanager
    def noted_process(self, name: str, process: Identity) -> Iterator[None]:
        """While the block runs, a crash of Wakeful leaves a note by which the next start finds the process."""
        path = self._folder / f"{name}-{process.pid}.pid"
        _write(path, {"owner": asdict(own_identity()), "process": asdict(process)})
        try:
            yield
        finally:
            with suppress(OSError):
                path.unlink()

    def _listing_file(self, name: str) -> Path:
        return self._folder / f"{name}.json"


def _mark(settings: McpServerSettings) -> str:
    """Return what tells one server from another under the same name, and nothing of its secrets."""
    wanted = None if settings.tools is None else sorted(settings.tools)
    facts = orjson.dumps([settings.command, settings.args, settings.cwd, settings.url, wanted])
    return hashlib.sha256(facts).hexdigest()


def _processes(content: Mapping[str, Any]) -> tuple[Identity, Identity]:
    return Identity(**content["owner"]), Identity(**content["process"])


def _is_alive(identity: Identity) -> bool:
    grip = grip_on(identity)
    if grip is None:
        return False
    grip.release()
    return True


def _kill(leader: Identity) -> None:
    grip = grip_on(leader)
    if grip is None:
        end_rest_of_group(leader)
        return
    grip.signal_group(SIGKILL)
    grip.release()


def _read(path: Path, decode: Callable[[Mapping[str, Any]], T | None]) -> T | None:
    """Return None also for a file that is broken or of another version."""
    try:
        return decode(orjson.loads(path.read_bytes()))
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _write(path: Path, content: Mapping[str, Any]) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft.write_bytes(orjson.dumps(content))
        draft.replace(path)
    except OSError as error:
        logger.warning("%s could not be kept: %s", path.name, error.strerror)
