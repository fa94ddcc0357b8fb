"""The values that a variable of a script may have."""

import pytest

from wakeful.tools.commands.shell.loose_words import UNKNOWN
from wakeful.tools.commands.shell.variables import Variables


@pytest.fixture
def variables() -> Variables:
    variables = Variables({"HOME": ("/home/me",)}, {"date": "*"})
    variables.add("D", ["a", "b"])
    variables.add("E", ["c"])
    return variables


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("x", ["x"]),
        ("$E", ["c"]),
        ("x${E}y", ["xcy"]),
        ("$D/$D", ["a/a", "a/b", "b/a", "b/b"]),
        ("$HOME/x", ["/home/me/x"]),
        ("$X/$E", ["$X/c"]),
        ("${X:-y}", ["${X:-y}"]),
        ("${E:-y}${E-y}", ["cc"]),
        ("${E:+y}", ["${E:+y}"]),
        ("${E%y}", ["${E%y}"]),
        ("$PWD/x", ["/here/x", "$PWD/x"]),
        ("$(pwd)/x", ["/here/x", "$(pwd)/x"]),
        ("$(pwd -P)", ["/here", "$(pwd -P)"]),
        ("$(date +%F)", ["*"]),
        ("$(ls)$()", ["$(ls)$()"]),
        ("$1$", ["$1$"]),
    ],
)
def test_a_word_stands_for_every_text_that_it_may_become(word: str, values: list[str], variables: Variables) -> None:
    assert variables.expand(word, ("/here", None)) == values


def test_a_variable_keeps_all_that_it_was_ever_given(variables: Variables) -> None:
    variables.assign("E=$D", ())
    variables.assign("HOME=/x", ())
    variables.assign("no assignment", ())
    variables.assign("PWD=/y", ())

    assert variables.expand("$E", ()) == ["c", "a", "b"]
    assert variables.expand("$HOME", ()) == ["/home/me", "/x"]
    assert variables.expand("$PWD", ("/here",)) == ["/y"]


def test_what_is_added_to_a_value_follows_it(variables: Variables) -> None:
    variables.assign("E+=d", ())
    variables.assign("N+=n\nm", ())

    assert (variables.expand("$E", ()), variables.expand("$N", ())) == (["c", "cd"], ["n\nm"])


def test_more_than_twenty_values_are_unknown(variables: Variables) -> None:
    variables.add("T", map(str, range(20)))
    assert len(variables.expand("$T", ())) == 20
    assert variables.expand("$T$D", ()) == [UNKNOWN]

    variables.add("T", ["one more"])

    assert variables.expand("$T", ()) == [UNKNOWN]


def test_a_thousand_variables_are_followed(variables: Variables) -> None:
    for number in range(998):
        variables.add(f"V{number}", ["v"])
    variables.add("M", ["m"])
    variables.add("E", ["d"])

    assert [variables.expand(word, ()) for word in ("$V997", "$M", "$E")] == [["v"], ["$M"], ["c", "d"]]
