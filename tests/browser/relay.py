"""A TCP relay between a browser and a server that can be cut and stalled, and counts connections."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_CHUNK = 65536


class Relay:
    """Forwards every connection to a local port. `target` may change: a restarted server has another port."""

    def __init__(self, target: int) -> None:
        self.target = target
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._flowing = threading.Event()
        self._flowing.set()
        self._refuses = False
        # Open connections, with the first line of the last request on each.
        self._requests: dict[socket.socket, bytes] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def connections_for(self, path: str) -> int:
        """Count the open connections whose last request was for this path."""
        with self._lock:
            return sum(asked.startswith(f"GET {path}".encode()) for asked in self._requests.values())

    def cut(self) -> None:
        """Drop every connection, as when a proxy restarts. New ones are served."""
        with self._lock:
            open_now = list(self._requests)
        for connection in open_now:
            _close(connection)

    def refuse(self) -> None:
        """Drop every connection and refuse new ones until `allow`."""
        self._refuses = True
        self.cut()

    def allow(self) -> None:
        self._refuses = False

    def stall(self) -> None:
        """Keep open connections but forward nothing on them. New ones work."""
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
                self._requests.pop(browser, None)
            browser.close()

    def _note(self, browser: socket.socket, asked: bytes) -> None:
        with self._lock:
            self._requests[browser] = asked.partition(b"\r\n")[0]


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
    on_data: Callable[[bytes], None] = lambda data: None,
) -> None:
    try:
        while data := source.recv(_CHUNK):
            on_data(data)
            flowing.wait()
            sink.sendall(data)
    except OSError:
        pass
    finally:
        _close(source)
        _close(sink)


def _close(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()
