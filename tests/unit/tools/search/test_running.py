"""The process that searches: it ends with the search, however that ends."""

import asyncio
from asyncio.subprocess import Process
from pathlib import Path

import pytest

from wakeful.tools.search.running import _started


@pytest.mark.parametrize(("command", "code"), [(("sleep", "100"), -9), (("true",), 0)], ids=["running", "ended"])
async def test_a_search_that_breaks_off_ends_its_process_and_says_why(
    tmp_path: Path, command: tuple[str, ...], code: int
) -> None:
    started: list[Process] = []

    async def search() -> None:
        async with _started(command, str(tmp_path)) as process:
            started.append(process)
            if code == 0:
                await process.wait()
            raise ValueError("odd output")

    with pytest.raises(ValueError, match="odd output"):
        await search()

    assert [process.returncode for process in started] == [code]


async def test_a_search_that_is_cancelled_ends_its_process(tmp_path: Path) -> None:
    started = asyncio.get_running_loop().create_future()

    async def search() -> None:
        async with _started(["sleep", "100"], str(tmp_path)) as process:
            started.set_result(process)
            await process.wait()

    searching = asyncio.create_task(search())
    process = await started
    searching.cancel()
    await asyncio.wait([searching])

    assert searching.cancelled()
    assert process.returncode == -9


async def test_it_searches_in_its_folder_and_reads_nothing(tmp_path: Path) -> None:
    async with _started(["sh", "-c", "pwd -P; cat"], str(tmp_path)) as process:
        assert process.stdout is not None
        output = await process.stdout.read()

    assert output.decode() == f"{tmp_path.resolve()}\n"
    assert process.returncode == 0
