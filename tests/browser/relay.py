"""A line between a browser and a server that can be cut, stalled and counted."""

import socket
import threading
from collections.abc import Iterator
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
        self._lines: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def open_lines(self) -> int:
        with self._lock:
            return len(self._lines)

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
            with self._lock:
                self._lines.add(browser)
            back = threading.Thread(target=_pump, args=(server, browser, flowing), daemon=True)
            back.start()
            _pump(browser, server, flowing)
            back.join()
        finally:
            with self._lock:
                self._lines.discard(browser)
            browser.close()


@contextmanager
def relay_to(url: str) -> Iterator[Relay]:
    relay = Relay(int(url.rpartition(":")[2]))
    try:
        yield relay
    finally:
        relay.close()


def _pump(source: socket.socket, sink: socket.socket, flowing: threading.Event) -> None:
    try:
        while data := source.recv(_CHUNK):
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
