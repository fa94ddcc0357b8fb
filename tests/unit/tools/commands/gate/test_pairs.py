"""Pairs of a call that is granted for the session and a wider one, with what must be asked about the second.

OUT is a folder next to the workspace with a file `f`, HOME the server's folder, LINK a link in the workspace to OUT.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.unit.tools.commands.gate.kit import Grantor, failure_of
from tests.unit.tools.files.kit import new_call, write_tool
from tests.unit.tools.kit import tool_context
from wakeful.tools.commands.gate.ground import Ground
from wakeful.tools.commands.gate.typing import Typing
from wakeful.tools.commands.judging import reasons_of_command, reasons_of_typing
from wakeful.tools.commands.request import TerminalRequest
from wakeful.tools.gate import Gate

DELETE, WRITE, SYSTEM, LATER = "delete_outside", "write_outside", "write_to_system", "runs_later"
DISCARD, PUSH, HOME, UNCLEAR = "discard_work", "force_push", "home", "unclear"
DROP = "drop_data"


@dataclass(frozen=True, slots=True)
class Pair:
    granted: str
    then: str
    asked: tuple[tuple[str, str], ...] = ()


COMMANDS = [
    # Another danger beside the one that was granted.
    Pair("git reset --hard; true", "git reset --hard; rm -rf OUT/*", ((DELETE, "rm -rf OUT/*"),)),
    Pair("git reset --hard; true", "rm -rf OUT/* && git reset --hard", ((DELETE, "rm -rf OUT/*"),)),
    Pair("git reset --hard", "git clean -fdx"),
    Pair("git reset --hard", "git push --force", ((PUSH, "git push --force"),)),
    Pair("git reset --hard", "git -C OUT reset --hard", ((DELETE, "git -C OUT reset --hard"),)),
    Pair("git reset --hard", "cd OUT && git clean -fd", ((DELETE, "git clean -fd"),)),
    Pair("git reset --hard", "git --work-tree=OUT clean -f", ((DELETE, "git --work-tree=OUT clean -f"),)),
    Pair("git push -f", "git push -f; git stash clear", ((DISCARD, "git stash clear"),)),
    Pair("git push -f; git reset --hard", "git reset --hard && git push --force"),
    Pair("rm -rf OUT/a", "rm -rf OUT/a OUT/b"),
    Pair("rm -rf OUT/a", "rm -rf OUT/a; rm /etc/passwd", ((SYSTEM, "rm /etc/passwd"),)),
    Pair("rm -rf OUT/a", "rm -rf OUT/a; rm -rf HOME", ((HOME, "rm -rf HOME"),)),
    Pair("rm -rf OUT/a", "rm -rf OUT; echo x > OUT/f", ((WRITE, "echo x > OUT/f"),)),
    Pair("rm -rf OUT/a", "psql -c 'drop table x'; rm -rf OUT/a", ((DROP, "psql -c 'drop table x'"),)),
    Pair("systemctl stop a", "systemctl stop b; git push -f", ((PUSH, "git push -f"),)),
    Pair("echo x > OUT/f", "cp /dev/null OUT/f"),
    Pair("echo x > OUT/f", "rm OUT/f", ((DELETE, "rm OUT/f"),)),
    Pair("echo x > OUT/f", "mv OUT/f .", ((DELETE, "mv OUT/f ."),)),
    Pair("echo x >> .git/hooks/pre-commit", "echo x >> .git/hooks/pre-push"),
    Pair("echo x > .envrc", "cp x .git/hooks/; git push -f", ((PUSH, "git push -f"),)),
    # What was harmless, then something wider of the same form.
    Pair("rm -rf build", "rm -rf ../out", ((DELETE, "rm -rf ../out"),)),
    Pair("rm file", "rm OUT/f", ((DELETE, "rm OUT/f"),)),
    Pair("rm -rf LINK", "rm -rf LINK/*", ((DELETE, "rm -rf LINK/*"),)),
    Pair("echo x > f", "echo x > LINK/f", ((WRITE, "echo x > LINK/f"),)),
    Pair("sed -i s/a/b/ f", "sed -i s/a/b/ OUT/f", ((WRITE, "sed -i s/a/b/ OUT/f"),)),
    Pair("find . -delete", "find OUT -delete", ((DELETE, "find OUT -delete"),)),
    Pair("python3 -c 'os.remove(\"f\")'", "python3 -c 'os.remove(\"OUT/f\")'", ((DELETE, 'os.remove("OUT/f")'),)),
    # Changing the folder first, and what a variable or a function hides.
    Pair("cd src && rm -rf x", "cd OUT && rm -rf x", ((DELETE, "rm -rf x"),)),
    Pair("cd src; rm -rf ../x", "cd nowhere; rm -rf ../x", ((DELETE, "rm -rf ../x"),)),
    Pair("pushd src; rm -rf x", "pushd OUT; rm -rf x", ((DELETE, "rm -rf x"),)),
    Pair("(cd OUT; ls); rm -rf x", "(cd OUT; rm -rf x)", ((DELETE, "rm -rf x"),)),
    Pair("D=build; rm -rf $D", "D=OUT; rm -rf $D/x", ((DELETE, "rm -rf $D/x"),)),
    Pair("for f in *.o; do rm $f; done", "for f in OUT/*; do rm $f; done", ((DELETE, "rm $f"),)),
    Pair("for d in a b; do ls $d; done", "for i in 1 2; do cd ..; done; rm -rf x", ((DELETE, "rm -rf x"),)),
    Pair("f() { ls; }; f", 'f() { rm -rf "$1"; }; f OUT', ((DELETE, 'rm -rf "$1"'),)),
    Pair("eval ls", "X='rm -rf OUT'; eval \"$X\"", ((DELETE, "$X"),)),
    Pair("env -C src rm -rf x", "env -C OUT rm -rf x", ((DELETE, "env -C OUT rm -rf x"),)),
    # What is allowed once is asked about again.
    Pair("cat HOME/key", "cat HOME/key", ((HOME, "cat HOME/key"),)),
    Pair("cat HOME/workspace/notes", "cat HOME/workspace/../key", ((HOME, "cat HOME/workspace/../key"),)),
    Pair("wakeful approvals", "wakeful approvals", ((HOME, "wakeful approvals"),)),
    Pair("echo eA== | base64 -d | sh", "echo eA== | base64 -d | sh", ((UNCLEAR, "echo eA== | base64 -d | sh"),)),
]

# The command, what was typed before (granted), and what is typed now.
TYPED = [
    ("bash", "rm -rf build\n", "rm -rf OUT\n", ((DELETE, "rm -rf OUT"),)),
    ("bash", "cd OUT\n", "rm -rf x\n", ((DELETE, "rm -rf x"),)),
    ("bash", "cd src\n", "rm -rf ../x\n", ()),
    ("bash", "cd src\n", "rm -rf ../../x\n", ((DELETE, "rm -rf ../../x"),)),
    ("bash", "D=OUT\n", 'rm -rf "$D"\n', ((DELETE, 'rm -rf "$D"'),)),
    ("bash", "r", "m -rf OUT\n", ((DELETE, "m -rf OUT"),)),
    ("bash", "rm -rf ../o", "ut\n", ()),
    ("bash", "git reset --hard\n", "git reset --hard; rm -rf OUT/*\n", ((DELETE, "rm -rf OUT/*"),)),
    ("bash", "git push -", "f; git clean -fd\n", ((PUSH, "f"), (DISCARD, "git clean -fd"))),
    ("bash", "bash <<EOF\nrm -rf bui", "ld OUT\nEOF\n", ((DELETE, "ld OUT"),)),
    ("bash", "alias d='rm -rf'\n", "d OUT\n", ((DELETE, "d OUT"),)),
    ("bash", "python3\n", "os.remove('OUT/f')\n", ((DELETE, "os.remove('OUT/f')"),)),
    ("bash", "ls\n", "\x1b[A\n", ((UNCLEAR, ""),)),
    ("bash", "ls\n", "!!\n", ((UNCLEAR, "!!"),)),
    ("bash", "rm -rf b\x7f", "uild\n", ((UNCLEAR, ""),)),
    ("bash", "rm -rf b\x7f\n", "ls\n", ()),
    ("bash", "make\n", "\x03", ()),
    ("bash -c 'cd OUT; exec bash'", "ls\n", "rm -rf x\n", ((DELETE, "rm -rf x"),)),
    ("ssh host", "cd src\n", "rm -rf x\n", ((DELETE, "rm -rf x"),)),
    ("psql shop", "DROP\n", "TABLE users;\n", ((DROP, ""),)),
    ("cat", "ls\n", "rm -rf OUT\n", ()),
]

FILES = [
    ("notes.txt", ".git/hooks/pre-commit", ((LATER, ".git/hooks/pre-commit"),)),
    ("notes.txt", ".vscode/tasks.json", ((LATER, ".vscode/tasks.json"),)),
    ("sub/.envrc", ".envrc", ()),
    ("notes.txt", "sub/notes.txt", ()),
]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The test runs in a temporary folder, which must not count as one.
    monkeypatch.setattr(Ground, "temporary", ())
    (tmp_path / "out").mkdir()
    (tmp_path / "out/f").touch()
    (tmp_path / "home/workspace").mkdir(parents=True)
    (tmp_path / "ws/src").mkdir(parents=True)
    (tmp_path / "ws/.git/hooks").mkdir(parents=True)
    (tmp_path / "ws/link").symlink_to("../out")
    return tmp_path / "ws"


@pytest.fixture
def person() -> Grantor:
    return Grantor()


@pytest.fixture
def gate(person: Grantor) -> Gate:
    return Gate(person, lambda turn: True)


async def _run(command: str, gate: Gate, workspace: Path) -> dict[str, str]:
    context = tool_context(workspace)
    request = TerminalRequest(_named(command, workspace), workspace)
    reasons = await reasons_of_command(request, context, workspace.parent / "home")
    return await failure_of(reasons, gate, context)


async def _type(typing: Typing, gate: Gate, workspace: Path) -> dict[str, str]:
    context = tool_context(workspace)
    reasons = await reasons_of_typing(typing, workspace, context, workspace.parent / "home")
    return await failure_of(reasons, gate, context)


def _named(text: str, workspace: Path) -> str:
    names = {"OUT": workspace.parent / "out", "HOME": workspace.parent / "home", "LINK": "link"}
    for name, path in names.items():
        text = text.replace(name, str(path))
    return text


def _expected(asked: tuple[tuple[str, str], ...], workspace: Path) -> list[tuple[str, str]]:
    return [(kind, _named(excerpt, workspace)) for kind, excerpt in asked]


def test_there_are_enough_pairs() -> None:
    assert len(COMMANDS) + len(TYPED) + len(FILES) > 60


async def test_grant_covers_what_it_names_and_nothing_wider(workspace: Path) -> None:
    for pair in COMMANDS:
        person = Grantor()
        gate = Gate(person, lambda turn: True)
        await _run(pair.granted, gate, workspace)
        person.denies = True

        failure = await _run(pair.then, gate, workspace)

        asked = _expected(pair.asked, workspace)
        assert (pair, person.dangers) == (pair, asked)
        assert (pair, failure.get("code")) == (pair, "denied" if asked else None)


async def test_what_is_typed_is_judged_with_what_was_typed_before(workspace: Path) -> None:
    for typed in TYPED:
        person = Grantor()
        gate = Gate(person, lambda turn: True)
        command, before, new = (_named(text, workspace) for text in typed[:3])
        await _type(Typing(command, "", before), gate, workspace)
        person.denies = True

        failure = await _type(Typing(command, before, new), gate, workspace)

        asked = _expected(typed[3], workspace)
        assert (typed, person.dangers) == (typed, asked)
        assert (typed, failure.get("code")) == (typed, "denied" if asked else None)


@pytest.mark.parametrize(("granted", "then", "asked"), FILES)
async def test_files_that_run_later_are_asked_about(
    granted: str, then: str, asked: tuple[tuple[str, str], ...], person: Grantor, gate: Gate, workspace: Path
) -> None:
    tool = write_tool(gate, home=workspace.parent / "home")
    await tool.run({"path": granted, "content": "x"}, new_call(workspace))
    person.denies = True

    await tool.run({"path": then, "content": "x"}, new_call(workspace))

    assert person.dangers == list(asked)
    assert (workspace / then).exists() == (not asked)


async def test_the_delete_is_named_with_its_folder(person: Grantor, gate: Gate, workspace: Path) -> None:
    await _run("git reset --hard; true", gate, workspace)
    person.denies = True

    failure = await _run("git reset --hard; rm -rf OUT/*", gate, workspace)

    out = workspace.parent / "out"
    ((reason,),) = [question.reasons for question in person.asked]
    assert reason.path == str(out)
    assert reason.reason == f"deletes everything in {out}, which is outside of the workspace"
    assert reason.reason in failure["error"]
