"""Runs one turn on the running server and prints it as it arrives."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from wakeful.cli.asking.answer_printer import AnswerPrinter, exit_code_of
from wakeful.cli.client import Client, ServerEvent, ServerGone
from wakeful.cli.signals import caught_signals
from wakeful.config.config import Config
from wakeful.gateway.entrance.local_key import local_key
from wakeful.gateway.platforms.local import AskAdapter
from wakeful.model.ids import new_id

# How long a server may be gone or silent before the command gives up. A restart takes a few seconds.
_PATIENCE_SECONDS = 20.0
# How long Ctrl-C waits for the server to confirm the cancel.
_STOP_SECONDS = 5.0


async def ask_server(config: Config, socket: Path, text: str, model: str, files: Sequence[Path] = ()) -> int:
    """Return the exit code. An empty `model` means the server's. Raises ServerGone if the server stops answering."""
    async with Client(socket, local_key(config.home), AskAdapter.name, patience=_PATIENCE_SECONDS) as client:
        with caught_signals() as caught:
            # First, so that a file that cannot be sent leaves no empty session behind.
            uploaded = [(await client.upload(file))["id"] for file in files]
            new = {"workspace": str(config.workspace), **({"model": model} if model else {})}
            session_id = (await client.post("/api/session/new", new))["session_id"]
            message: dict[str, Any] = {"session_id": session_id, "message": text, "client_message_id": new_id("ask")}
            message |= {"attachments": uploaded} if uploaded else {}
            stream_id = (await client.post("/api/chat/start", message))["stream_id"]
            following = asyncio.create_task(_print_turn(client, stream_id))
            jobs: list[asyncio.Future[Any]] = [following, caught]
            await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                await _stop(client, session_id, following)
                return 128 + caught.result()
            return _exit_code(following, session_id)


async def _stop(client: Client, session_id: str, following: asyncio.Task[ServerEvent]) -> None:
    """Cancel the turn and wait for its end, but not longer than `_STOP_SECONDS`."""
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await client.post("/api/chat/cancel", {"session_id": session_id})
            await following
    except (TimeoutError, ServerGone):
        pass
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


def _exit_code(following: asyncio.Task[ServerEvent], session_id: str) -> int:
    try:
        last = following.result()
    except ServerGone as gone:
        raise ServerGone(
            "The server does not answer any more. When it is back, it continues the turn: "
            f"`wakeful attach {session_id}` shows it."
        ) from gone
    return exit_code_of(last.name, last.data)


async def _print_turn(client: Client, stream_id: str) -> ServerEvent:
    """Print the turn and return its last event."""
    printer = AnswerPrinter(sys.stdout, sys.stderr)
    try:
        async with aclosing(client.events("/api/chat/stream", stream_id=stream_id)) as turn:
            async for event in turn:
                printer.show(event.name, event.data)
    finally:
        printer.end_line()
    return event
