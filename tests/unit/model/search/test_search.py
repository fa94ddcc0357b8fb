"""Words of a text, and the piece of it that shows where they are."""

import pytest

from wakeful.model.journal.entry import TEXT, Entry, answer_entry, input_entry, result_entry, without
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.search.search import Wanted, index_words, owner_word, searched_text, wanted_in
from wakeful.model.search.snippet import snippet_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, hello WORLD_2!", ["hello", "world", "2"]),
        ("Crème brûlée, Straße, Ελλάδα", ["creme", "brulee", "strasse", "ελλαδα"]),
        ("NAI\u0308VE \ufb01ne", ["naive", "fine"]),
        ("日本語 text", ["日", "本", "語", "日本", "本語", "text"]),
        ("3匹の猫", ["3", "匹", "の", "猫", "匹の", "の猫"]),
        ("हिन्दी", ["हिन्दी"]),
        ("?!", []),
        ("x" * 100, ["x" * 64]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert index_words(text) == words


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("Fox", Wanted((), "fox")),
        ("the quick fo", Wanted(("the", "quick"), "fo")),
        ("fox ", Wanted(("fox",))),
        ("fox!", Wanted(("fox",))),
        ("日本語", Wanted(("日本", "本語"))),
        ("猫", Wanted(("猫",))),
        ("猫 fo", Wanted(("猫",), "fo")),
        ("", Wanted(())),
        ("…", Wanted(())),
    ],
)
def test_what_a_query_wants(query: str, wanted: Wanted) -> None:
    assert wanted_in(query) == wanted


@pytest.mark.parametrize(
    ("text", "query", "before", "hit"),
    [
        ("a fox", "fox", "a ", "fox"),
        ("foxes and a fox", "fox ", "foxes and a ", "fox"),
        ("claim_next_turn", "claim", "", "claim"),
        ("un café crème", "cafe", "un ", "café"),
        ("in der Straße", "strasse", "in der ", "Straße"),
        ("明日は東京へ", "東京", "明日は", "東京"),
        ("one\n\n  two", "two", "one ", "two"),
        ("nothing of it", "else", "", ""),
    ],
)
def test_the_first_hit_of_a_text(text: str, query: str, before: str, hit: str) -> None:
    snippet = snippet_of(text, wanted_in(query))

    assert (snippet.before, snippet.hit) == (before, hit)


def test_a_long_text_is_cut_between_words() -> None:
    snippet = snippet_of("aaa " * 100 + "fox" + " bbb" * 100, wanted_in("fox"))

    assert snippet.before.startswith("… aaa ")
    assert snippet.after.endswith(" bbb …")
    assert len(snippet.before) < 70
    assert len(snippet.after) < 150


def test_a_text_that_just_fits_is_not_cut() -> None:
    before, after = "a " * 30, " b" * 70

    whole = snippet_of(f"{before}fox{after}", wanted_in("fox"))
    assert (whole.before, whole.hit, whole.after) == (before, "fox", after)
    longer = snippet_of(f"x{before}fox{after}y", wanted_in("fox"))
    assert (longer.before, longer.after) == ("… " + "a " * 29, " b" * 69 + " …")


SPOKEN = AssistantMessage("I looked.", calls=(ToolCall("c1", "look", "{}"),))
ANSWER = answer_entry("t1", Answered(1, SPOKEN, Usage()))


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (input_entry("t1", 0, 0, {"text": "Look!"}), "Look!"),
        (ANSWER, "I looked."),
        (input_entry("t1", 0, 0, {"role": "tool", "call_id": "c1", "text": "a fox"}), ""),
        (result_entry("t1", 1, 1, call_id="c1", text="a fox", seconds=0.1), ""),
        (without(ANSWER, TEXT), ""),
        (without(ANSWER, 1), "I looked."),
        (without(input_entry("t1", 0, 0, {"text": "Look!"}), "whole"), ""),
    ],
)
def test_what_people_and_models_have_said_is_found_and_nothing_that_was_deleted(entry: Entry, text: str) -> None:
    assert searched_text(entry) == text


@pytest.mark.parametrize(
    ("wanted", "is_found"),
    [
        (Wanted(("quick",)), True),
        (Wanted(("quick", "cat")), False),
        (Wanted(("quick",), "fo"), True),
        (Wanted((), "ox"), False),
        (Wanted(("cat",), "fo"), False),
    ],
)
def test_a_text_has_all_words_and_a_beginning(wanted: Wanted, is_found: bool) -> None:
    assert wanted.is_in({"quick", "fox"}) == is_found
    assert not wanted.is_nothing
    assert Wanted(()).is_nothing


def test_the_word_of_an_owner_is_in_no_text() -> None:
    assert owner_word("ann") != owner_word("bob")
    assert index_words(owner_word("ann"))[0] != owner_word("ann")
