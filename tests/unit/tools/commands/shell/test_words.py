"""Which programs a shell text runs, also behind and inside of others, and where in the text they are."""

import pytest

from tests.unit.tools.commands.shell.kit import Read, commands_of
from wakeful.tools.commands.shell.words import simple_commands

CARRIED: Read = [
    ("A=1 B=2 c D=3", ["A=1 B=2 c D=3"]),
    ("A=1", ["A=1"]),
    ("A+=1 b", ["A+=1 b"]),
    ("sudo -u me a b", ["a b"]),
    ("sudo", ["sudo"]),
    ("env -C x A=1 a", ["a | in x"]),
    ("env --chdir=x a; sudo -D y b; nice --chdir z", ["a | in x", "b | in y", "nice --chdir z"]),
    ("/usr/bin/sudo /bin/a", ["a"]),
    ("A=1 sudo B=2 c", ["A=1 c"]),
    ("sudo -u", ["sudo -u"]),
    ("timeout 5", ["timeout 5"]),
    ("nice -n5 a", ["a"]),
    ("nice -n 5 a", ["a"]),
    ("sudo -- -a", ["-a"]),
    ("sudo --user me a", ["a"]),
    ("sudo --user=me a", ["a"]),
    ("env -C x sudo -D y a", ["a | in y"]),
    ("xargs -0 -n 1 a", ["a $? | listed"]),
]
INNER: Read = [
    ("sh <<E\nb c\nE\nd", ["sh | <<b c\n", "b c | shell 1", "d"]),
    ("sh <<< 'b; c'", ["sh | <<b; c", "b | shell 1", "c | shell 1"]),
    ("bash -c 'a; b'", ["bash -c a; b", "a | shell 1", "b | shell 1"]),
    ("eval a 'b; c'", ["eval a b; c", "a b | shell 1", "c | shell 1"]),
    ("echo 'a; b' | sh", ["echo a; b |", "sh | <<a; b | fed $? | piped", "a | shell 1", "b | shell 1"]),
    ("printf a | cat | sh", ["printf a |", "cat | <<a | fed $? | piped |", "sh | <<a | fed $? | piped", "a | shell 1"]),
    ("cat a | sh", ["cat a |", "sh | fed $? | piped"]),
    ("su -c 'a' me", ["su -c a me", "a | shell 1", "me | shell 2"]),
    ("watch a 'b c'", ["watch a b c", "a | shell 1", "b c | shell 2"]),
    ("eval", ["eval"]),
    ("a | echo b | sh", ["a |", "echo b | fed $? | piped |", "sh | <<b | fed $? | piped", "b | shell 1"]),
]
LISTED: Read = [
    ("find a b -name c | xargs d", ["find a b -name c |", "d a/* b/* | fed a/* b/* | listed | piped"]),
    ("find | xargs d", ["find |", "d ./* | fed ./* | listed | piped"]),
    ("ls | xargs d", ["ls |", "d ./* | fed ./* | listed | piped"]),
    ("ls a b | xargs d", ["ls a b |", "d a b | fed a b | listed | piped"]),
    (
        "git ls-files | xargs d; git diff | xargs d; git status | xargs d; git log | xargs d",
        [
            "git ls-files |",
            "d ./* | fed ./* | listed | piped",
            "git diff |",
            "d ./* | fed ./* | listed | piped",
            "git status |",
            "d ./* | fed ./* | listed | piped",
            "git log |",
            "d $? | fed $? | listed | piped",
        ],
    ),
    (
        "grep -l x a b | xargs d; rg --files | xargs d; grep -L x | xargs d; grep x a | xargs d",
        [
            "grep -l x a b |",
            "d a/* b/* | fed a/* b/* | listed | piped",
            "rg --files |",
            "d ./* | fed ./* | listed | piped",
            "grep -L x |",
            "d ./* | fed ./* | listed | piped",
            "grep x a |",
            "d $? | fed $? | listed | piped",
        ],
    ),
    (
        "find a | sort | uniq | head -1 | tail -1 | grep b | tr c d | tac | xargs e",
        [
            "find a |",
            "sort | fed a/* | piped |",
            "uniq | fed a/* | piped |",
            "head -1 | fed a/* | piped |",
            "tail -1 | fed a/* | piped |",
            "grep b | fed a/* | piped |",
            "tr c d | fed a/* | piped |",
            "tac | fed a/* | piped |",
            "e a/* | fed a/* | listed | piped",
        ],
    ),
    ("find a | awk b | xargs c", ["find a |", "awk b | fed a/* | piped |", "c $? | fed $? | listed | piped"]),
    ("a | xargs b", ["a |", "b $? | fed $? | listed | piped"]),
    ("a | parallel b", ["a |", "b $? | fed $? | listed | piped"]),
    ("xargs b", ["b $? | listed"]),
    ("find a | while read b; do c; done", ["find a |", "read b | fed a/* | piped", "c | after do", " | after done"]),
]
FOUND: Read = [
    ("find a -exec b {} c \\; -ok d {} + -print", ["find a -exec b {} c ; -ok d {} + -print", "b a/* c", "d a/*"]),
    ("find a -execdir sudo b \\;", ["find a -execdir sudo b ;", "b"]),
    ("find -exec", ["find -exec"]),
    ("find a b -exec c {} \\;", ["find a b -exec c {} ;", "c a/*"]),
    ("find -H -O2 a ! -exec c {} +", ["find -H -O2 a ! -exec c {} +", "c a/*"]),
    ("find a -exec rm {} +", ["find a -exec rm {} +", "rm a/*", "rm a/*"]),
    ("find a -exec x 'rm b' \\;", ["find a -exec x rm b ;", "x rm b", "rm b"]),
]
DEEPER: Read = [
    (
        "ssh host 'a; b'",
        ["ssh host a; b", "host | shell 1 | elsewhere", "a | shell 2 | elsewhere", "b | shell 2 | elsewhere"],
    ),
    (
        "ssh host sh -c 'a'",
        ["ssh host sh -c a", "host | shell 1 | elsewhere", "sh | shell 2 | elsewhere", "a | shell 3 | elsewhere"],
    ),
    ("python3 -c 'import os; os.remove(\"a\")'", ['python3 -c import os; os.remove("a")', "rm a"]),
    ("x 'rm a'", ["x rm a", "rm a"]),
    ("x rm a rm b", ["x rm a rm b", "rm a rm b"]),
    ("echo 'rm a'", ["echo rm a"]),
    (
        "docker run b rm c; docker run -v a:b b rm c; docker exec b rm c; podman run --mount=x b rm c",
        [
            "docker run b rm c",
            "docker run -v a:b b rm c",
            "rm c",
            "docker exec b rm c",
            "rm c",
            "podman run --mount=x b rm c",
            "rm c",
        ],
    ),
    (
        "git submodule foreach 'rm a'; git commit -m 'rm a'",
        ["git submodule foreach rm a", "rm a", "git commit -m rm a"],
    ),
    ("mosh host a", ["mosh host a"]),
    (
        "ssh a 'ssh b c'",
        [
            "ssh a ssh b c",
            "a | shell 1 | elsewhere",
            "ssh b c | shell 2 | elsewhere",
            "b | shell 2.3 | elsewhere",
            "c | shell 2.4 | elsewhere",
        ],
    ),
    ("x 'unlink a' 'shred b'", ["x unlink a shred b", "unlink a", "shred b"]),
    ("x unlink", ["x unlink", "unlink"]),
    ("x 'unlink'", ["x unlink", "unlink"]),
    ("docker run rm a", ["docker run rm a"]),
    ("docker build rm a", ["docker build rm a", "rm a"]),
    (
        "bash -c 'ssh a \"rm b\"'",
        [
            'bash -c ssh a "rm b"',
            "ssh a rm b | shell 1",
            "a | shell 1.2 | elsewhere",
            "rm b | shell 1.3 | elsewhere",
            "rm b | shell 1 | elsewhere",
            "rm b",
        ],
    ),
]
WRITTEN: Read = [
    ("'a b' c", ["a b c", "a b | shell 1"]),
    (
        "echo 'a b' > x.sh; echo c >> x.sh; sh x.sh; ./x.sh; cat x.sh",
        [
            "echo a b | >x.sh",
            "echo c | >>x.sh",
            "sh x.sh",
            "x.sh | shell 1",
            "a b | shell 1.2",
            "c | shell 1.2",
            "a b | shell 3",
            "c | shell 3",
            "x.sh",
            "a b | shell 4",
            "c | shell 4",
            "cat x.sh",
        ],
    ),
    (
        "tee x.sh y.sh <<E\na\nE\n. y.sh; source x.sh",
        ["tee x.sh y.sh | <<a\n", ". y.sh", "a | shell 1", "source x.sh", "a | shell 2"],
    ),
    (
        "cat > x.py <<E\nos.remove('a')\nE\npython3.11 x.py",
        ["cat | >x.py | <<os.remove('a')\n", "python3.11 x.py", "os.remove | shell 1 (", "a | shell 1.2 )", "rm a"],
    ),
    (
        "echo 'sh x.sh' > x.sh; sh x.sh",
        [
            "echo sh x.sh | >x.sh",
            "sh x.sh",
            "x.sh | shell 1",
            "sh x.sh | shell 1.2",
            "x.sh | shell 1.2.3",
            "sh x.sh | shell 4",
            "x.sh | shell 4.5",
        ],
    ),
    ("sh < x.sh", ["sh | <x.sh"]),
    ("echo a > x; y x", ["echo a | >x", "y x"]),
    ("cat <<E > x\na\nE\n bash x", ["cat | >x | <<a\n", "bash x", "x | shell 1", "a | shell 1.2", "a | shell 3"]),
    ("echo a > d/x; sh e/x", ["echo a | >d/x", "sh e/x", "x | shell 1", "a | shell 1.2", "a | shell 3"]),
    ("sed a > x; sh x", ["sed a | >x", "sh x", "x | shell 1"]),
    ("echo a | tee x; perl x", ["echo a |", "tee x | <<a | fed $? | piped", "perl x", "a | shell 1"]),
    ("echo a > x; ls x", ["echo a | >x", "ls x"]),
]
ODD: Read = [
    ("'a b", ["a b", "a b"]),
    (
        "it's; rm -r a; (then sudo b c)",
        ["its", "rm -r a", "b c | shell 1 | after then )", "it s", "rm -r a", "rm -r a", "b c"],
    ),
    ("sudo 'rm a", ["rm a", "rm a", "rm a"]),
    (
        'bash -c "it\'s a; rm b"',
        [
            "bash -c it's a; rm b",
            "its a | shell 1",
            "rm b | shell 1",
            "it s a | shell 1",
            "rm b | shell 1",
            "rm b | shell 1",
            "rm b",
        ],
    ),
    ("then 'a", ["a | after then", "a"]),
]


TOPICS = {
    "carried": CARRIED,
    "inner": INNER,
    "listed": LISTED,
    "found": FOUND,
    "deeper": DEEPER,
    "written": WRITTEN,
    "odd": ODD,
}


@pytest.mark.parametrize("texts", TOPICS.values(), ids=TOPICS)
def test_the_programs_of_a_text_are_found(texts: Read) -> None:
    assert [(text, commands_of(text)) for text, _ in texts] == texts


PLACES = [
    ("ls -l a; cd b", [("ls -l a", 7), ("cd b", 13)]),
    ("a\nb", [("a", 1), ("b", 3)]),
    ("( a ) ; { b; }", [("a", 3), ("b", 11)]),
    ("cat <<E >x\nb\nE\nc", [("cat <<E >x", 15), ("c", 16)]),
    ("if a; then b >c; fi", [("a", 4), ("b >c", 15)]),
    ("a $(b c) d", [("a $(b c) d", 10), ("b c", 10)]),
    ("a `b \\`c\\` d`", [("a `b \\`c\\` d`", 13), ("a `b \\`c\\` d`", 13), ("c", 13)]),
    ("bash -c 'a; b \"c\"'", [("bash -c 'a; b \"c\"'", 18), ("a", 18), ('b "c"', 18)]),
    ("eval a 'b; c'", [("eval a 'b; c'", 13), ("eval a 'b; c'", 13), ("c", 13)]),
    ("sh <<E\nb c\nE\nd", [("sh <<E", 13), ("b c", 13), ("d", 14)]),
    ("x 'rm a'", [("x 'rm a'", 8), ("rm a", 8)]),
    ("it's; rm -r a", [("it's", 4), ("rm -r a", 13), ("it's", 4), ("rm -r a", 13), ("rm -r a", 13)]),
    ("x rm a", [("x rm a", 6), ("x rm a", 6)]),
    ("find a -exec b {} +", [("find a -exec b {} +", 19), ("find a -exec b {} +", 19)]),
    ("echo 'a  b' > x; sh x", [("echo 'a  b' > x", 15), ("sh x", 21), ("x", 21), ("a  b", 21), ("a  b", 21)]),
    (
        'bash -c "it\'s; rm a"',
        [
            ('bash -c "it\'s; rm a"', 20),
            ("it's", 20),
            ("rm a", 20),
            ("it's", 20),
            ("rm a", 20),
            ("rm a", 20),
            ("rm a", 20),
        ],
    ),
]


def test_a_command_is_shown_as_it_stands_in_the_text_with_where_it_ends() -> None:
    read = [
        (text, [(each.excerpt, each.reach) for each in simple_commands(text) if each.program]) for text, _ in PLACES
    ]

    assert read == PLACES


def test_of_a_long_command_the_beginning_is_shown() -> None:
    text = "a" * 600

    assert [each.excerpt for each in simple_commands(f"{text}; x 'rm {text}'")] == [
        "a" * 500,
        f"x 'rm {'a' * 494}",
        f"rm {'a' * 497}",
    ]
