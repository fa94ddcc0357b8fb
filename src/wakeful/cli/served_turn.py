"""One turn on the server that holds the home, printed as it comes."""

import asyncio
import sys
from contextlib import aclosing
from pathlib import Path
from typing import Any

from wakeful.cli.answer_printer import AnswerPrinter, exit_code_of
from wakeful.cli.client import Client, ServerEvent
from wakeful.cli.signals import caught_signals
from wakeful.config.config import Config
from wakeful.gateway.local_key import local_key
from wakeful.gateway.platforms.ask import AskAdapter
from wakeful.model.ids import new_id


async def ask_server(config: Config, socket: Path, text: str) -> int:
    async with Client(socket, local_key(config.home), AskAdapter.name) as client:
        with caught_signals() as caught:
            folder = {"workspace": str(config.workspace), "model": config.model}
            session_id = (await client.post("/api/session/new", folder))["session_id"]
            message = {"session_id": session_id, "message": text, "client_message_id": new_id("ask")}
            stream_id = (await client.post("/api/chat/start", message))["stream_id"]
            following = asyncio.create_task(_print_turn(client, stream_id))
            jobs: list[asyncio.Future[Any]] = [following, caught]
            await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
            if caught.done() and not following.done():
                # Nobody waits for the turn any more.
                await client.post("/api/chat/cancel", {"session_id": session_id})
                await following
                return 128 + caught.result()
            return exit_code_of(following.result().name, following.result().data)


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
