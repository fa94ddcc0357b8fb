"""Which faults are planted in a source, and which are not."""

import pytest

from mutants.fault import Fault, faults_in
from mutants.sample import sample
from mutants.source import Source


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("part of a condition dropped", "return a and b", "return a and True"),
        ("part of a condition dropped", "return a or ''", "return a"),
        ("condition decided", "x = 1 if a else 2", "x = 1 if False else 2"),
        ("filter dropped", "return [i for i in a if i]", "return [i for i in a if True]"),
        ("not lost", "return not (a or b)", "return (a or b)"),
        ("and/or swapped", "return a or b", "return a and b"),
        ("comparison off by one", "return a < b", "return a <= b"),
        ("comparison turned round", "return a is not None", "return a is None"),
        ("comparison turned round", "return a in b", "return a not in b"),
        ("owner not compared", "return a.owner != b", "return False"),
        ("owner not handed on", "return f(a, owner=owner)", "return f(a, owner=None)"),
        ("await skipped", "await f(a)", "pass"),
        ("call skipped", "f(a)", "pass"),
        ("state not written", "a.b = c", "pass"),
        ("number off by one", "return a[:5]", "return a[:6]"),
        ("true/false swapped", "return True", "return False"),
        ("other end taken", "return min(a, 3)", "return max(a, 3)"),
        ("other end taken", "return sorted(a)", "return list(reversed(sorted(a)))"),
        ("arguments swapped", "return f(a, b.c)", "return f(b.c, a)"),
        (
            "SQL condition dropped",
            'f("SELECT 1 FROM t WHERE a = ?", b)',
            'f("SELECT 1 FROM t WHERE (a = ? OR TRUE)", b)',
        ),
        (
            "SQL owner not compared",
            'f("… WHERE a = $1 AND t.owner = $2")',
            'f("… WHERE a = $1 AND (t.owner = $2 OR TRUE)")',
        ),
        ("SQL null test turned round", 'f("… WHERE a IS NULL")', 'f("… WHERE a IS NOT NULL")'),
        ("SQL comparison off by one", 'f(f"… WHERE {a} AND b <= ?")', 'f(f"… WHERE {a} AND b < ?")'),
        ("SQL order turned", 'f("… FROM t ORDER BY a DESC")', 'f("… FROM t ORDER BY a")'),
        ("SQL order turned", 'f("… FROM t ORDER BY a LIMIT 1")', 'f("… FROM t ORDER BY a DESC LIMIT 1")'),
        ("SQL limit off by one", 'f("… FROM t LIMIT $2")', 'f("… FROM t LIMIT $2 + 1")'),
        ("SQL lock dropped", 'f("… FROM t FOR UPDATE SKIP LOCKED")', 'f("… FROM t")'),
        ("SQL lock waits", 'f("… FROM t FOR UPDATE SKIP LOCKED")', 'f("… FROM t FOR UPDATE")'),
    ],
)
def test_a_fault_of_each_kind_in_a_line(kind: str, old: str, new: str) -> None:
    assert (kind, old, new) in looks(f"async def g():\n    {old}\n")


@pytest.mark.parametrize(
    ("kind", "block", "new"),
    [
        ("limit not enforced", ["if a > b:", "    raise Full"], "pass"),
        ("early leave dropped", ["if a:", "    return"], "pass"),
        ("cleanup dropped", ["try:", "    x = 1", "finally:", "    f()"], "pass"),
        ("error swallowed", ["try:", "    x = 1", "except E:", "    raise"], "pass"),
        ("block without its lock", ["async with lock:", "    x = 1"], "if True:"),
        ("order swapped", ["await f()", "a.b = 1"], "a.b = 1 ⏎ await f()"),
    ],
)
def test_a_fault_of_each_kind_in_a_block(kind: str, block: list[str], new: str) -> None:
    text = "async def g():\n" + "".join(f"    {line}\n" for line in block)

    assert (kind, new) in {(found, after) for found, _, after in looks(text)}


@pytest.mark.parametrize(
    "text",
    [
        '"""Never WHERE a = 1 in words."""\n',
        "import a\n",
        "def f(a: Literal[1] = b) -> Literal[2]: ...\n",
        "if TYPE_CHECKING:\n    limit = 1\n",
        "def f():\n    logger.info('%d', 1)\n",
        "class A:\n    def __repr__(self):\n        return f(1)\n",
        "def f():\n    raise Full(1)\n",
        "def f():\n    assert_never(a)\n",
        "_CHUNK = 4096\n",
        "def f():\n    return isinstance(a, b)\n",
        "class A(Struct, frozen=True): ...\n",
        "x = zip(*a, strict=True)\n",
        "def f():\n    try:\n        x = a\n    except E:\n        return None\n",
        'x = "SELECT a FROM t WHERE ended_at <= u LIMIT 1"\n',
        "class A:\n    a: str = field(default=b, kw_only=True)\n",
    ],
)
def test_nothing_is_planted_where_no_test_should_look(text: str) -> None:
    assert [fault.new for fault in faults(text) if fault.kind.name != "call skipped"] == []


def test_it_does_not_matter_when_a_line_of_the_log_is_written() -> None:
    text = "async def f():\n    logger.info('x')\n    await g()\n"

    assert "order swapped" not in {fault.kind.name for fault in faults(text)}


@pytest.mark.parametrize("text", ["time.monotonic() >= a", "now < end", "a.ended_at > b", "a <= MOST_SECONDS"])
def test_no_bound_is_moved_where_moments_are_compared(text: str) -> None:
    assert "comparison off by one" not in {fault.kind.name for fault in faults(f"def f():\n    return {text}\n")}


def test_only_the_changed_piece_of_the_file_differs() -> None:
    text = 'ä = "ö"  # kept\r\ndef f(a):\r\n    return "ü", a < 1 # and this\r\n'

    [bound] = [fault for fault in faults(text) if fault.kind.name == "comparison off by one"]

    assert bound.content.decode() == text.replace("<", "<=")
    assert (bound.line, list(bound.witnesses)) == (3, [3])


def test_a_change_that_means_the_same_or_does_not_compile_is_no_fault() -> None:
    text = "def f():\n    if a:\n        return 1\n"
    same, broken = faults(text)[0], faults(text)[0]
    object.__setattr__(same.edit, "new", b"(a)")
    assert not Fault(same.source, same.kind, same.edit).is_one

    object.__setattr__(broken.edit, "new", b"a b")
    assert not Fault(broken.source, broken.kind, broken.edit).is_one


def test_a_fault_keeps_its_id_while_other_lines_change() -> None:
    text = "def f(a):\n    return a < 1\n"

    assert {fault.id for fault in faults(text)} == {fault.id for fault in faults(f"# new\n{text}")}


def test_equal_changes_of_equal_lines_have_ids_of_their_own() -> None:
    found = faults("def f(a):\n    a < 1\n    a < 1\n")

    assert len({fault.id for fault in found}) == len(found)


def test_a_sample_is_the_same_for_the_same_seed_and_spreads_over_kinds() -> None:
    many = faults("def f(a):\n" + "".join(f"    x = a[{number}]\n" for number in range(40)) + "    return a < 1\n")

    chosen = sample(many, 4, "seed", set())

    assert chosen == sample(many, 4, "seed", set())
    assert chosen != sample(many, 4, "other", set())
    assert "comparison off by one" in {fault.kind.name for fault in chosen}


def test_a_change_that_is_known_as_harmless_is_not_chosen() -> None:
    many = faults("def f(a):\n    return a < 1\n")

    chosen = sample(many, 100, "seed", {many[0].id})

    assert {fault.id for fault in chosen} == {fault.id for fault in many[1:]}


def looks(text: str) -> set[tuple[str, str, str]]:
    return {(fault.kind.name, fault.old, fault.new) for fault in faults(text) if fault.is_one}


def faults(text: str) -> list[Fault]:
    return list(faults_in(Source("src/wakeful/a.py", text.encode())))
