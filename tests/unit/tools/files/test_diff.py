from difflib import unified_diff
from random import Random

import pytest

from wakeful.model.journal.change import DIFF_LIMIT
from wakeful.tools.files.diff import compare, count_lines


def test_a_new_file_and_an_emptied_one() -> None:
    made, emptied = compare(None, b"a\nb", "n"), compare(b"a\n", b"", "n")

    assert made.diff == "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file"
    assert (made.added, made.removed) == (2, 0)
    assert emptied.diff == "--- a/n\n+++ b/n\n@@ -1 +0,0 @@\n-a"


def test_equal_files_have_no_diff() -> None:
    assert compare(b"a\n", b"a\n", "n").diff == ""


@pytest.mark.parametrize("seed", range(40))
def test_the_hunks_are_those_of_a_whole_comparison(seed: int) -> None:
    """Lines that begin and end both files are left out before comparing: that must not show."""
    random = Random(seed)
    old = [f"{random.randrange(6)}\n" for _ in range(random.randrange(30))]
    new = old.copy()
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(new) + 1)
        new[at : at + random.randrange(3)] = [f"new {random.randrange(3)}\n" for _ in range(random.randrange(3))]

    made = compare("".join(old).encode(), "".join(new).encode(), "n")

    assert _applied(old, made.diff) == new
    usual = list(unified_diff(old, new, n=3))
    assert made.added - made.removed == len(new) - len(old)
    assert bool(made.diff) == bool(usual)


def test_a_change_of_thousands_of_lines_counts_all_between_the_first_and_the_last() -> None:
    old = "".join(f"{number}\n" for number in range(9_000))
    new = "".join(f"{number if number in (0, 8_999) else -number}\n" for number in range(9_000))

    made = compare(old.encode(), new.encode(), "n")

    assert (made.added, made.removed) == (8_998, 8_998)
    assert made.diff.startswith("--- a/n\n+++ b/n\n@@ -1,9000 +1,9000 @@\n 0\n-1\n")


def test_a_few_lines_among_thousands_are_not_looked_for() -> None:
    made = compare(b"a\nkept\nb\n", b"x\n" * 2_000 + b"kept\n" + b"y\n" * 2_000, "n")

    assert (made.added, made.removed) == (4_001, 3)


@pytest.mark.parametrize(("more", "added"), [(1_999, 2_999), (2_000, 3_001)], ids=["most", "too many"])
def test_up_to_three_thousand_lines_a_line_that_stays_is_found(more: int, added: int) -> None:
    made = compare(b"a\nkept\nb\n", b"x\n" * 1_000 + b"kept\n" + b"y\n" * more, "n")

    assert made.added == added


@pytest.mark.parametrize("at", [0, 1, 3, 4, 10, 16, 18, 19])
@pytest.mark.parametrize("lines", [[], ["new"], ["new", "newer"]])
def test_a_change_is_shown_with_three_lines_around_it(at: int, lines: list[str]) -> None:
    old = [f"{number}\n" for number in range(20)]
    new = [*old[:at], *(f"{line}\n" for line in lines), *old[at + 1 :]]

    made = compare("".join(old).encode(), "".join(new).encode(), "n")

    usual = unified_diff(old, new, "a/n", "b/n", n=3)
    assert made.diff == "".join(usual).replace("a/n\t", "a/n").rstrip("\n")
    assert (made.added, made.removed) == (len(lines), 1)


@pytest.mark.parametrize(
    ("old", "new", "hunk"),
    [
        (b"a\nb", b"a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b"),
        (b"a\n", b"a\na\n", "@@ -1 +1,2 @@\n a\n+a"),
        (b"aa\n", b"a\n", "@@ -1 +1 @@\n-aa\n+a"),
        (b"a\nb\nb\nc\n", b"a\nb\nc\n", "@@ -1,4 +1,3 @@\n a\n b\n-b\n c"),
        (b"", b"a\n", "@@ -0,0 +1 @@\n+a"),
    ],
)
def test_the_ends_of_both_files_are_told_apart(old: bytes, new: bytes, hunk: str) -> None:
    assert compare(old, new, "n").diff == f"--- a/n\n+++ b/n\n{hunk}"


def test_a_file_that_was_no_text_is_not_compared() -> None:
    made = compare(b"\0", b"a\nb", "n")

    assert (made.diff, made.added, made.removed) == (
        "[n is not a text file now; it becomes one of 3 bytes.]",
        2,
        0,
    )


@pytest.mark.parametrize(("count", "added"), [(3_000, 2_999), (3_001, 3_001)])
def test_equal_lines_are_looked_for_among_three_thousand(count: int, added: int) -> None:
    old = [f"old {number}\n" for number in range(count)]
    new = [f"new {number}\n" for number in range(count)]
    old[1_500] = new[1_500] = "kept\n"

    made = compare("".join(old).encode(), "".join(new).encode(), "n")

    assert (made.added, made.removed) == (added, added)


def test_a_diff_is_cut_at_its_limit_and_says_so() -> None:
    frame = len(compare(None, b"a\n", "n").diff) - 1
    most = compare(None, b"x" * (DIFF_LIMIT - frame) + b"\n", "n").diff
    more = compare(None, b"x" * (DIFF_LIMIT - frame + 1) + b"\n", "n").diff

    assert (len(most), most[-1], len(more)) == (DIFF_LIMIT, "x", DIFF_LIMIT)
    assert more.endswith("x\n[Cut: the change is longer than this.]")


@pytest.mark.parametrize(("data", "count"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2)])
def test_a_last_line_without_its_end_counts(data: bytes, count: int) -> None:
    assert count_lines(data) == count


def _applied(old: list[str], diff: str) -> list[str]:
    """Apply a unified diff, as patch does."""
    new: list[str] = []
    at = 0
    for line in diff.split("\n")[2:]:
        if line.startswith("@@"):
            first, count = [*line.split()[1].lstrip("-").split(","), "1"][:2]
            start = int(first) - (1 if int(count) else 0)
            new += old[at:start]
            at = start
        elif line.startswith("+"):
            new.append(line[1:] + "\n")
        else:
            assert old[at] == line[1:] + "\n"
            new += [old[at]] if line.startswith(" ") else []
            at += 1
    return new + old[at:]
