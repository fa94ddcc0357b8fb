"""Which files the rules of ignore files hide."""

from pathlib import Path

import pytest

from wakeful.tools.search.ignoring import Ignored, RuleFile


@pytest.mark.parametrize(
    ("rules", "path", "verdict"),
    [
        ("*.log", b"a.log", True),
        ("*.log", b"sub/a.log", True),
        ("*.log", b"a.txt", None),
        ("/a.log", b"a.log", True),
        ("/a.log", b"sub/a.log", None),
        ("sub/a.log", b"sub/a.log", True),
        ("sub/a.log", b"x/sub/a.log", None),
        ("**/a.log", b"x/a.log", True),
        ("all/**", b"all/a", True),
        ("all/**", b"all", None),
        ("made/", b"made", None),
        ("*.log\n!a.log", b"a.log", False),
        ("!a.log\n*.log", b"a.log", True),
        ("# a", b"# a", None),
        ("\\#a", b"#a", True),
        ("a  ", b"a", True),
        ("a\\ ", b"a ", True),
        ("a\\ ", b"a", None),
        ("\n/\n!\n[\na", b"a", True),
        ("", b"a", None),
    ],
)
def test_the_last_rule_that_matches_a_file_decides(rules: str, path: bytes, verdict: bool | None) -> None:
    assert RuleFile(rules).verdict(path, is_folder=False) is verdict


def test_a_rule_for_folders_is_for_them_alone_and_does_not_hide_an_earlier_one() -> None:
    rules = RuleFile("made\n!made/")

    assert rules.verdict(b"made", is_folder=True) is False
    assert rules.verdict(b"made", is_folder=False) is True


def test_the_nearest_rule_of_a_kind_wins_and_the_kinds_have_an_order(tmp_path: Path) -> None:
    sub = tmp_path / "sub"
    sub.mkdir()
    (tmp_path / ".gitignore").write_text("*.log\n")
    (sub / ".gitignore").write_text("!a.log\n!b.log\n")
    (tmp_path / ".ignore").write_text("b.log\n")
    (tmp_path / ".rgignore").write_text("!c.log\n")

    ignored = Ignored.of(str(sub), Ignored.of(str(tmp_path)))

    hidden = [
        name for name in ("a.log", "b.log", "c.log", "d.log", "e") if ignored.hides(f"{sub}/{name}", is_folder=False)
    ]
    assert hidden == ["b.log", "d.log"]


def test_rules_of_the_folders_above_hold_where_a_search_begins(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("/a/b/hidden\n")

    ignored = Ignored.from_above(str(below))

    assert ignored.hides(f"{below}/hidden", is_folder=False)
    assert not ignored.hides(f"{below}/seen", is_folder=False)


def test_a_folder_without_rules_has_those_above_it_and_the_root_has_none_above(tmp_path: Path) -> None:
    above = Ignored.of("/")

    assert Ignored.of(str(tmp_path), above) is above
    assert Ignored("/", None, {".ignore": RuleFile("/tmp")}).hides("/tmp", is_folder=True)


def test_an_ignore_file_that_is_none_or_too_long_has_no_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wakeful.tools.search.ignoring._LARGEST", 4)
    (tmp_path / ".gitignore").mkdir()
    (tmp_path / ".ignore").write_text("abcde")
    (tmp_path / ".rgignore").write_text("abcd")

    assert list(Ignored.of(str(tmp_path)).files) == [".rgignore"]


def test_a_mark_at_the_beginning_and_bytes_that_are_no_text_are_read(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbfone\r\n\xff\n")

    ignored = Ignored.of(str(tmp_path))

    assert ignored.hides(f"{tmp_path}/one", is_folder=False)
    assert ignored.hides(f"{tmp_path}/\udcff", is_folder=False)
