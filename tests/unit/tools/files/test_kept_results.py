"""Results that are too long for the model, from the tool to the file that has all of them."""

import re
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from tests.open_gate import OPEN_GATE
from tests.unit.tools.kit import Person, gate_of, new_turn
from tests.unit.tools.processes.kit import Ledger, keeping
from wakeful.agent.calls import CallRunner
from wakeful.model.journal.fact import OpenCall
from wakeful.model.journal.message import ToolCall
from wakeful.model.turn import Turn
from wakeful.tools.base import Tool, ToolContext, ToolResult
from wakeful.tools.files.file_tools import ListFiles, ReadFile
from wakeful.tools.files.kept_results import KeptResults
from wakeful.tools.files.workspace import Folders
from wakeful.tools.gate import Gate
from wakeful.tools.processes.settings import ProcessSettings
from wakeful.tools.terminal_tool import TerminalTool

LIMIT = 1_000
_MARK = re.compile(r"\n\[… cut: (\d+) characters in all; the whole text is in (\S+) …\]\n")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def turn(tmp_path: Path) -> Turn:
    (tmp_path / "workspace").mkdir()
    return new_turn(tmp_path / "workspace")


async def call(home: Path, turn: Turn, tool: Tool, gate: Gate = OPEN_GATE, **arguments: object) -> str:
    """Return what the model reads."""
    runner = CallRunner({tool.spec.name: tool}, gate, lambda text: text, KeptResults(home, lambda model: LIMIT))
    made = ToolCall("call_1", tool.spec.name, orjson.dumps(arguments).decode())
    (finished,) = [finished async for finished in runner.run(turn, 1, [OpenCall(1, made)])]
    return finished.text


def context_of(turn: Turn) -> ToolContext:
    return ToolContext(turn, 1, 1, "call_1", LIMIT)


async def cut(home: Path, turn: Turn, text: str) -> str:
    return await KeptResults(home, lambda model: LIMIT).shortened(ToolResult(text), context_of(turn))


async def test_a_long_text_keeps_its_beginning_and_end_and_names_the_file_with_all_of_it(
    home: Path, turn: Turn
) -> None:
    text = "".join(map(str, range(5_000)))
    shown = await cut(home, turn, text)

    head, size, path, tail = _MARK.split(shown)
    assert (head, int(size), tail) == (text[:400], len(text), text[-600:])
    assert Path(path).read_text() == text
    assert await call(home, turn, ReadFile(Folders(home)), path=path, limit=1) == (
        f"{text[:900]}\n[Cut in line 1, which is too long for a result; go on with offset 2.]"
    )


async def test_of_an_answer_with_fields_the_longest_text_is_cut_wherever_it_is(home: Path, turn: Turn) -> None:
    result = ToolResult.of({"name": "a", "found": [{"line": 1, "text": "x" * 5_000}, {"line": 2, "text": "y" * 900}]})

    shown = orjson.loads(await KeptResults(home, lambda model: LIMIT).shortened(result, context_of(turn)))

    first, second = shown["found"]
    head, size, path, tail = _MARK.split(first["text"])
    assert (shown["name"], first["line"], second) == ("a", 1, {"line": 2, "text": "y" * 900})
    assert (head, int(size), tail) == ("x" * 400, 5_000, "x" * 600)
    assert Path(path).read_text() == "x" * 5_000


@pytest.mark.parametrize("levels", [0, 1, 2])
async def test_a_text_is_cut_at_every_depth_of_an_answer(home: Path, turn: Turn, levels: int) -> None:
    answer: dict[str, object] = {"text": "x" * 5_000}
    for _ in range(levels):
        answer = {"inner": answer}

    shown = await KeptResults(home, lambda model: LIMIT).shortened(ToolResult.of(answer), context_of(turn))

    assert f'"text":"{"x" * 400}\\n[… cut: 5000 characters in all' in shown
    assert len(shown) < 2 * LIMIT


async def test_no_more_than_ten_mebibytes_are_kept(home: Path, turn: Turn) -> None:
    shown = await cut(home, turn, "ä" * 6_000_000)
    _, size, path, _ = _MARK.split(shown)
    assert int(size) == 6_000_000
    assert Path(path).stat().st_size == 10 * 1024 * 1024


async def test_another_session_cannot_read_it(home: Path, turn: Turn) -> None:
    path = _MARK.split(await cut(home, turn, "x" * 5_000))[2]
    other = replace(turn, session_id="sess_2")
    assert '"code":"outside"' in await call(home, other, ReadFile(Folders(home)), path=path)


async def test_results_go_with_their_session(home: Path, turn: Turn) -> None:
    path = Path(_MARK.split(await cut(home, turn, "x" * 5_000))[2])
    results = KeptResults(home, lambda model: LIMIT)
    await results.forget("sess_2")
    assert path.exists()
    await results.forget(turn.session_id)
    assert not path.parent.exists()
    await results.forget(turn.session_id)


async def test_a_turn_that_is_not_stored_leaves_no_file(home: Path, turn: Turn) -> None:
    shown = await cut(home, replace(turn, is_ephemeral=True), "x" * 5_000)
    assert "\n[… cut: 5000 characters in all …]\n" in shown
    assert list(home.iterdir()) == []


async def test_the_output_of_a_command_is_cut_inside_its_answer_and_commands_may_use_the_file(
    home: Path, turn: Turn, tmp_path: Path
) -> None:
    person = Person(None)
    async with keeping(Ledger(), ProcessSettings(tmp_path / "processes", kill_grace=0.2)) as keeper:
        terminal = TerminalTool(keeper, home)
        gate = gate_of(person)
        answer = orjson.loads(await call(home, turn, terminal, gate, command="seq 1 100000; exit 3"))
        assert answer["exit_code"] == 3
        head, size, path, tail = _MARK.split(answer["output"])
        assert head.startswith("1\n2\n")
        assert tail.endswith("99999\n100000\n")
        assert int(size) == Path(path).stat().st_size == 588_895
        assert (
            orjson.loads(await call(home, turn, terminal, gate, command=f"sed -n 5000p {path}"))["output"] == "5000\n"
        )
        assert person.asked == []
        await call(home, turn, terminal, gate, command=f"cat {Path(path).parent.parent}/*/*")
        assert [reason.kind for reason in person.asked[0].reasons] == ["home"]


async def test_an_answer_that_only_its_escapes_make_too_long_is_left_alone(home: Path, turn: Turn) -> None:
    results = KeptResults(home, lambda model: LIMIT)
    whole = ToolResult.of({"output": "\n" * LIMIT, "exit_code": 0})
    assert await results.shortened(whole, ToolContext(turn, 1, 1, "call_1", LIMIT)) == whole.text


async def test_files_and_listings_are_shown_in_parts_of_what_the_model_may_read(home: Path, turn: Turn) -> None:
    workspace = Path(turn.workspace)
    (workspace / "log").write_text("".join(f"line {number}\n" for number in range(1, 1_001)))
    shown = await call(home, turn, ReadFile(Folders(home)), path="log")
    *lines, last = shown.splitlines()
    assert last == f"[Cut, the result is full; go on with offset {len(lines) + 1}.]"
    assert len(shown) <= LIMIT
    for number in range(200):
        (workspace / f"file {number}").touch()
    assert len(await call(home, turn, ListFiles(Folders(home)))) <= LIMIT


async def test_each_long_result_of_a_session_is_kept(home: Path, turn: Turn) -> None:
    kept = KeptResults(home, lambda model: LIMIT)
    contexts = [replace(ToolContext(turn, 1, index, f"call_{index}"), result_limit=LIMIT) for index in (1, 2)]

    for letter, context in zip("ab", contexts, strict=True):
        await kept.shortened(ToolResult(letter * 2 * LIMIT), context)

    texts = sorted(path.read_text() for path in home.rglob("*.txt"))
    assert texts == ["a" * 2 * LIMIT, "b" * 2 * LIMIT]
    assert {path.parent.stat().st_mode & 0o777 for path in home.rglob("*.txt")} == {0o700}
