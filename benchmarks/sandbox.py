"""What the sandbox costs: a command in bubblewrap beside the same one without it.

scripts/bench sandbox [--times N] [--command TEXT]

Both run as an agent's foreground commands do, by turns, so other load on the machine affects both.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from tests.unit.tools.processes.kit import Ledger, keeping
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.sandbox import SandboxSetting, choose_sandbox
from wakeful.tools.processes.settings import ProcessSettings


async def _milliseconds(keeper: ProcessKeeper, command: str, workdir: str) -> float:
    began = time.perf_counter()
    result = await keeper.foreground.run(command, workdir, timeout=60, pty=False, opened=[workdir])
    assert result.exit_code == 0, result
    return (time.perf_counter() - began) * 1000


async def _measure(home: Path, times: int, command: str) -> None:
    choice = choose_sandbox(SandboxSetting.BWRAP, home)
    if choice.sandbox is None:
        print(f"There is no sandbox: {choice.why}.")
        return
    (home / "workspace").mkdir()
    bare = ProcessSettings(home / "bare")
    inside = ProcessSettings(home / "inside", sandbox=choice.sandbox)
    figures: dict[str, list[float]] = {"without": [], "bwrap": []}
    async with keeping(Ledger(), bare) as plain, keeping(Ledger(), inside) as wrapped:
        for _ in range(times):
            for name, keeper in (("without", plain), ("bwrap", wrapped)):
                figures[name].append(await _milliseconds(keeper, command, str(home / "workspace")))
    medians = {name: statistics.median(values) for name, values in figures.items()}
    for name, values in figures.items():
        print(f"{name:8} median {medians[name]:6.1f} ms, fastest {min(values):6.1f} ms ({command!r}, {times} times)")
    ratio, more = medians["bwrap"] / medians["without"], medians["bwrap"] - medians["without"]
    print(f"ratio    {ratio:.2f} (+{more:.1f} ms)")


def main() -> None:
    parser = argparse.ArgumentParser(description="What the sandbox costs a command.")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--command", default="true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        asyncio.run(_measure(Path(home).resolve(), given.times, given.command))


if __name__ == "__main__":
    main()
