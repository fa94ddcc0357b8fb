"""What is said of a text that is typed into a process, with what was typed before."""

from pathlib import Path

import pytest

from tests.unit.tools.kit import HOME
from wakeful.tools.commands.gate.reasons import Scene
from wakeful.tools.commands.gate.typing import Typing, reasons_to_type

EDITED = "is typed with keys that edit the line, so what it runs cannot be read"
CONTINUED = "continues a line that was edited by keys, so what it runs cannot be read"
# The program, what was typed before and what is typed now, with the kind, the path and the excerpt of each reason.
SAID: list[tuple[str, str, str, list[tuple[str, str | None, str]]]] = [
    # What ends where the new part begins was asked about when it was typed.
    ("bash", "curl x | sh", "\n", []),
    ("bash", "rm -rf /opt/x", "\n", []),
    ("bash", "rm -rf /opt", "/x\n", [("delete_outside", "/opt/x", "/x")]),
    ("bash", "rm -rf ", "/opt/x\n", [("delete_outside", "/opt/x", "/opt/x")]),
    ("bash", "curl x |", " sh\n", [("run_download", None, " sh")]),
    ("bash", "(", "rm -rf /opt/x)\n", [("delete_outside", "/opt/x", "rm -rf /opt/x")]),
    (
        "bash",
        "echo it's\n",
        "rm -rf /opt/x; git push -f\n",
        [("delete_outside", "/opt/x", "rm -rf /opt/x"), ("force_push", None, "git push -f")],
    ),
    # Where the program starts.
    ("bash", "", "rm -rf x\n", []),
    ("ls; bash", "", "rm -rf x\n", []),
    ("bash -l", "", "rm -rf x\n", [("delete_outside", None, "rm -rf x")]),
    ("bash --login", "", "rm -rf x\n", [("delete_outside", None, "rm -rf x")]),
    ("sudo -i", "", "rm -rf x\n", [("delete_outside", None, "rm -rf x")]),
    ("su", "", "rm -rf x\n", [("delete_outside", None, "rm -rf x")]),
    ("tmux", "", "rm -rf x\n", [("delete_outside", None, "rm -rf x")]),
    ("ssh host", "", "rm -rf x\n", [("delete_outside", None, "rm -rf x")]),
    ("docker exec -it b bash", "", "rm -rf x\n", [("delete_outside", None, "rm -rf x")]),
    ("cd src && bash", "", "rm -rf ../x\n", []),
    ("cd src && bash", "", "rm -rf ../../x\n", [("delete_outside", "ABOVE/x", "rm -rf ../../x")]),
    (
        "cd ..; bash & cd src; bash",
        "",
        "rm -rf x\n",
        [("delete_outside", "ABOVE/x", "rm -rf x"), ("delete_outside", "ABOVE/src/x", "rm -rf x")],
    ),
    # What earlier lines have set.
    ("bash", "cd ..\n", "rm -rf x\n", [("delete_outside", "ABOVE/x", "rm -rf x")]),
    ("bash", "cd ..", "\nrm -rf x\n", [("delete_outside", "ABOVE/x", "rm -rf x")]),
    ("bash", "D=/opt\n", "rm -rf $D\n", [("delete_outside", "/opt", "rm -rf $D")]),
    ("bash", "up() { cd ..; }\n", "up; rm -rf x\n", [("delete_outside", None, "rm -rf x")]),
    ("bash", "ls\n" * 4_001, "rm -rf x\n", [("delete_outside", None, "rm -rf x")]),
    ("bash", "ls\n" * 3_990, "rm -rf x\n", []),
    # A line from the history.
    ("bash", "", "!!\n", [("unclear", None, "!!")]),
    ("bash", "", "ls; !rm\n", [("unclear", None, "!r")]),
    ("bash", "", "^a^b\n", [("unclear", None, "^a^")]),
    ("bash", "", "echo hi! a^b^c\n", []),
    ("bash", "!!\n", "ls\n", []),
    # Statements and code.
    ("psql", "drop ", "table x;\n", [("drop_data", "drop table x", "table x")]),
    ("psql", "drop table\n", "x;\n", [("drop_data", "drop table", "")]),
    ("psql", "drop table x;\n", "select 1;\n", []),
    ("bash", "psql\n", "drop\ntable x;\n", [("drop_data", "drop table x", "")]),
    (
        "bash",
        "python3\n",
        "subprocess.run(['rm','-rf','/opt/x'])\n",
        [("delete_outside", "/opt/x", "['rm','-rf','/opt/x']")],
    ),
    ("bash", "", "subprocess.run(['rm','-rf','/opt/x'])\n", []),
    ("bash", "", "os.remove('/opt/x')\n", [("delete_outside", "/opt/x", "os.remove('/opt/x')")]),
    ("python3", "os.remove('/opt/x')\n", "print()\n", []),
    ("python3", "", "p = '/opt/x'\nos.remove(p)\n", [("delete_outside", "/opt/x", "os.remove(p)")]),
    ("cat", "", "rm -rf /opt\n", []),
]
KEYS = [
    ("", "\x03\x0cls\n", []),
    ("make\n", "\x1als\n", []),
    ("ls\r\n\x03", "rm -rf x\r", []),
    ("", "\tls\n", []),
    ("", "ls\t\n", [EDITED]),
    ("", "\x7f\n", [EDITED]),
    ("ls ", "\x03\n", [EDITED]),
    ("ls", "\x03", [EDITED]),
    ("l\x7fs", "\n", [CONTINUED]),
    ("l\x7fs", "\x7f\n", [EDITED]),
    ("l\x7fs\n", "ls\n", []),
    ("\x1b[A\nls\n", "ls\n", []),
    # The edited line may have changed the folder.
    ("l\x7fs\n", "rm -rf x\n", ["deletes x, and where that is cannot be known"]),
    ("\x1b[A\nls\n", "rm -rf x\n", ["deletes x, and where that is cannot be known"]),
]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    workspace = tmp_path / "workspace"
    (workspace / "src").mkdir(parents=True)
    return Scene(workspace, workspace, HOME)


def test_only_what_is_typed_now_is_said_of_it(scene: Scene) -> None:
    def said(typing: Typing) -> list[tuple[str, str | None, str]]:
        above = str(scene.workspace.parent)
        reasons = reasons_to_type(typing, scene)
        return [(each.kind, each.path and each.path.replace(above, "ABOVE"), each.excerpt) for each in reasons]

    assert [(*typed, said(Typing(*typed))) for *typed, _ in SAID] == SAID


def test_keys_that_edit_a_line_are_said_and_what_follows_that_line_is_read(scene: Scene) -> None:
    said = [
        (before, new, [reason.reason for reason in reasons_to_type(Typing("bash", before, new), scene)])
        for before, new, _ in KEYS
    ]

    assert said == KEYS
