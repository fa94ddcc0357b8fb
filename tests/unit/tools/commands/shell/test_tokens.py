"""How a shell text is cut: words and quotes, substitutions, here-documents."""

import pytest

from tests.unit.tools.commands.shell.kit import Read, commands_of

QUOTES: Read = [
    ("a'b c'd\"e f\"g", ["ab cde fg", "ab cde fg | shell 1"]),
    ("a '' \"\" b", ["a   b"]),
    ("a\\ b \\; c", ["a b ; c", "a b | shell 1"]),
    ("a\\\nb", ["ab"]),
    ("a#b #c\nd", ["a#b", "d"]),
    ("a;#c", ["a"]),
    ("a $'x\\ty\\n\\x41\\u0042\\U00000043\\103\\q\\''", ["a x\ty\nABCCq\\", "a $ x ty n x41 u0042 U00000043 103 q"]),
    ("a $'\\UFFFFFFFF'", ["a"]),
    ('a "\\" \\\\ \\` \\$ \\n \\\n"', ['a " \\ ` $ \\n']),
    ('a $"b"', ["a b"]),
    ("a\tb \\a", ["a b a"]),
    ('a $x"y"', ["a $xy"]),
    ("a b' c", ["a b c", "a b c"]),
    ("a $'\\12' '$x'", ["a \n $x"]),
]
SUBSTITUTIONS: Read = [
    ("a $(b c) d", ["a $(b c) d", "b c | shell 1"]),
    ("a `b c` d", ["a $(b c) d", "b c | shell 1"]),
    ("a `b \\`c\\` d`", ["a $(b `c` d)", "b $(c) d | shell 1", "c | shell 1.2"]),
    ('a "$(b "c)d")" e', ['a $(b "c)d") e', "b c)d | shell 1"]),
    ('a "`b`" e', ["a $(b) e", "b | shell 1"]),
    ("a $(b '(' c) d", ["a $(b '(' c) d", "b ( c | shell 1"]),
    ("a $(b (c) d) e", ["a $(b (c) d) e", "b | shell 1 (", "c | shell 1.2 )", "d | shell 1"]),
    ('a $(b "$(c)" d) e', ['a $(b "$(c)" d) e', "b $(c) d | shell 1", "c | shell 1.2"]),
    ("a <(b) >(c)", ["a $(b) $(c)", "b | shell 1", "c | shell 2"]),
    ("a $(b", ["a $(b)", "b | shell 1", "a $", "b"]),
    ("a `b", ["a $(b)", "b | shell 1", "a", "b"]),
    ("a 'b c; d", ["a b c", "d", "a b c", "d"]),
    ('a "b c; d', ["a b c", "d", "a b c", "d"]),
    ('a "$(b $(c))" d', ["a $(b $(c)) d", "b $(c) | shell 1", "c | shell 1.2"]),
    ("a $(b \\) c) d", ["a $(b \\) c) d", "b ) c | shell 1"]),
    ("a $(b 'c)' d) e", ["a $(b 'c)' d) e", "b c) d | shell 1"]),
    ("a $((1 + 2)) b", ["a $((1 + 2)) b", "1 + 2 | shell 1.2 )"]),
    ('a "b $(c" d', ['a b $(c" d)', "c d | shell 1", "c d | shell 1", "a b $", "c d"]),
    ("a <(b", ["a $(b)", "b | shell 1", "a", "b"]),
]
DOCUMENTS: Read = [
    ("cat <<E\nb c\nE\nd", ["cat | <<b c\n", "d"]),
    ("cat <<E >x\nb\nE", ["cat | >x | <<b\n"]),
    ("cat <<-E\n\tb\n\tE\nd", ["cat | <<\tb\n", "d"]),
    ("cat <<'E'\n$(b)\nE", ["cat | <<$(b)\n"]),
    ('cat <<E\n$(b) `c` "$(d)"\nE\nf', ['cat | <<$(b) `c` "$(d)"\n', "b | shell 1", "c | shell 2", "d | shell 3", "f"]),
    ("cat <<A <<B\na\nA\nb\nB\nc", ["cat | <<a\n | <<b\n", "c"]),
    ("cat <<E\nb", ["cat | <<", "b"]),
    ("cat 3<<E\nb\nE", ["cat | <<b\n"]),
    ("cat << E\nb\nE", ["cat | <<b\n"]),
    ("cat <<E; d\nb\nE\ne", ["cat | <<b\n", "d", "e"]),
    ("cat <<A\na\nB\nA\nb", ["cat | <<a\nB\n", "b"]),
    ("a <<<b\nc", ["a | <<b", "c"]),
]


@pytest.mark.parametrize("texts", [QUOTES, SUBSTITUTIONS, DOCUMENTS], ids=["quotes", "substitutions", "documents"])
def test_a_text_is_cut_as_a_shell_does(texts: Read) -> None:
    assert [(text, commands_of(text)) for text, _ in texts] == texts
