"""Words of a text, and the piece of it that shows where they are."""

import pytest

from wakeful.model.search.search import Wanted, index_words, wanted_in
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
