"""Holds the page's static files in memory. Their URLs contain a digest, so that browsers may keep them forever."""

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
# Already compressed.
_DENSE = (".woff2", ".png")
# Replaced in pages: the URL of the files, and the links that preload all modules which the page's script imports.
_STATIC = b"{{static}}"
_MODULES = b"{{modules}}"
_MAIN = "js/main.js"
_IMPORT = re.compile(rb'^(?:import|export)\b[^;"]*"(\.[^"]+)";', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class StaticFile:
    body: bytes
    type: str
    mark: str
    # None if compression does not make it smaller.
    gzipped: bytes | None


class StaticFiles:
    def __init__(self, folder: Path, *, leave_out: Collection[str] = ()) -> None:
        """`leave_out` names parts of pages, which stand between <!-- name --> and <!-- /name -->."""
        self._folder = folder
        self._leave_out = leave_out

    @cached_property
    def digest(self) -> str:
        """Digest all files together: files import each other by relative path, so one change moves all of them."""
        whole = sha256()
        for path, body in self._bodies.items():
            whole.update(b"%b\0%d\0%b" % (path.encode(), len(body), body))
        return whole.hexdigest()[:16]

    @cached_property
    def files(self) -> Mapping[str, StaticFile]:
        """Return the files by path below the folder."""
        return {path: _file(path, body) for path, body in self._bodies.items()}

    @cached_property
    def pages(self) -> Mapping[str, StaticFile]:
        """Return the HTML files, with the URL of the static files filled in."""
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
        """Return all modules that the page's script imports, directly or not.

        The page lists them so that the browser loads them at once, instead of finding each in the one before.
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
    # mtime=0 gives the same bytes at every start.
    gzipped = None if suffix in _DENSE else gzip.compress(body, mtime=0)
    if gzipped is not None and len(gzipped) >= len(body):
        gzipped = None
    return StaticFile(body, _TYPES[suffix], sha256(body).hexdigest()[:16], gzipped)
