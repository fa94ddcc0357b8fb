"""What a transport gives to a session."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wakeful.tools.mcp.failures import ServerEnded


@dataclass(frozen=True, slots=True)
class Streams:
    # As the package's ClientSession takes them.
    read: Any
    write: Any
    # Set when the server is gone.
    ended: asyncio.Event
    # Returns why it is gone.
    explain: Callable[[], ServerEnded]
    # Returns the HTTP status with which the last request was refused; 0: none was.
    refused_status: Callable[[], int] = lambda: 0
    # Returns whether an HTTP server has forgotten the session.
    has_lost_session: Callable[[], bool] = lambda: False
