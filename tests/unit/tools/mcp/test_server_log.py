"""What an MCP server says on its standard error."""

import asyncio
from pathlib import Path

from wakeful.tools.mcp.server_log import MOST_BYTES, ServerLog


async def kept(log: ServerLog, *chunks: bytes) -> None:
    source = asyncio.StreamReader()
    keeping = asyncio.create_task(log.keep(source))
    for chunk in chunks:
        source.feed_data(chunk)
        await asyncio.sleep(0)
    source.feed_eof()
    await keeping


async def test_its_lines_are_kept_without_secrets_and_the_last_one_is_known(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "made.log"
    log = ServerLog(path, lambda text: text.replace("secret", "***"))

    await kept(log, b"the sec", b"ret is out\r\nhelp", b" \xff\n \n")

    assert path.read_text() == "the *** is out\nhelp \ufffd\n \n"
    assert log.last_line == "help \ufffd"
    await kept(log, b"no end of line")
    assert (path.read_text().splitlines()[-1], log.last_line) == ("no end of line", "no end of line")
    await kept(log)
    assert log.last_line == ""


async def test_an_endless_line_is_cut_into_pieces(tmp_path: Path) -> None:
    log = ServerLog(tmp_path / "made.log", str)

    await kept(log, b"a" * 16_385 + b"b", b"c\n")

    assert (tmp_path / "made.log").read_text() in ("a" * 16_385 + "b\nc\n", "a" * 16_385 + "bc\n")
    await kept(log, b"d" * 16_384, b"e\n")
    assert (tmp_path / "made.log").read_text().endswith("\n" + "d" * 16_384 + "e\n")


async def test_it_stays_small_and_keeps_the_newest_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "made.log"
    path.write_bytes(b"0123456\n" * (MOST_BYTES // 8))
    log = ServerLog(path, str)
    assert path.stat().st_size == MOST_BYTES

    await kept(log, b"newest\n")

    lines = path.read_text().splitlines()
    assert path.stat().st_size <= MOST_BYTES // 2
    assert len(lines) >= MOST_BYTES // 16 - 1
    assert (set(lines[:-1]), lines[-1]) == ({"0123456"}, "newest")


async def test_a_log_of_the_largest_size_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "made.log"
    path.write_bytes(b"x" * (MOST_BYTES - 7))

    await kept(ServerLog(path, str), b"newest\n")

    assert path.stat().st_size == MOST_BYTES
