"""Runs the program that searches, for a limited time, and collects what it prints."""

import asyncio
import resource
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress

from wakeful.tools.search.engines import command_for, count_command, own_environment
from wakeful.tools.search.findings import Findings, Line, LineReader, NameReader, text_files
from wakeful.tools.search.query import Query

_PIECE = 256 * 1024
_MOST_MEMORY = 1024 * 1024 * 1024
# Paths in one command that counts.
_BATCH = 200


class FileSearch:
    def __init__(self, query: Query, ripgrep: str | None, limit: int, is_wanted: Callable[[bytes], bool]) -> None:
        """`is_wanted` says which paths, from the folder that is searched, ripgrep's findings may have."""
        self._query = query
        self._ripgrep = ripgrep
        self._is_wanted = is_wanted
        self.findings = Findings(limit, query.prefix, query.context)
        # Whether a program was killed: by the system, or because a line was too long for its memory.
        self._is_broken = False

    async def run(self, seconds: float) -> bool:
        """Search, and return whether the search came to its end in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._find()
                if self._ripgrep is not None:
                    await self._count(self._ripgrep)
                return not self._is_broken
        return False

    async def _find(self) -> None:
        reader = LineReader() if self._query.pattern else NameReader()
        async with aclosing(self._output(command_for(self._query, self._ripgrep))) as output:
            async for piece in output:
                await self._take(list(reader.feed(piece)))
        await self._take(list(reader.finish()))

    async def _take(self, found: Sequence[tuple[bytes, list[Line]]]) -> None:
        found = [(path.removeprefix(b"./"), lines) for path, lines in found]
        # Our own search has looked at these by itself.
        for path, lines in found if self._ripgrep is None else await self._chosen(found):
            self.findings.add(path, lines)

    async def _chosen(self, found: Sequence[tuple[bytes, list[Line]]]) -> Sequence[tuple[bytes, list[Line]]]:
        wanted = [(path, lines) for path, lines in found if self._is_wanted(path)]
        if self._query.pattern is None or not wanted:
            return wanted
        are_text = await asyncio.to_thread(text_files, self._query.folder, [path for path, _ in wanted])
        return [(path, lines) for path, lines in wanted if path in are_text]

    async def _count(self, ripgrep: str) -> None:
        """Count the matches of files with more of them than are shown."""
        files = [b"./" + path for path in self.findings.to_count] if self._query.pattern else []
        for first in range(0, len(files), _BATCH):
            batch = [path.decode(errors="surrogateescape") for path in files[first : first + _BATCH]]
            counts = b""
            async with aclosing(self._output(count_command(self._query, ripgrep, batch))) as output:
                async for piece in output:
                    counts += piece
            # PATH NUL COUNT LF, and a path may contain a line break.
            for rest in counts.split(b"\0")[1:]:
                self.findings.add_count(int(rest.partition(b"\n")[0]))

    async def _output(self, command: Sequence[str]) -> AsyncGenerator[bytes, None]:
        async with _started(command, self._query.folder) as process:
            assert process.stdout is not None
            while piece := await process.stdout.read(_PIECE):
                yield piece
            self._is_broken |= await process.wait() < 0


@asynccontextmanager
async def _started(command: Sequence[str], folder: str) -> AsyncGenerator[Process, None]:
    """Start a process; kill it if the block does not wait for its end."""
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=own_environment(), stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL
    )
    _bound_memory(process.pid)
    try:
        yield process
        await process.wait()
    except BaseException:
        # Not in any case: a signal to a process that has just ended would hide its end from asyncio.
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        raise


def _bound_memory(pid: int) -> None:
    """ripgrep keeps a whole line in memory, however long it is."""
    if hasattr(resource, "prlimit"):
        with suppress(ProcessLookupError, PermissionError):
            resource.prlimit(pid, resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))
