"""The minimum for any server between a client and a model: takes the request, passes it on, passes the answer back.

It stores and checks nothing. What our server costs beyond it is the cost of what our server does.
"""

import socket
import sys

import aiohttp
import uvicorn
import uvloop
from starlette.types import ASGIApp, Receive, Scope, Send

_HEAD = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]}


async def serve(upstream: str) -> None:
    """Pass everything on to this address. Prints the relay's own address as its first line."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/", flush=True)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:
        app = relay(client, upstream)
        await uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None, access_log=False)).serve([listener])


def relay(client: aiohttp.ClientSession, upstream: str) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        body = b""
        while (message := await receive())["more_body"]:
            body += message["body"]
        async with client.post(upstream, data=body + message["body"]) as answer:
            await send(_HEAD)
            async for piece in answer.content.iter_any():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    return app


if __name__ == "__main__":
    uvloop.run(serve(sys.argv[1]))
