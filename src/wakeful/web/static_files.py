"""The page's own files, in memory: read once, named by what is in them, so that browsers may keep them for good."""

import gzip
import posixpath
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".png": "image/png",
}
# These are compressed already.
_DENSE = (".woff2", ".png")
# In pages: where the files are, and the modules that the page's own script needs, all the way down.
_STATIC = b"{{static}}"
_MODULES = b"{{modules}}"
_MAIN = "js/main.js"
_IMPORT = re.compile(rb'^(?:import|export)\b[^;"]*"(\.[^"]+)";', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class StaticFile:
    body: bytes
    type: str
    mark: str
    # None where it saves nothing.
    gzipped: bytes | None


class StaticFiles:
    def __init__(self, folder: Path, *, leave_out: Collection[str] = ()) -> None:
        """`leave_out` names parts of pages: what stands between <!-- name --> and <!-- /name -->."""
        self._folder = folder
        self._leave_out = leave_out

    @cached_property
    def digest(self) -> str:
        """Of all files: one changed file gives all of them a new address, and so the imports between them."""
        whole = sha256()
        for path, body in self._bodies.items():
            whole.update(b"%b\0%d\0%b" % (path.encode(), len(body), body))
        return whole.hexdigest()[:16]

    @cached_property
    def files(self) -> Mapping[str, StaticFile]:
        """By their paths below the folder."""
        return {path: _file(path, body) for path, body in self._bodies.items()}

    @cached_property
    def pages(self) -> Mapping[str, StaticFile]:
        """The html files, which know where the others are."""
        address = f"/static/{self.digest}".encode()
        pages = {path: body for path, body in self._bodies.items() if path.endswith(".html")}
        links = b"\n  ".join(
            b'<link rel="modulepreload" href="%b/%b">' % (_STATIC, path.encode()) for path in self.modules
        )
        return {
            path: _file(path, self._without_parts(body).replace(_MODULES, links).replace(_STATIC, address))
            for path, body in pages.items()
        }

    @cached_property
    def modules(self) -> list[str]:
        """What the page's script imports. A browser that is told so asks for all at once: it would otherwise learn of
        each when it has read the one before.
        """
        found = [_MAIN]
        for path in found:
            imported = (_imported(path, name.decode()) for name in _IMPORT.findall(self._bodies[path]))
            found += [module for module in dict.fromkeys(imported) if module not in found]
        return found[1:]

    def _without_parts(self, page: bytes) -> bytes:
        for part in map(str.encode, self._leave_out):
            page = re.sub(rb"<!-- %b -->.*?<!-- /%b -->\s*" % (part, part), b"", page, flags=re.DOTALL)
        return page

    @cached_property
    def _bodies(self) -> dict[str, bytes]:
        found = sorted(path for path in self._folder.rglob("*") if path.suffix in _TYPES)
        return {path.relative_to(self._folder).as_posix(): path.read_bytes() for path in found}


def _imported(path: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def _file(path: str, body: bytes) -> StaticFile:
    suffix = Path(path).suffix
    # The same bytes at every start.
    gzipped = None if suffix in _DENSE else gzip.compress(body, mtime=0)
    if gzipped is not None and len(gzipped) >= len(body):
        gzipped = None
    return StaticFile(body, _TYPES[suffix], sha256(body).hexdigest()[:16], gzipped)
