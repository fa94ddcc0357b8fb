"""How the words of a shell text become commands: operators, redirections, reserved words, braces."""

import pytest

from tests.unit.tools.commands.shell.kit import Read, commands_of

OPERATORS: Read = [
    ("ls -l a; cd b", ["ls -l a", "cd b"]),
    ("a && b || c & d | e |& f", ["a &&", "b ||", "c &", "d |", "e | fed $? | piped |&", "f | fed $? | piped"]),
    ("a\nb", ["a", "b"]),
    ("a ;; b ;& c ;;& d", ["a ;;", "b ;&", "c ;;&", "d"]),
    ("a (b; c) d", ["a (", "b | shell 1", "c | shell 1 )", "d"]),
    ("(a; (b); c); d", ["a | shell 1", "b | shell 1.2 )", "c | shell 1 )", "d"]),
    (")a", ["a"]),
    ("a | (b; c)", ["a |", "b | shell 1 | fed $? | piped", "c | shell 1 )"]),
    ("a | (b | c)", ["a |", "b | shell 1 | fed $? | piped |", "c | shell 1 | fed $? | piped )"]),
    ("(a) | b", ["a | shell 1 )", "b | fed $? | piped"]),
    ("$(a); b | c", ["$(a)", "a | shell 1", "b |", "c | fed $? | piped"]),
    ("a | { b; }", ["a |", "b | fed $? | piped"]),
    ("; ; a", ["a"]),
    ("", []),
]
REDIRECTIONS: Read = [
    ("a>b c", ["a c | >b"]),
    ("a 2>b >>c &>d &>>e >|f <>g", ["a | >b | >>c | >d | >>e | >f | >>g"]),
    ("a 2>&1 >&2 >&- <&3", ["a"]),
    ("a >&b", ["a | >b"]),
    ("a <b <<<c", ["a | <b | <<c"]),
    ("a 12>b", ["a | >b"]),
    ("a >", ["a"]),
    ("> x", [" | >x"]),
    ("< x", [" | <x"]),
    ("a >$(b) <$(c)", ["a | >$(b) | <$(c)", "b | shell 1", "c | shell 2"]),
    ("a > >(b)", ["a | >$(b)", "b | shell 1"]),
    ("> if b", ["b | >if"]),
    ("'then' > a", ["then | >a"]),
]
RESERVED: Read = [
    ("{ a; b; }", ["a", "b"]),
    ("'{' a", ["{ a"]),
    ("! a", ["a"]),
    (
        "if a; then b; elif c; then d; else e; fi; f",
        ["a", "b | after then", "c | after elif", "d | after then", "e | after else", " | after fi", "f"],
    ),
    (
        "while a; do b; done; until c; do d; done",
        ["a", "b | after do", " | after done", "c", "d | after do", " | after done"],
    ),
    ("case a in b) c;; esac; d", ["case a in b )", "c ;;", " | after esac", "d"]),
    ("echo if then", ["echo if then"]),
    ("then do a", ["a | after then do"]),
    ("\\if a", ["if a"]),
    ("a; }", ["a"]),
]
BRACES: Read = [
    ("a{b,c}d {e} {f,{g,h}}", ["abd acd {e} f g f h"]),
    ("'a{b,c}'", ["a{b,c}"]),
    ("a{b,c}{d,e}", ["abd abe acd ace"]),
    ("a '{'b,c}", ["a {b,c}"]),
    ("a {,b}", ["a  b"]),
    ("a {b,c", ["a {b,c"]),
    ("a x{b,'c'}", ["a xb xc"]),
]


@pytest.mark.parametrize(
    "texts", [OPERATORS, REDIRECTIONS, RESERVED, BRACES], ids=["operators", "redirections", "reserved", "braces"]
)
def test_words_become_commands_as_in_a_shell(texts: Read) -> None:
    assert [(text, commands_of(text)) for text, _ in texts] == texts


def test_a_word_with_braces_stands_for_a_hundred_words_at_most() -> None:
    def words(count: int) -> str:
        return commands_of(f"a {{{','.join(map(str, range(count)))}}}")[0]

    assert words(100) == " ".join(["a", *map(str, range(100))])
    assert words(101) == "a $?"
