"""Deletes in texts that are not clean shell."""

import pytest

from wakeful.tools.commands.shell.loose_words import calls_in_text, deletes_in_text, deletes_in_words, pieces_of


def test_a_text_is_cut_at_the_separators_of_commands() -> None:
    read = [(piece.words, piece.excerpt, piece.end) for piece in pieces_of("a 'b'; ;c [d]\n(e)")]

    assert read == [(["a", "b"], "a 'b'", 5), (["c", "d"], "c [d]", 13), (["e"], "e", 16)]


def test_a_delete_begins_at_the_program_wherever_it_is() -> None:
    assert list(deletes_in_words(["x", "/bin/rm", "a", "rm", "b"])) == [["/bin/rm", "a", "rm", "b"]]
    assert list(deletes_in_words(["x", "rmx"])) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x rm -r a; y", [["rm", "-r", "a"]]),
        ("x; rm; y", [["rm"]]),
        # The words alone are also names of functions.
        ("unlink; shred", []),
        ("unlink a; shred b", [["unlink", "a"], ["shred", "b"]]),
        ("farm -r a", []),
        ("rimraf a", [["rimraf", "a"], ["rm", "-r", "$?"]]),
    ],
)
def test_deletes_are_found_between_other_words(text: str, words: list[list[str]]) -> None:
    assert [loose.words for loose in deletes_in_text(text)] == words


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("Path('a').unlink()", [["rm", "a"], ["rm"]]),
        ("Path('a').rmdir()", [["rm", "a"]]),
        ("Path('a').write_text('')", [["truncate", "a"]]),
        ("Path('a').read_text()", []),
        ("shutil.rmtree('a')", [["rm", "-r", "a"]]),
        ("shutil.rmtree(a)", [["rm", "-r", "$?"]]),
        ("os.remove('a')", [["rm", "a"]]),
        ("p = '/a', '~/b', '../c', 'd'; os.remove(p)", [["rm", "/a", "~/b", "../c"]]),
        ("os.remove", []),
        ("unlink $x, '/a'", [["rm", "/a"]]),
        ("unlink x", []),
        ("os.rename('a', 'b')", [["mv", "a", "b"]]),
        ("os.rename('a', b)", [["mv", "a", "$?"]]),
        ("os.rename(a, 'b')", []),
        ("shutil.copy('a', 'b')", [["cp", "-r", "a", "b"]]),
        ("shutil.copy('a', b)", []),
        ("shutil.copy(a, 'b')", []),
        ("open('a', 'w')", [["truncate", "a"]]),
        ("open('a', mode='x')", [["truncate", "a"]]),
        ("open('a', 'r')", []),
        ("open('a')", []),
        ("open(a, 'w')", []),
        ("writeFileSync('a')", [["truncate", "a"]]),
        ("os.truncate('a', 0)", [["truncate", "a"]]),
        ("open(F, '>', 'a')", [["truncate", "a"]]),
        ("open(F, '+>', 'a')", [["truncate", "a"]]),
        ("open(F, '>>', 'a')", []),
        ("open(F, '<', 'a')", []),
    ],
)
def test_calls_of_other_languages_are_read_as_commands(code: str, words: list[list[str]]) -> None:
    assert [loose.words for loose in calls_in_text(code)] == words


def test_a_call_is_shown_with_the_rest_of_its_line() -> None:
    code = "x = 1\nos.remove('a'); y\nz"

    assert [(loose.excerpt, loose.end) for loose in calls_in_text(code)] == [("os.remove('a'); y", 15)]
    assert [loose.excerpt for loose in calls_in_text("x; os.remove('a') ")] == ["os.remove('a')"]
