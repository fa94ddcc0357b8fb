"""What a frame of a stream costs between its source and the socket: the whole app without network and engine.

scripts/bench frames [--streams N] [--frames N] [--rounds N]
"""

import argparse
import asyncio
import time
from collections.abc import AsyncGenerator
from typing import Any

import uvicorn
import uvloop
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.server import ServerState

from wakeful.cli.server.bare_send import OfferBareSend
from wakeful.cli.server.http_protocol import BoundedProtocol
from wakeful.gateway.entrance.auth import Keyring
from wakeful.gateway.http import http_app
from wakeful.gateway.monitoring.metrics import CountRequests, Metrics
from wakeful.wire.sse import EventStream, StreamSettings, frame

_KEY = "bench"
_REQUEST = f"GET /v1/stream HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {_KEY}\r\n\r\n".encode()
_FRAME = frame("12.3", "token", b'{"text":"token12 "}')


class Connection(asyncio.Transport):
    """Accepts everything at once, and knows when the response has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.ended = asyncio.get_running_loop().create_future()
        self.size = 0

    def write(self, data: Any) -> None:
        self.size += len(data)
        if data.endswith(b"0\r\n\r\n"):
            self.ended.set_result(self.size)

    def get_write_buffer_size(self) -> int:
        return 0

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return {"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 80)}.get(name, default)

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def close(self) -> None: ...


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--frames", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()

    async def said() -> AsyncGenerator[bytes, None]:
        for _ in range(options.frames):
            # Yield to every other stream, as a source that waits for its model does.
            await asyncio.sleep(0)
            yield _FRAME

    async def stream(request: Request) -> EventStream:
        return EventStream(said(), StreamSettings())

    routes = [Route("/v1/stream", stream)]
    app = http_app(Keyring({"bench": _KEY}), routes, health=_well)
    counted = OfferBareSend(CountRequests(app, Metrics()))
    config = uvicorn.Config(counted, http=BoundedProtocol, ws="none", lifespan="off", log_config=None, access_log=False)
    config.load()
    costs = [await measure(config, options.streams) / options.frames for _ in range(options.rounds)]
    print(f"{min(costs) * 1e6:.1f} µs CPU a frame at best, of {', '.join(f'{cost * 1e6:.1f}' for cost in costs)}")


async def _well() -> Response:
    return Response()


async def measure(config: uvicorn.Config, streams: int) -> float:
    """Return the CPU seconds per stream."""
    protocols = [BoundedProtocol(config=config, server_state=ServerState(), app_state={}) for _ in range(streams)]
    connections = [Connection() for _ in protocols]
    began = time.process_time()
    for protocol, connection in zip(protocols, connections, strict=True):
        protocol.connection_made(connection)
        protocol.data_received(_REQUEST)
    sizes = await asyncio.gather(*(connection.ended for connection in connections))
    spent = time.process_time() - began
    assert len(set(sizes)) == 1, "every stream is the same"
    for protocol in protocols:
        protocol.connection_lost(None)
    return spent / streams


if __name__ == "__main__":
    uvloop.run(main())
