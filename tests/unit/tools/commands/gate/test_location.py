"""Where the words of a command lead, and which of the targets lie outside of the workspace."""

import os
from pathlib import Path

import pytest

from wakeful.tools.commands.gate.ground import Ground
from wakeful.tools.commands.gate.location import MADE_HERE, CommandTarget, Location


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The test runs in a temporary folder, which must not count as one.
    monkeypatch.setattr(Ground, "temporary", ("/tmp-of-the-machine",))
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    (tmp_path / "workspace/src").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "workspace/link").symlink_to(tmp_path / "other")
    return tmp_path / "workspace"


def location_in(workspace: Path, *directories: str | None) -> Location:
    return Location(Ground(str(workspace), (), ()), directories or (str(workspace),))


@pytest.mark.parametrize(
    ("word", "named", "followed"),
    [
        ("a", "WS/a", "WS/a"),
        ("./a/../b//c/.", "WS/b/c", "WS/b/c"),
        ("..", "TOP", "TOP"),
        (".", "WS", "WS"),
        ("", "WS", "WS"),
        ("/", "/", "/"),
        ("/a", "/a", "/a"),
        ("link", "WS/link", "TOP/other"),
        ("link/", "TOP/other", "TOP/other"),
        ("link/a", "TOP/other/a", "TOP/other/a"),
        ("link/..", "TOP", "TOP"),
        ("~", "TOP/me", "TOP/me"),
        ("~/a", "TOP/me/a", "TOP/me/a"),
        ("~+/a", "WS/a", "WS/a"),
        ("~+", "WS", "WS"),
        ("~+x", None, None),
        ("~nobody-here/a", None, None),
        ("a~", "WS/a~", "WS/a~"),
        ("$X/a", None, None),
        ("`x`", None, None),
        ("a\0b", None, None),
        ("a" * 4_097, None, None),
    ],
)
def test_a_word_leads_to_a_path(word: str, named: str | None, followed: str | None, workspace: Path) -> None:
    location, top = location_in(workspace), str(workspace.parent)

    def shown(targets: list[CommandTarget]) -> list[str | None]:
        return [each.path and each.path.replace(str(workspace), "WS").replace(top, "TOP") for each in targets]

    assert shown(location.targets(word)) == [named]
    assert shown(location.targets(word, follow=True)) == [followed]


def test_a_word_is_seen_from_each_folder_that_the_shell_may_be_in(workspace: Path) -> None:
    location = location_in(workspace, "/a", None, "/a/b")

    assert [target.path for target in location.targets("x")] == ["/a/x", None, "/a/b/x"]
    assert [target.path for target in location.targets("/x")] == ["/x"]


def test_of_more_than_eight_folders_none_is_known(workspace: Path) -> None:
    location = location_in(workspace)
    eight = tuple(f"/{number}" for number in range(8))

    assert location.at((*eight, "/0")).directories == eight
    assert location.at((*eight, "/8")).directories == (None,)
    assert location.at(location.directories) is location


def test_a_target_is_shown_with_what_it_means() -> None:
    targets = [
        CommandTarget("a", "/x/a"),
        CommandTarget("a/*", "/x/*"),
        CommandTarget("/*", "/*"),
        CommandTarget("$a", None),
    ]

    assert [(target.shown, target.folder) for target in targets] == [
        ("/x/a", "/x/a"),
        ("everything in /x", "/x"),
        ("everything in /", "/"),
        ("$a", None),
    ]


def test_outside_is_the_workspace_itself_and_all_that_is_not_in_it(workspace: Path) -> None:
    words = ["a", ".", "..", "../workspace-2", "/opt", "$X", f"{MADE_HERE}/a", "*"]

    found = [target.operand for target in location_in(workspace).outside(words)]

    assert found == [".", "..", "../workspace-2", "/opt", "$X"]


def test_temporary_files_are_spared_but_not_all_of_them_at_once(workspace: Path) -> None:
    words = ["/tmp-of-the-machine", "/tmp-of-the-machine/*", "/tmp-of-the-machine/a", "$X"]
    location = location_in(workspace)

    assert [target.operand for target in location.outside(words, spares_temporary=True)] == [*words[:2], "$X"]
    assert [target.operand for target in location.outside(words)] == words


def test_five_hundred_words_are_checked_and_ten_are_named(workspace: Path) -> None:
    location = location_in(workspace)
    words = [f"/opt/{number}" for number in range(500)]

    assert [target.operand for target in location.outside([*words, *words])] == words[:10]
    assert list(location.outside([*words, "a"])) == [CommandTarget("501 files and folders", None)]


def test_the_system_is_its_folders_and_the_keys_of_the_user(workspace: Path) -> None:
    words = ["/etc", "/etc/hosts", "/etcetera", "/var/lib/x", "/var/log/x", "~/.ssh/id", "~/.ssh", "~/x", "$X", "a"]

    found = [target.operand for target in location_in(workspace).system(words)]

    assert found == ["/etc", "/etc/hosts", "/var/lib/x", "~/.ssh/id", "~/.ssh"]


def test_ten_targets_of_the_system_are_named_and_five_hundred_looked_at(workspace: Path) -> None:
    location = location_in(workspace)
    many = [f"/etc/{number}" for number in range(20)]

    assert [target.operand for target in location.system(many)] == many[:10]
    inside = [f"a{number}" for number in range(499)]
    assert [target.operand for target in location.system([*inside, "/etc/a", "/etc/b"])] == ["/etc/a"]


def test_overwritten_is_what_exists_outside_and_is_not_temporary(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = workspace.parent
    for name in ("workspace/a", "other/a", "other/b", "me", "temporary/a"):
        (top / name).parent.mkdir(exist_ok=True)
        (top / name).touch()
    monkeypatch.setattr(Ground, "temporary", (str(top / "temporary"),))
    words = ["a", "../other/a", "link/b", "../other/c", "../other", "$X", "../temporary/a", "../other/*", "../other/?"]

    found = [target.operand for target in location_in(workspace).overwritten([*words, "../oth*/x", "../other/c*"])]

    assert found == ["../other/a", "link/b", "../other/*", "../other/?", "../oth*/x"]


def test_of_a_folder_that_cannot_be_entered_the_name_counts(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> str:
        raise PermissionError(path)

    monkeypatch.setattr(os.path, "realpath", refuse)

    assert [target.path for target in location_in(workspace, "/a").targets("b/../c", follow=True)] == ["/a/c"]


def test_in_a_workspace_around_the_system_its_folders_count_as_outside(tmp_path: Path) -> None:
    location = location_in(Path("/"), "/")
    words = ["/etc/x", "/etc", "/usr", "/opt/x", "/proc/sys/x", "/srv"]

    assert [target.operand for target in location.outside(words)] == ["/etc/x", "/etc", "/usr", "/proc/sys/x"]
    assert [target.operand for target in location.system(words)] == ["/etc/x", "/etc", "/usr", "/proc/sys/x"]
    assert [target.operand for target in location_in(Path("/etc/app"), "/etc/app").system(["a", "/etc/b"])] == [
        "/etc/b"
    ]
