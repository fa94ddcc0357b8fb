"""Keeps agents' commands from answering for a person.

They run as the same user as the server, so the local socket is open to them; there the calling process is checked.
"""

import re
import socket
import struct
from collections.abc import Callable
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from wakeful.wire.errors import error_response
from wakeful.wire.sse import TRANSPORT

_RESERVED = re.compile(
    r"/api/approval/respond|/api/grants|/api/login/link|/api/pairings(?:/.*)?|/v1/runs/[^/]*/approval"
)
# Here only a person may choose a mode, or keep one by a branch; the routes ask for the mark.
_CHOOSES_MODE = re.compile(r"/api/session(?:/new|/branch)?")
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_CREDENTIALS = struct.Struct("3i")
_MESSAGE = "A command of an agent asked for this, and only a person may do it: on the page, or in a terminal."


class RefuseCommands:
    """ASGI middleware. The calling process is known on the local socket only; on the network only the key counts."""

    def __init__(self, app: ASGIApp, is_command: Callable[[int], bool]) -> None:
        """`is_command` returns whether the process with this id descends from an agent's command."""
        self._app = app
        self._is_command = is_command

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _is_written(scope, _CHOOSES_MODE) and self._is_by_command(scope):
            scope.setdefault("state", {})["is_by_command"] = True
        if scope["type"] == "http" and _is_written(scope, _RESERVED) and self._is_by_command(scope):
            refusal = error_response(403, "not_allowed", _MESSAGE, path=scope["path"])
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_by_command(self, scope: Scope) -> bool:
        pid = _caller(scope.get("extensions", {}).get(TRANSPORT))
        return pid is not None and self._is_command(pid)


def _is_written(scope: Scope, paths: re.Pattern[str]) -> bool:
    return scope["method"] not in _READS and paths.fullmatch(scope["path"]) is not None


def _caller(transport: Any) -> int | None:
    """Return the id of the process at the other end of a Unix socket, 0 if it is in another namespace."""
    peer = None if transport is None else transport.get_extra_info("socket")
    if peer is None or peer.family != socket.AF_UNIX:
        return None
    pid, _, _ = _CREDENTIALS.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
    return int(pid)
