from difflib import unified_diff
from random import Random

import pytest

from wakeful.tools.files.diff import compare


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
