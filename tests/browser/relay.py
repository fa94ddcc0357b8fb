"""A line between a browser and a server that can be cut, stalled and counted."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_CHUNK = 65536


class Relay:
    """Forwards every connection to a port of this machine. The port may change: a restarted server has another."""

    def __init__(self, target: int) -> None:
        self.target = target
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._flowing = threading.Event()
        self._flowing.set()
        self._refuses = False
        # With the first line of what was asked last on each.
        self._lines: dict[socket.socket, bytes] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def lines_for(self, path: str) -> int:
        """How many connections are open on which this was asked for last."""
        with self._lock:
            return sum(asked.startswith(f"GET {path}".encode()) for asked in self._lines.values())

    def cut(self) -> None:
        """Every connection is lost, as when a proxy restarts; new ones are served."""
        with self._lock:
            lines = list(self._lines)
        for line in lines:
            _close(line)

    def refuse(self) -> None:
        """Nobody gets through until `allow`."""
        self._refuses = True
        self.cut()

    def allow(self) -> None:
        self._refuses = False

    def stall(self) -> None:
        """Connections stay open and nothing comes through them any more; the ones made from now on flow."""
        self._flowing.clear()
        self._flowing = threading.Event()
        self._flowing.set()

    def close(self) -> None:
        _close(self._listener)
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                browser, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(browser,), daemon=True).start()

    def _serve(self, browser: socket.socket) -> None:
        flowing = self._flowing
        try:
            if self._refuses:
                return
            server = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            return
        else:
            self._note(browser, b"")
            back = threading.Thread(target=_pump, args=(server, browser, flowing), daemon=True)
            back.start()
            _pump(browser, server, flowing, lambda asked: self._note(browser, asked))
            back.join()
        finally:
            with self._lock:
                self._lines.pop(browser, None)
            browser.close()

    def _note(self, browser: socket.socket, asked: bytes) -> None:
        with self._lock:
            self._lines[browser] = asked.partition(b"\r\n")[0]


@contextmanager
def relay_to(url: str) -> Iterator[Relay]:
    relay = Relay(int(url.rpartition(":")[2]))
    try:
        yield relay
    finally:
        relay.close()


def _pump(
    source: socket.socket,
    sink: socket.socket,
    flowing: threading.Event,
    hear: Callable[[bytes], None] = lambda data: None,
) -> None:
    try:
        while data := source.recv(_CHUNK):
            hear(data)
            flowing.wait()
            sink.sendall(data)
    except OSError:
        pass
    finally:
        _close(source)
        _close(sink)


def _close(line: socket.socket) -> None:
    try:
        line.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    line.close()
