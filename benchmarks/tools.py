"""What `search_files` costs beside ripgrep alone, and without ripgrep, on a generated tree.

scripts/bench tools [--files N] [--rounds N]
"""

import argparse
import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.unit.tools.kit import HOME, tool_context
from wakeful.tools.files.workspace import Folders
from wakeful.tools.search.search_files_tool import SearchFiles

RIPGREP = str(Path(sys.executable).with_name("rg"))
# A rare word, a common one, and names.
QUERIES: dict[str, dict[str, Any]] = {
    "a rare word": {"pattern": r"needle_\d+"},
    "a common word": {"pattern": "return"},
    "names": {"glob": "*.py"},
}


async def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _grow(root, options.files)
        print(f"{options.files:,} files, the median of {options.rounds} rounds, as ratios to ripgrep alone")
        for name, query in QUERIES.items():
            alone = await _median(options.rounds, partial(_alone, root, query))
            with_it = await _median(options.rounds, partial(_tool, root, RIPGREP, query))
            without = await _median(options.rounds, partial(_tool, root, None, query))
            print(
                f"{name:14} ripgrep {alone * 1000:6.0f} ms   search_files {with_it / alone:5.2f}"
                f"   without ripgrep {without / alone:5.2f} ({without:.2f} s)"
            )


async def _alone(root: Path, query: dict[str, Any]) -> None:
    wanted = ["-e", query["pattern"], "."] if "pattern" in query else ["--files", "-g", query["glob"], "."]
    command = [RIPGREP, "--no-config", "--hidden", "--no-require-git", "-n", *wanted]
    await asyncio.to_thread(subprocess.run, command, cwd=root, stdout=subprocess.DEVNULL, check=False)


async def _tool(root: Path, ripgrep: str | None, query: dict[str, Any]) -> None:
    await SearchFiles(Folders(HOME), lambda: ripgrep, seconds=300.0).run(query, tool_context(root))


async def _median(rounds: int, run: Callable[[], Awaitable[None]]) -> float:
    # The first run reads the files into the system's cache.
    await run()
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        await run()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def _grow(root: Path, files: int) -> None:
    """Write files of a few KiB, a hundred in a folder, some of them ignored."""
    seed = random.Random(1)
    words = ["return", "value", "if", "for", "name", "self", "import", "key", "list", "else"]
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    for number in range(files):
        folder = root / f"part{number // 2_000}" / f"sub{number // 100 % 20}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = [" ".join(seed.choices(words, k=8)) for _ in range(40)]
        if number % 1_000 == 0:
            lines[20] = f"needle_{number}"
        (folder / f"file{number}.{seed.choice(['py', 'js', 'md', 'log'])}").write_text("\n".join(lines))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main())
