"""What is kept and shown of what a search finds."""

from pathlib import Path

from wakeful.tools.search.findings import Findings, Line, LineReader, NameReader, text_files


def matches(*numbers: int) -> list[Line]:
    return [(number, True, b"x") for number in numbers]


def test_files_are_shown_by_path_up_to_the_limit_and_the_rest_is_counted() -> None:
    findings = Findings(limit=3, prefix="src/")
    findings.add(b"b", matches(1, 5))
    findings.add(b"a", matches(2, 3))
    findings.add(b"c", matches(9))

    assert findings.shown() == ["src/a:2:x", "src/a:3:x", "src/b:1:x", "[2 more matches are not shown.]"]


def test_all_is_shown_if_there_is_no_more_than_the_limit() -> None:
    findings = Findings(limit=3, prefix="")
    findings.add(b"a", matches(1, 2, 3))

    assert (findings.shown(), findings.to_count) == (["a:1:x", "a:2:x", "a:3:x"], [])


def test_names_are_matches_without_lines() -> None:
    findings = Findings(limit=2, prefix="src/")
    for name in (b"b", b"a", b"c"):
        findings.add(name, [])

    assert findings.shown() == ["src/a", "src/b", "[1 more matches are not shown.]"]


def test_of_a_file_with_more_matches_than_the_limit_the_others_are_counted_later() -> None:
    findings = Findings(limit=2, prefix="")
    findings.add(b"a", matches(1, 2, 3, 4))
    assert (findings.total, findings.to_count) == (3, [b"a"])

    findings.add_count(7)

    assert findings.shown() == ["a:1:x", "a:2:x", "[5 more matches are not shown.]"]


def test_lines_around_a_match_are_marked_and_gaps_are_shown() -> None:
    findings = Findings(limit=2, prefix="", context=1)
    around: list[Line] = [(1, False, b"b"), (2, True, b"x"), (3, False, b"c"), (6, True, b"y"), (7, False, b"d")]
    findings.add(b"a", [*around, (8, True, b"z"), (9, False, b"e")])
    findings.add(b"b", matches(1))

    assert findings.shown() == [
        *("a-1-b", "a:2:x", "a-3-c", "--", "a:6:y", "a-7-d"),
        "[2 more matches are not shown.]",
    ]


def test_files_have_a_line_between_them_if_lines_around_are_shown() -> None:
    findings = Findings(limit=9, prefix="", context=1)
    for name in (b"a", b"b"):
        findings.add(name, matches(1))

    assert findings.shown() == ["a:1:x", "--", "b:1:x"]


def test_without_lines_around_gaps_are_not_shown() -> None:
    findings = Findings(limit=9, prefix="")
    findings.add(b"a", matches(1, 9))

    assert findings.shown() == ["a:1:x", "a:9:x"]


def test_a_search_that_has_stopped_counting_says_so() -> None:
    findings = Findings(limit=1, prefix="")
    findings.add(b"a", matches(1))
    findings.add(b"", [(4, False, b"")])

    assert findings.shown() == [
        "a:1:x",
        "[4 more matches are not shown.]",
        "[There are still more: they were not counted to the end.]",
    ]


def test_files_that_will_not_be_shown_are_forgotten() -> None:
    findings = Findings(limit=2, prefix="")
    for name in (b"d", b"c", b"b", b"e"):
        findings.add(name, matches(1))
    assert sorted(findings.files) == [b"b", b"c", b"d", b"e"]

    findings.add(b"a", matches(1))

    assert sorted(findings.files) == [b"a", b"b"]
    assert findings.shown() == ["a:1:x", "b:1:x", "[3 more matches are not shown.]"]


def test_files_with_many_matches_are_forgotten_sooner() -> None:
    findings = Findings(limit=3, prefix="")
    for name in (b"d", b"c", b"b"):
        findings.add(name, matches(1, 2, 3, 4))
    assert sorted(findings.files) == [b"b", b"c", b"d"]

    findings.add(b"a", matches(1))

    assert sorted(findings.files) == [b"a", b"b"]


def test_lines_are_read_however_they_come_and_told_for_whole_files() -> None:
    data = b"a\x001:x\na\x0012-y:z\nb\x003:\n"
    for size in range(1, len(data)):
        reader = LineReader()
        read = [each for at in range(0, len(data), size) for each in reader.feed(data[at : at + size])]
        assert read == [(b"a", [(1, True, b"x"), (12, False, b"y:z")])]
        assert list(reader.finish()) == [(b"b", [(3, True, b"")])]
        assert list(reader.finish()) == []


def test_names_are_read_however_they_come() -> None:
    reader = NameReader()

    assert [*reader.feed(b"a\0b"), *reader.feed(b"c\0d"), *reader.finish()] == [(b"a", []), (b"bc", [])]


def test_text_is_told_from_other_files(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a")
    (tmp_path / "other").write_bytes(b"a\0b")

    assert text_files(str(tmp_path), [b"text", b"other", b"missing"]) == {b"text"}
