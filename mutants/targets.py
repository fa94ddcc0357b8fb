"""Where faults are planted: the files below some paths, or the lines that a change has touched."""

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "src/wakeful"
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Target:
    """A file below the root, and the lines of it that count; None for all."""

    path: str
    lines: frozenset[int] | None = None

    @property
    def room(self) -> str:
        return room_of(self.path)


def room_of(path: str) -> str:
    """The folder, or the file, at the root of the package."""
    return Path(path).relative_to(PACKAGE).parts[0].removesuffix(".py")


def targets(root: Path, paths: list[str], changed_since: str | None) -> list[Target]:
    files = sorted({file for path in paths or [PACKAGE] for file in _files(root, path)})
    if changed_since is None:
        return [Target(file) for file in files]
    changed = _changed(root, changed_since)
    return [Target(file, changed[file]) for file in files if file in changed]


def _files(root: Path, path: str) -> Iterator[str]:
    place = (Path.cwd() / path).resolve()
    if not place.is_relative_to(root / PACKAGE) or not place.exists():
        raise ValueError(f"There is no {path} in {PACKAGE}: name a file or a folder there.")
    if place.is_file() and place.suffix != ".py":
        raise ValueError(f"{path} is not Python: faults are planted in Python alone.")
    for file in [place] if place.is_file() else place.rglob("*.py"):
        yield file.relative_to(root).as_posix()


def _changed(root: Path, revision: str) -> dict[str, frozenset[int] | None]:
    """The changed lines of each file, committed or not; a file that git does not know yet has changed wholly."""
    refusal = f"git knows no revision {revision!r}: name a commit, a branch or a tag."
    _git(root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}", refusal=refusal)
    lines: dict[str, set[int]] = defaultdict(set)
    file = ""
    for line in _git(root, "diff", "-U0", "--no-color", "--no-ext-diff", revision, "--", PACKAGE).splitlines():
        if line.startswith("+++ b/"):
            file = line.removeprefix("+++ b/")
        elif found := _HUNK.match(line):
            first = int(found[1])
            lines[file].update(range(first, first + int(found[2] or 1)))
    unknown = _git(root, "ls-files", "--others", "--exclude-standard", "--", PACKAGE).splitlines()
    return {**{path: frozenset(found) for path, found in lines.items()}, **dict.fromkeys(unknown)}


def _git(root: Path, *arguments: str, refusal: str = "") -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(refusal or done.stderr.strip())
    return done.stdout
