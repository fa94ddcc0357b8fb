"""`search_files`, with ripgrep and without: both give the same answers."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.unit.tools.kit import HOME, tool_context
from wakeful.opened_files import opened_folder
from wakeful.tools.base import Unusable
from wakeful.tools.files.workspace import Folders
from wakeful.tools.search import own_search
from wakeful.tools.search.engines import find_ripgrep
from wakeful.tools.search.expressions import compiled, path_filter
from wakeful.tools.search.findings import Findings, LineReader, text_files
from wakeful.tools.search.pattern import pattern_of
from wakeful.tools.search.query import Query
from wakeful.tools.search.running import FileSearch
from wakeful.tools.search.search_files_tool import SearchFiles

RIPGREP = str(Path(sys.executable).with_name("rg"))
ENGINES = [pytest.param(RIPGREP, id="ripgrep"), pytest.param(None, id="own")]


async def found(workspace: Path, engine: str | None, **arguments: Any) -> str:
    tool = SearchFiles(Folders(HOME), lambda: engine)
    return (await tool.run(arguments, tool_context(workspace))).text


def lay_out(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


@pytest.fixture
def own_search_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run our own search in this process: to start one for each of many searches takes long."""

    async def printed(search: FileSearch, command: Sequence[str]) -> AsyncIterator[bytes]:
        if command[1:3] == ["-m", own_search.__name__]:
            out = BytesIO()
            own_search.print_found(Query.load(command[3]), out)
            yield out.getvalue()
        else:
            async for piece in started(search, command):
                yield piece

    started = FileSearch._output
    monkeypatch.setattr(FileSearch, "_output", printed)


@pytest.fixture
def odd_tree(tmp_path: Path) -> Path:
    root = lay_out(
        tmp_path / "odd",
        {
            ".gitignore": "*.log\n!keep.log\n/build/\ntarget/\n# word\n\\#hash\nsp\\ \n\n[ab].tmp\n"
            "doc/**/x.md\n*.{o,a}\ngen/**\n/\n[z-a]\n{x\nonly/\n/top.txt\n**/far/near.txt\n!/gen/kept\n",
            ".ignore": "hidden_by_ignore.txt\n!rescued.log\n",
            ".rgignore": "!only_rg.log\nnot_rg.txt\n",
            "only_rg.log": "word\n",
            "not_rg.txt": "word\n",
            "gen/a.txt": "word\n",
            "gen/kept": "word\n",
            "gen/sub/b.txt": "word\n",
            "only": "word\n",
            "sub/only/a.txt": "word\n",
            "top.txt": "word\n",
            "sub/top.txt": "word\n",
            "{x": "word\n",
            "far/near.txt": "word\n",
            "sub/far/near.txt": "word\n",
            "all/.gitignore": "/**\n!stays.txt\n!sub/\n",
            "all/gone.txt": "word\n",
            "all/stays.txt": "word\n",
            "all/sub/gone.txt": "word\n",
            "marked/.gitignore": b"\xef\xbb\xbfhidden.txt\r\n\xff*\n",
            "marked/hidden.txt": "word\n",
            "large.txt": "x" * 1_200_000 + "\nword\nlast\n",
            "gaps.txt": "word\n1\n2\n3\n4\nword\n5\nword\n",
            "a.py": "import os\nword = 1\n\nWORD = word\n",
            "a.log": "word\n",
            "keep.log": "word\n",
            "rescued.log": "word\n",
            "a.tmp": "word\n",
            "c.tmp": "word\n",
            "#hash": "word\n",
            "x.o": "word\n",
            "x.c": "int word{0};\n",
            "hidden_by_ignore.txt": "word\n",
            ".hidden/deep.txt": "a word here\n",
            ".git/config": "word\n",
            "sub/.git/config": "word\n",
            "sub/.gitignore": "!a.log\nlocal.txt\n*/once.txt\n",
            "sub/a.log": "word back\n",
            "sub/local.txt": "word\n",
            "sub/deep/local.txt": "word\n",
            "sub/deep/once.txt": "word\n",
            "sub/deep/er/once.txt": "word\n",
            "sub/build/made.txt": "word\n",
            "build/made.txt": "word\n",
            "build/.gitignore": "!made.txt\n",
            "sub/target/t.txt": "word\n",
            "doc/x.md": "word\n",
            "doc/p/q/x.md": "word\n",
            "doc/y.md": "word\n",
            "crlf.txt": b"first word\r\nsecond\r\nword\r\n",
            "bom.txt": b"\xef\xbb\xbfword first\nthen\n",
            "latin.txt": b"caf\xe9 word \xff\nna\xefve\n",
            "no_end.txt": "one\ntwo word",
            "binary.bin": b"\0\1word\n",
            "late_nul.txt": b"word\n" + b"x" * 9_000 + b"\0\nword again\n",
            "utf16.txt": "word\n".encode("utf-16"),
            "long.txt": "x" * 4_000 + "word\n" + "é" * 4_000 + "word\nword " + "é" * 4_000 + "\n",
            "empty.txt": "",
            "blank.txt": "\n\n",
            "unicode é.txt": "Straße wörd ΣΊΣΥΦΟΣ\nword\n",
            "a/b.txt": "word\n",
            "a.txt": "word\n",
            "- dash.txt": "word\n",
            "many.txt": "".join(f"line {n} word\n" if n % 3 == 0 else f"line {n}\n" for n in range(1, 40)),
        },
    )
    (root / os.fsdecode(b"bad\xffname.txt")).write_text("word\n")
    (root / "link.txt").symlink_to("a.py")
    (root / "linked").symlink_to("sub")
    (root / "out").symlink_to("/etc")
    return root


QUERIES: list[dict[str, Any]] = [
    {"pattern": "word"},
    {"pattern": "word", "all": True},
    {"pattern": "word", "path": "sub"},
    {"pattern": "word", "path": "sub/deep"},
    {"pattern": "word", "path": "build"},
    {"pattern": "word", "path": "a.log"},
    {"pattern": "word", "path": "binary.bin"},
    {"pattern": "WORD", "ignore_case": True},
    {"pattern": "(?i)WORD$"},
    {"pattern": "word$"},
    {"pattern": "^word"},
    {"pattern": "^$"},
    {"pattern": "^"},
    {"pattern": r"\bword\b", "context": 1},
    {"pattern": r"word", "path": "many.txt", "context": 2, "limit": 3},
    {"pattern": r"line 3", "path": "many.txt", "context": 20},
    {"pattern": "word", "path": "gaps.txt", "context": 1},
    {"pattern": "word", "path": "gaps.txt", "context": 1, "limit": 1},
    {"pattern": "word", "path": "gaps.txt", "context": 2, "limit": 2},
    {"pattern": "word|last", "glob": "large.txt", "context": 1},
    {"pattern": r"\bword\b|\d\d", "limit": 2_000},
    {"pattern": r"\w+ \S+$", "path": "many.txt"},
    {"pattern": "word", "limit": 7},
    {"pattern": "line", "limit": 5, "context": 1},
    {"pattern": r"[^\x00-\x7F]"},
    {"pattern": r"caf.\b|na.ve"},
    {"pattern": r"\s\w+\S\D", "glob": "*.txt"},
    {"pattern": r"[\w.-]+[\W]", "glob": "*.py"},
    {"pattern": r"[\D]{3}[\S]"},
    {"pattern": "int word{0}"},
    {"pattern": "{0}"},
    {"pattern": "w(?:o|0)(?P<r>r)d{1,2}?"},
    {"pattern": r"[[:upper:]]{4}"},
    {"pattern": r"[]x&&y~~-]"},
    {"pattern": r"\p{Greek}+", "ignore_case": True},
    {"pattern": "straSSe|σίσυφος", "ignore_case": True},
    {"pattern": r"\u00e9|\x{df}|\t"},
    {"pattern": r"w\S*d\."},
    {"pattern": "word", "glob": "*.txt"},
    {"pattern": "word", "glob": "sub/**/*.txt"},
    {"pattern": "word", "glob": "deep/*.txt", "path": "sub"},
    {"pattern": "word", "glob": "*.{py,c}"},
    {"pattern": "word", "glob": "[!a-k]*.txt"},
    {"pattern": "word", "glob": "unicode ?.txt"},
    {"glob": "*.txt"},
    {"glob": "*"},
    {"glob": "**"},
    {"glob": "*", "all": True},
    {"glob": "*", "limit": 4},
    {"glob": "/doc/*.md"},
    {"glob": "**/deep/**"},
    {"glob": "*.md", "path": "doc"},
    {"glob": "nothing.*"},
    {"glob": ".git*"},
    {"glob": "made.txt", "path": "build/made.txt"},
]


@pytest.mark.usefixtures("own_search_here")
async def test_ripgrep_and_our_own_search_give_the_same_answers(odd_tree: Path) -> None:
    differing = []
    for query in QUERIES:
        by_ripgrep, by_own = await found(odd_tree, RIPGREP, **query), await found(odd_tree, None, **query)
        if by_own != by_ripgrep or '"tool_broke"' in by_own:
            differing.append((query, by_ripgrep, by_own))

    assert differing == []


@pytest.mark.parametrize(
    ("glob", "wanted", "others"),
    [
        ("*.py", "a.py sub/a.py .py", "a.pyc py a.py/b"),
        ("a", "a sub/a x/y/a", "a/b ab"),
        ("?.py", "a.py sub/b.py", "ab.py .py"),
        ("sub/*.py", "sub/a.py", "a.py sub/deep/a.py x/sub/a.py"),
        ("sub/**", "sub/a sub/deep/a", "sub a/sub/a subs/a"),
        ("sub/**/a", "sub/a sub/deep/a sub/deep/er/a", "sub/ba a sub/a/b"),
        ("**", "a sub/a .x/y", ""),
        ("**/a", "a sub/a sub/deep/a", "ba sub/ba"),
        ("**/deep/**", "deep/a sub/deep/er/a", "sub/a deep"),
        ("a**b/c", "ab/c axb/c", "a/b/c"),
        ("*.{py,c}", "a.py b.c", "a.p a.py,c a.{py,c}"),
        ("{a,b{c,d}}", "a bc bd", "b abc"),
        ("a,b", "a,b", "a b"),
        ("[a-c]x", "ax bx cx", "dx -x abx"),
        ("[!a-c]x", "dx -x", "ax bx"),
        ("[^ab]", "c -", "a b"),
        ("[a-]", "a -", "b"),
        ("[]a]", "] a", "b"),
        (r"\*", "*", "a"),
        (r"a\?", "a?", "ab"),
        ("a.b", "a.b", "axb"),
        ("é?", "éa éé", "ea"),
    ],
)
def test_a_glob_means_what_a_shell_means_by_it(glob: str, wanted: str, others: str) -> None:
    is_wanted = path_filter(glob, "")

    passed = [path for path in (*wanted.split(), *others.split()) if is_wanted(path.encode())]
    assert passed == wanted.split()


def test_a_glob_with_a_slash_counts_from_the_workspace_or_from_the_folder_that_is_searched() -> None:
    is_wanted = path_filter("src/*.py", "src/")

    assert [path for path in ("a.py", "src/a.py", "a.c", "lib/a.py") if is_wanted(path.encode())] == [
        "a.py",
        "src/a.py",
    ]
    assert path_filter("", "")(b"any/thing")


@pytest.mark.parametrize("glob", ["}a", "a\\", "[a", "[]", "{a", "[z-a]"])
def test_a_glob_that_means_nothing_is_refused(glob: str) -> None:
    with pytest.raises(Unusable, match="glob "):
        path_filter(glob, "")


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("a.c", ["abc", "xaécx"], ["ac", "a\nc"]),
        ("^a$", ["a", "x\na\r\ny", "\ufeffa"], ["ab", "ba"]),
        (r"\d{2}", ["12"], ["1", "١٢"]),
        ("a{2,3}b", ["aab", "aaab"], ["ab"]),
        ("{0}", ["x{0}"], ["x"]),
        (r"x\{1\}", ["x{1}"], ["x1"]),
        (r"\D", ["a"], ["7"]),
        (r"\w\W", ["a-", "_ "], ["ab", "é "]),
        (r"a\sb", ["a b", "a\tb"], ["ab"]),
        (r"a\Sb", ["axb"], ["a b"]),
        (r"\bword\b", ["a word", "word-x"], ["words", "sword"]),
        (r"\Bord", ["word"], ["ord"]),
        ("[a-c]", ["b"], ["d", "-"]),
        ("[^a-c]", ["d"], ["a"]),
        ("[]x]", ["]", "x"], ["["]),
        ("[a-]", ["-"], ["b"]),
        (r"[\d-x]", ["5", "-", "x"], ["w"]),
        (r"[\W]", ["-"], ["a"]),
        (r"[\D]", ["a", "-"], ["5"]),
        (r"[\S]", ["a"], [" "]),
        (r"[\]a]", ["]"], ["b"]),
        ("[[:upper:]]", ["A"], ["a"]),
        (r"\p{Greek}", ["λ"], ["l"]),
        (r"\x41\u0042\x{43}", ["ABC"], ["abc"]),
        (r"\t\r\f\v\a", ["\t\r\f\v\a"], ["trfva"]),
        (r"\.\*", [".*"], ["aa"]),
        ("(?:ab)+c|d", ["ababc", "d"], ["ab"]),
        ("(?P<name>a)(?<other>b)", ["ab"], ["ba"]),
        ("(?i)AB", ["ab"], ["ac"]),
        ("#~-& ", ["#~-& "], ["#"]),
    ],
)
def test_a_pattern_matches_what_it_says(pattern: str, matching: list[str], others: list[str]) -> None:
    expression = compiled(pattern_of(pattern, ignore_case=False).re2)

    assert [text for text in (*matching, *others) if expression.search(text.encode())] == matching


def test_case_counts_unless_it_is_to_be_ignored() -> None:
    found_in = [bool(compiled(pattern_of("Word", ignore_case=each).re2).search(b"a wORD")) for each in (True, False)]

    assert found_in == [True, False]


@pytest.mark.parametrize(
    ("script", "is_used"),
    [
        ("echo ripgrep 13.0.0", True),
        ("echo ripgrep 14.1.1", True),
        ("echo ripgrep 12.9.9", False),
        ("echo another program", False),
        ("exit 1", False),
    ],
)
def test_only_a_ripgrep_that_is_new_enough_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, is_used: bool
) -> None:
    program = tmp_path / "rg"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert find_ripgrep.__wrapped__() == (str(program) if is_used else None)


@pytest.mark.parametrize("engine", ENGINES)
async def test_shows_lines_sorted_by_path_without_ignored_files(tmp_path: Path, engine: str | None) -> None:
    lay_out(tmp_path, {"b.txt": "word\n", "a/z.txt": "no\na word\r\n", "a.log": "word\n", ".gitignore": "*.log\n"})

    assert await found(tmp_path, engine, pattern="word") == "a/z.txt:2:a word\nb.txt:1:word"
    assert await found(tmp_path, engine, pattern="word", glob="*.log") == "[No matches.]"
    assert await found(tmp_path, engine, glob="*.log", all=True) == "a.log"


@pytest.mark.usefixtures("own_search_here")
@pytest.mark.parametrize("engine", ENGINES)
async def test_counts_what_it_does_not_show_also_within_one_file(tmp_path: Path, engine: str | None) -> None:
    many = {"a.txt": "word\n" * 500, "b.txt": "word\n" * 30, "c.txt": "word\n" * 5}
    lay_out(tmp_path, {**many, "d.bin": b"\0" + b"word\n" * 900})

    answer = (await found(tmp_path, engine, pattern="word", limit=20)).splitlines()

    assert answer[0] == "a.txt:1:word"
    assert answer[19:] == ["a.txt:20:word", "[515 more matches are not shown.]"]
    # The first file has exactly as many as are shown.
    answer = (await found(tmp_path, engine, pattern="word", glob="[b-z].txt", limit=30)).splitlines()
    assert answer[29:] == ["b.txt:30:word", "[5 more matches are not shown.]"]


async def test_our_own_search_stops_counting_what_it_does_not_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(tmp_path, {"a.txt": "word\n" * 5_000, "b.txt": "word\n" * 5_000})
    monkeypatch.setattr(own_search, "_COUNTING_SECONDS", 0.0)
    query = Query(str(tmp_path), ".", pattern_of("word", ignore_case=False), 0, 3, False, "", "")

    printed = BytesIO()
    with opened_folder(tmp_path) as folder:
        own_search._search(query, folder, printed)
    reader, findings = LineReader(), Findings(2, "")
    for path, lines in [*reader.feed(printed.getvalue()), *reader.finish()]:
        findings.add(path, lines)

    shown = findings.shown()
    assert shown[:2] == ["a.txt:1:word", "a.txt:2:word"]
    assert shown[2:] == [
        "[1,001 more matches are not shown.]",
        "[There are still more: they were not counted to the end.]",
    ]


async def test_lines_that_are_far_from_each_other_have_a_line_between_them(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.txt": "word\n1\n2\n3\nword\n", "b.txt": "word\n"})

    shown = await found(tmp_path, RIPGREP, pattern="word", context=1)

    assert shown.splitlines() == ["a.txt:1:word", "a.txt-2-1", "--", "a.txt-4-3", "a.txt:5:word", "--", "b.txt:1:word"]
    assert (await found(tmp_path, RIPGREP, pattern="word")).count("--") == 0


async def test_our_own_search_is_not_stopped_by_a_pipe_that_has_taken_the_place_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("word\n")
    monkeypatch.setattr(own_search, "_entries", lambda folder: [("file", False), ("gone", False), ("pipe", False)])
    printed = BytesIO()

    own_search.print_found(
        Query(str(tmp_path), ".", pattern_of("word", ignore_case=False), 0, 3, True, "", ""), printed
    )

    assert printed.getvalue() == b"file\x001:word\n\x000:\n"


def test_our_own_search_leaves_no_folder_open(tmp_path: Path) -> None:
    lay_out(tmp_path, {f"{folder}/inner/file": "word\n" for folder in "abc"})
    open_before = os.listdir("/proc/self/fd")

    own_search.print_found(
        Query(str(tmp_path), ".", pattern_of("word", ignore_case=False), 0, 3, True, "", ""), BytesIO()
    )

    assert os.listdir("/proc/self/fd") == open_before


def test_a_file_that_is_gone_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a")
    (tmp_path / "bytes").write_bytes(b"\0")

    assert text_files(str(tmp_path), [b"text", b"bytes", b"gone"]) == {b"text"}


def test_a_ripgrep_that_cannot_be_run_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rg").write_text("#!/nowhere\n")
    (tmp_path / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_ripgrep.__wrapped__() is None

    (tmp_path / "rg").unlink()

    assert find_ripgrep.__wrapped__() is None


@pytest.mark.parametrize("matches", [0, 1, 3])
def test_no_more_is_kept_of_what_is_found_than_is_shown(matches: int) -> None:
    findings = Findings(2, "")
    lines = [(number + 1, True, b"word") for number in range(matches)]
    for number in reversed(range(100)):
        findings.add(b"%02d" % number, lines)
        assert len(findings.files) <= 4

    shown = ["00", "01"] if matches == 0 else ["00:1:word", "01:1:word" if matches == 1 else "00:2:word"]
    counted = 100 * max(1, min(matches, 3))
    assert findings.shown() == [*shown, f"[{counted - 2} more matches are not shown.]"]


@pytest.mark.usefixtures("own_search_here")
@pytest.mark.parametrize("engine", ENGINES)
async def test_paths_are_sorted_as_a_whole_and_only_the_first_matches_are_shown(
    tmp_path: Path, engine: str | None
) -> None:
    lay_out(tmp_path, {"a/b.txt": "word\n", "a.txt": "word\n", "a0": "word\n", "é": "word\n", "z": "word\n"})

    shown = await found(tmp_path, engine, pattern="word", limit=3)

    assert shown.splitlines() == ["a.txt:1:word", "a/b.txt:1:word", "a0:1:word", "[2 more matches are not shown.]"]


@pytest.mark.parametrize("engine", ENGINES)
async def test_a_pipe_is_not_searched(tmp_path: Path, engine: str | None) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert orjson.loads(await found(tmp_path, engine, pattern="word", path="pipe"))["code"] == "not_a_file"


async def test_our_own_search_follows_no_folder_that_has_become_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(tmp_path, {"out/key": "word\n", "work/here": "word\n"})
    (tmp_path / "work" / "d").symlink_to(tmp_path / "out")
    # As if it had been a folder when its folder was listed.
    monkeypatch.setattr(own_search, "_entries", lambda folder: [("d", True), ("here", False)])
    query = Query(str(tmp_path / "work"), ".", None, 0, 3, True, "", "")

    with opened_folder(tmp_path / "work") as folder:
        assert [path for _, path in own_search._files(query, folder)] == ["here"]


@pytest.mark.usefixtures("own_search_here")
@pytest.mark.parametrize("engine", ENGINES)
async def test_a_line_is_cut_at_500_characters(tmp_path: Path, engine: str | None) -> None:
    lay_out(tmp_path, {"a.txt": "é" * 600 + "word\n"})

    assert await found(tmp_path, engine, pattern="word") == "a.txt:1:" + "é" * 500


@pytest.mark.usefixtures("own_search_here")
@pytest.mark.parametrize("engine", ENGINES)
async def test_never_enters_the_folder_of_the_server(tmp_path: Path, engine: str | None) -> None:
    lay_out(tmp_path, {"home [1]/key": "word\n", "home [1]/results/sess_1/a.txt": "word\n", "a.txt": "word\n"})
    home = tmp_path / "home [1]"

    answers = [
        (await SearchFiles(Folders(home), lambda: engine).run(arguments, tool_context(tmp_path))).text
        for arguments in (
            {"pattern": "word", "all": True},
            {"glob": "**"},
            {"pattern": "word", "path": "home [1]"},
            {"pattern": "word", "path": str(home / "results/sess_1")},
        )
    ]

    assert answers[:2] == ["a.txt:1:word", "a.txt"]
    assert orjson.loads(answers[2])["code"] == "outside"
    assert answers[3].endswith("a.txt:1:word")


@pytest.mark.parametrize("engine", ENGINES)
async def test_stops_after_its_time_and_says_so(tmp_path: Path, engine: str | None) -> None:
    lay_out(tmp_path, {"a.txt": "word\n"})

    result = await SearchFiles(Folders(HOME), lambda: engine, seconds=0.0).run(
        {"pattern": "word"}, tool_context(tmp_path)
    )

    assert result.text == "[Stopped after 0 s or for lack of memory: there may be more. Narrow it by path or glob.]"


@pytest.mark.usefixtures("own_search_here")
@pytest.mark.parametrize("engine", ENGINES)
async def test_a_pattern_that_would_keep_others_busy_for_ever_takes_no_time(tmp_path: Path, engine: str | None) -> None:
    lay_out(tmp_path, {"a.txt": "a" * 20_000 + "\n", "a" * 200: ""})

    assert await found(tmp_path, engine, pattern="(a*)*(a|aa)+$b|(.*.*.*)*x") == "[No matches.]"
    assert await found(tmp_path, engine, glob="*a" * 100 + "b") == "[No matches.]"


@pytest.mark.parametrize("engine", ENGINES)
async def test_finds_a_word_in_a_line_of_128_mebibytes(tmp_path: Path, engine: str | None) -> None:
    with (tmp_path / "huge.txt").open("wb") as file:
        file.write(b"x" * 8_192)
        file.truncate(2**27)
        file.seek(0, os.SEEK_END)
        file.write(b"word\n")

    assert await found(tmp_path, engine, pattern="word") == "huge.txt:1:" + "x" * 500


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "nothing to search for"),
        ({"pattern": "", "glob": ""}, "nothing to search for"),
        ({"pattern": 7}, "pattern must be a string"),
        ({"pattern": "a(?=b)"}, "look-around"),
        ({"pattern": "a(?<!b)"}, "look-around"),
        ({"pattern": r"(a)\1"}, "back-reference"),
        ({"pattern": "(a"}, "missing )"),
        ({"pattern": "a**"}, "repetition"),
        ({"pattern": "[a"}, "without its ]"),
        ({"pattern": "a\\"}, "ends with a backslash"),
        ({"pattern": r"a\nb"}, "within one line"),
        ({"pattern": "a\nb"}, "within one line"),
        ({"pattern": r"\Aa"}, r"\A, which is not known"),
        ({"pattern": "(?x) a"}, "(?x, which is not known"),
        ({"pattern": "a{2000}"}, "more than 1,000 times"),
        ({"pattern": "(a{500}){500}"}, "repetition"),
        ({"pattern": "\ud800"}, "not valid Unicode"),
        ({"pattern": "a" * 2_001}, "longer than"),
        ({"pattern": "a{1,1001}"}, "more than 1,000 times"),
        ({"pattern": "[a-\\d]"}, "ends with a class"),
        ({"pattern": r"[\b]"}, r"\b in [ ]"),
        ({"pattern": r"\x{110000}"}, "which is no character"),
        ({"glob": "[a"}, "glob has a [ without its ]"),
        ({"glob": "{a"}, "glob has a { without its }"),
        ({"pattern": "a", "limit": 0}, "limit must be"),
        ({"pattern": "a", "limit": 2001}, "limit must be"),
        ({"pattern": "a", "context": 21}, "context must be"),
        ({"pattern": "a", "all": "yes"}, "all must be"),
        ({"pattern": "a", "ignore_case": 1}, "ignore_case must be"),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
async def test_names_the_argument_that_it_cannot_use(
    tmp_path: Path, engine: str | None, arguments: dict[str, Any], words: str
) -> None:
    answer = orjson.loads(await found(tmp_path, engine, **arguments))

    assert answer["code"] == "invalid_arguments"
    assert words in answer["error"]


@pytest.mark.parametrize(
    ("path", "code"), [("none", "not_found"), ("..", "outside"), ("/etc", "outside"), ("out", "outside")]
)
async def test_searches_only_below_the_workspace(tmp_path: Path, path: str, code: str) -> None:
    (tmp_path / "out").symlink_to("/etc")

    assert orjson.loads(await found(tmp_path, None, pattern="root", path=path))["code"] == code


@pytest.mark.usefixtures("own_search_here")
@pytest.mark.parametrize("engine", ENGINES)
async def test_a_name_with_a_line_break_does_not_spoil_the_count(tmp_path: Path, engine: str | None) -> None:
    lay_out(tmp_path, {"a\nb.txt": "word\n" * 5, "c.txt": "word\n" * 5})

    answer = await found(tmp_path, engine, pattern="word", limit=1)

    assert answer.endswith("[9 more matches are not shown.]")


async def test_a_search_that_is_cancelled_leaves_no_process(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    os.mkfifo(marker)
    slow = tmp_path / "slow"
    slow.write_text(f"#!/bin/sh\necho $$ > {marker}; exec sleep 60\n")
    slow.chmod(0o755)
    job = asyncio.create_task(found(tmp_path, str(slow), pattern="word"))
    pid = int(await asyncio.to_thread(marker.read_text))

    job.cancel()
    await asyncio.gather(job, return_exceptions=True)

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
