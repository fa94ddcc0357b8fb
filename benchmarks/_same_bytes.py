"""A server that answers every request with the same bytes: the minimum cost of a read.

python -m benchmarks._same_bytes FILE
"""

import asyncio
import sys
from pathlib import Path

import uvloop
from aiohttp import web


async def serve(body: bytes) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json")

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0]
    print(f"http://{host}:{port}/", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(serve(Path(sys.argv[1]).read_bytes()))
