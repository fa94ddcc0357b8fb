"""What the page costs: many clients that follow sessions, many that read a long one, and a browser that opens it.

scripts/bench web [--streams N] [--clients N] [--reads N] [--openings N]
"""

import argparse
import asyncio
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import uvloop

from benchmarks._browser import Browser, running_browser
from benchmarks._servers import Server, endpoint, first_line, serving, started
from benchmarks.streams import Sessions, measure
from tests.browser.long_session import MESSAGES, TURNS, write_long_session

# Runs in the page before anything else and measures when a frame first showed the newest message.
# performance.now() counts from the navigation.
LOOK = """
globalThis.readableAt = new Promise((resolve) => {
  const look = () => {
    const last = [...document.querySelectorAll("#turns .answer .prose")].at(-1);
    const box = last?.textContent.includes("WORDS") ? last.getBoundingClientRect() : null;
    if (!box || box.bottom <= 0 || box.bottom > innerHeight) return requestAnimationFrame(look);
    const drawn = new MessageChannel();
    drawn.port1.onmessage = () => resolve(performance.now());
    drawn.port2.postMessage(null);
  };
  requestAnimationFrame(look);
});
""".replace("WORDS", f"Part {TURNS} is done.")


class PageStreams(Sessions):
    """The stream that the page opens: the session, its turns, their text as html, and the rows of the list."""

    # The rows that it gets on opening have other titles.
    marks = (b"event: initial", b'"Changed"')

    def path(self, session_id: str) -> str:
        return f"/api/stream?sessions={session_id}&turns=inline&html=1&rows=1"


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=2000)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--reads", type=int, default=20)
    parser.add_argument("--openings", type=int, default=7)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="wakeful-bench-"))
    try:
        for name, kind in (("GET /api/session/stream", Sessions), ("GET /api/stream of the page", PageStreams)):
            with endpoint(20, 0) as upstream, serving(folder / kind.__name__, upstream) as server:
                print(f"{name}: {await measure(kind(server), options.streams, turns=10)}", flush=True)
        session_id = await write_long_session(folder / "long")
        with endpoint(20, 0) as upstream, serving(folder / "long", upstream) as server:
            await report_opening(server, session_id, options.openings)
            await report_reads(server, session_id, folder, options.clients, options.reads)
    finally:
        shutil.rmtree(folder)


async def report_reads(server: Server, session_id: str, folder: Path, clients: int, reads: int) -> None:
    """Measure reads as other clients make them, and as the page does, which folds results away."""
    headers = {"Authorization": f"Bearer {server.key}"}
    for name in ("GET /api/session", "GET /api/session?short=1"):
        path = f"/api/session?session_id={session_id}&limit=100" + "&short=1" * name.endswith("1")
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(headers=headers, connector=connector) as client:
            body = await read(client, server.url + path)
            (folder / "body").write_bytes(body)
            with same_bytes(folder / "body") as bare:
                # Warm up the connections.
                for address in (server.url + path, bare):
                    await read_at_once(client, address, clients, 1)
                cpu = server.cpu_seconds()
                ours = await read_at_once(client, server.url + path, clients, reads)
                cpu = server.cpu_seconds() - cpu
                theirs = await read_at_once(client, bare, clients, reads)
        print(f"{name}, {clients} clients, {len(body) / 1024:.0f} KB: {compared(ours, theirs)}, ", end="")
        print(f"{cpu / len(ours) * 1000:.1f} ms CPU each", flush=True)


def compared(ours: list[float], theirs: list[float]) -> str:
    """Compare our times with those of a server that only sends the same bytes."""
    words = []
    for name, one, other in zip(("p50", "p99"), quantiles(ours), quantiles(theirs), strict=True):
        words.append(f"{name} {one:.1f} ms, {one / other:.1f} x a bare server's {other:.1f} ms")
    return "; ".join(words)


async def read(client: aiohttp.ClientSession, address: str) -> bytes:
    async with client.get(address) as reply:
        reply.raise_for_status()
        return await reply.read()


async def read_at_once(client: aiohttp.ClientSession, address: str, clients: int, reads: int) -> list[float]:
    """Let each client ask again as soon as it has its answer; return how long each answer took."""

    async def one() -> list[float]:
        seconds = []
        for _ in range(reads):
            began = time.perf_counter()
            await read(client, address)
            seconds.append(time.perf_counter() - began)
        return seconds

    return [second for seconds in await asyncio.gather(*(one() for _ in range(clients))) for second in seconds]


def quantiles(seconds: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile in milliseconds."""
    hundred = statistics.quantiles(seconds, n=100)
    return hundred[49] * 1000, hundred[98] * 1000


@contextmanager
def same_bytes(file: Path) -> Iterator[str]:
    with started("benchmarks._same_bytes", str(file)) as process:
        yield first_line(process)


async def report_opening(server: Server, session_id: str, openings: int) -> None:
    """Measure a cold opening in a new browser profile, and a warm one in another tab, which has the files cached."""
    address = f"{server.url}/s/{session_id}"
    cold, warm = [], []
    async with running_browser() as browser:
        for _ in range(openings + 1):
            profile = await browser.new_profile(await login_cookie(server))
            cold.append(await open_session(browser, profile, address))
            warm.append(await open_session(browser, profile, address))
    print(
        f"the page of {MESSAGES} messages can be read after {statistics.median(cold[1:]):.0f} ms in a new browser "
        f"({min(cold[1:]):.0f} to {max(cold[1:]):.0f}), {statistics.median(warm[1:]):.0f} ms in another tab "
        f"({min(warm[1:]):.0f} to {max(warm[1:]):.0f}); the first of all, just after the start, {cold[0]:.0f} ms",
        flush=True,
    )


async def open_session(browser: Browser, profile: str, address: str) -> float:
    tab = await browser.new_tab(profile, LOOK)
    await tab.ask("Page.navigate", url=address)
    milliseconds: float = await tab.value("globalThis.readableAt")
    await tab.close()
    return milliseconds


async def login_cookie(server: Server) -> dict[str, str]:
    """Log in without loading the page, so its files are not cached yet."""
    async with aiohttp.ClientSession() as client:
        headers = {"Authorization": f"Bearer {server.key}"}
        async with client.post(f"{server.url}/api/login/link", json={}, headers=headers) as reply:
            token = (await reply.json())["url"].partition("#token=")[2]
        headers = {"Origin": server.url}
        async with client.post(f"{server.url}/api/login", json={"token": token}, headers=headers) as reply:
            reply.raise_for_status()
            (cookie,) = reply.cookies.values()
    return {"name": cookie.key, "value": cookie.value, "url": server.url}


if __name__ == "__main__":
    uvloop.run(main())
