"""What the page's own rules make of marks that Markdown has not: formulas, footnotes, folded parts, bare addresses."""

import re

import pytest

from wakeful.web.html.effort import split_by_effort
from wakeful.web.html.markdown import render_blocks, render_blocks_with_lines

_X = "<mrow><mi>x</mi></mrow></math>"
_IN_LINE = f'<math display="inline">{_X}'
_FORMULA = f'<math display="block">{_X}'
_BLOCK = f'<div class="formula" tabindex="0">{_FORMULA}</div>\n'


def linked(text: str) -> str:
    """The HTML of one paragraph, where each link is written as {address|words}."""
    (block,) = render_blocks(text)
    return re.sub(r'<a(?: class="image")? href="([^"]*)"[^>]*>(.*?)</a>', r"{\1|\2}", block)[3:-5]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "a https://x.example, b (see https://y.example/z), c",
            "a {https://x.example|https://x.example}, b (see {https://y.example/z|https://y.example/z}), c",
        ),
        ("https://x.example/a?!...", "{https://x.example/a|https://x.example/a}?!..."),
        (
            "[https://x.example/[a]] https://x.example/b}}",
            "[{https://x.example/[a]|https://x.example/[a]}] {https://x.example/b|https://x.example/b}}}",
        ),
        ("[see https://b.example](https://a.example)", "{https://a.example|see https://b.example}"),
        (
            "[a](https://a.example) https://b.example",
            "{https://a.example|a} {https://b.example|https://b.example}",
        ),
        (
            "`https://a.example` https://b.example",
            "<code>https://a.example</code> {https://b.example|https://b.example}",
        ),
        ("![](https://a.example/x)", "{https://a.example/x|https://a.example/x}"),
        ("![a *b*](https://a.example/x)", "{https://a.example/x|a b}"),
        ("[b](src/b.py) [c](https://c.example)", '<span class="path" title="src/b.py">b</span> {https://c.example|c}'),
        ("![](src/a.png)", '<span class="path" title="src/a.png">src/a.png</span>'),
    ],
)
def test_an_address_ends_where_its_sentence_goes_on(text: str, shown: str) -> None:
    assert linked(text) == shown


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        pytest.param("words\n$$\nx\n$$\nafter", ["<p>words</p>\n", _BLOCK, "<p>after</p>\n"], id="in a paragraph"),
        pytest.param("\\[\nx\n\\]", [_BLOCK], id="in brackets"),
        pytest.param("- $$\n  x\n  $$\n- b", [f"<ul>\n<li>\n{_BLOCK}</li>\n<li>b</li>\n</ul>\n"], id="in a list"),
        pytest.param("- $$\n  x\n$$", [f"<ul>\n<li>{_FORMULA}</li>\n</ul>\n"], id="end outside of the list"),
        pytest.param("$$x$$ after", [f"<p>{_FORMULA} after</p>\n"], id="words after it"),
        pytest.param("$$\nx\n\ny\n$$", ["<p>$$\nx</p>\n", "<p>y\n$$</p>\n"], id="blank line"),
        pytest.param("$$\n$$", ["<p>$$\n$$</p>\n"], id="nothing in it"),
        pytest.param("$$ x $$ y $$", [f"<p>{_FORMULA} y $$</p>\n"], id="three marks"),
        pytest.param("$$\nsome words here\n$$", ["<p>$$\nsome words here\n$$</p>\n"], id="words"),
        pytest.param("\\[\nx\n$$", ["<p>[\nx\n$$</p>\n"], id="other end"),
        pytest.param("$x$y $x$ 5$x$ a$x$", [f"<p>$x$y {_IN_LINE} 5$x$ a$x$</p>\n"], id="dollars at words"),
        pytest.param("$ $ \\( \\) $$ $$", ["<p>$ $ ( ) $$ $$</p>\n"], id="blanks"),
        pytest.param("**$x$** \\(x\\)", [f"<p><strong>{_IN_LINE}</strong> {_IN_LINE}</p>\n"], id="in bold"),
        pytest.param("$2 apples$ $2ab$ $ab cd$", ["<p>$2 apples$ $2ab$ $ab cd$</p>\n"], id="money and words"),
        pytest.param("\\(two words\\)", ["<p>(two words)</p>\n"], id="words in brackets"),
    ],
)
def test_a_formula_is_one_only_where_it_cannot_be_prose(text: str, blocks: list[str]) -> None:
    assert render_blocks(text) == blocks


@pytest.mark.parametrize("source", ["\\alpha", "\\text{some words here}", "2x", "a, bc", "x y"])
def test_commands_and_single_letters_are_formulas(source: str) -> None:
    (block,) = render_blocks(f"${source}$")

    assert block.startswith('<p><math display="inline">')


def test_a_block_of_many_lines_is_a_formula_up_to_a_limit() -> None:
    def lines(count: int) -> str:
        return "$$\n" + "x\n" * (count - 2) + "$$"

    assert render_blocks(lines(60))[0].startswith('<div class="formula"')
    assert 'class="formula"' not in "".join(render_blocks(lines(61)))


def test_formulas_beyond_what_one_text_may_have_are_shown_as_code() -> None:
    many = "$" + "x+" * 399 + "xx$ "

    (block,) = render_blocks(many * 5 + "and $x$ $$x$$\n\n")

    assert (block.count("<math"), block.count("<code>")) == (5, 2)
    (_, last) = render_blocks(many * 5 + "\n\n$$\nx\n$$")
    assert last == '<pre class="plain" tabindex="0"><code>$$\nx\n$$</code></pre>\n'
    assert render_blocks("$x$") == [f"<p>{_IN_LINE}</p>\n"], "the next text has as much again"


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        pytest.param("[^a]: one\n\n[^A]: two\n\nx[^a]", ["1 one", "1 two", "x1"], id="the same name"),
        pytest.param("    [^a]: one\n\nx[^a]", ["[^a]: one", "x[^a]"], id="in code"),
        pytest.param("[^a]: one\n- item", ["1 one", "item"], id="a list ends it"),
        pytest.param("[^a]: one\n# head", ["1 one", "head"], id="a heading ends it"),
        pytest.param("[^a]: one\n\nmore", ["1 one", "more"], id="a blank line ends it"),
        pytest.param("words\n[^a]: one\nand[^a]", ["words", "1 one\nand1"], id="it ends a paragraph"),
        pytest.param("> [^a]: one\n> two\n\nx[^a]", ["1 one\ntwo", "x1"], id="in a quote"),
        pytest.param("> [^a]: one\nlazy", ["1 one", "lazy"], id="the quote ends it"),
        pytest.param("[^a]:\n\nx[^a]", ["[^a]:", "x[^a]"], id="nothing in it"),
        pytest.param("*x[^a]*\n\n[^a]:   one  ", ["x1", "1 one"], id="in emphasis"),
        pytest.param(f"[^{'a' * 40}]\n\n[^{'a' * 40}]: one", ["1", "1 one"], id="a long name"),
    ],
)
def test_a_footnote_ends_where_a_paragraph_would(text: str, blocks: list[str]) -> None:
    assert [re.sub("<[^>]*>", "", block).strip() for block in render_blocks(text)] == blocks


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        (
            "<details open> <summary> *A* </summary>\na\n</details>",
            ['<details open=""><summary><em>A</em></summary><p>a</p></details>'],
        ),
        (
            "<details>\na\n\n<details>\nb\n</details>\nc\n</details>\nd",
            ["<details><p>a</p><details><p>b</p></details><p>c</p></details>", "<p>d</p>"],
        ),
        ("a\n<details>\nb", ["<p>a</p>", "<details><p>b</p></details>"]),
        ("</details>", ["<p>&lt;/details&gt;</p>"]),
        ("<details>x", ["<p>&lt;details&gt;x</p>"]),
        ("<summary>a</summary>", ["<p>&lt;summary&gt;a&lt;/summary&gt;</p>"]),
        (
            "<details>\n<summary>a</summary>\n<summary>b</summary>",
            ["<details><summary>a</summary><p>&lt;summary&gt;b&lt;/summary&gt;</p></details>"],
        ),
        (
            "> <details>\n> > <details>\n> > x\n>\n> y\n> </details>",
            [
                "<blockquote><details><blockquote><details><p>x</p></details></blockquote><p>y</p></details>"
                "</blockquote>"
            ],
        ),
        (
            "- <details>\n  a\n- b\n</details>",
            ["<ul><li><details>a</details></li><li>b</li></ul>", "<p>&lt;/details&gt;</p>"],
        ),
    ],
)
def test_folded_parts_are_paired_and_the_rest_is_text(text: str, blocks: list[str]) -> None:
    assert [block.replace("\n", "") for block in render_blocks(text)] == blocks


def test_folded_parts_in_code_are_code() -> None:
    assert "<details>" not in "".join(render_blocks("    <details>\n    a"))


def test_parts_are_folded_only_so_deep() -> None:
    (block, rest) = render_blocks("<details>\n" * 11 + "x\n" + "</details>\n" * 11)

    assert (block.count("<details>"), block.count("</details>")) == (10, 10)
    assert "<p>&lt;details&gt;</p>\n<p>x</p>" in block
    assert rest == "<p>&lt;/details&gt;</p>\n"


def test_cells_stand_where_their_column_says() -> None:
    (block,) = render_blocks("| a | b | c | d |\n|:--|:-:|--:|---|\n| 1 | 2 | 3 | 4 |")

    assert block.startswith('<div class="table" tabindex="0"><table>')
    for cells in (
        '<th class="left">a</th>\n<th class="center">b</th>\n<th class="right">c</th>\n<th>d</th>',
        '<td class="left">1</td>\n<td class="center">2</td>\n<td class="right">3</td>\n<td>4</td>',
    ):
        assert cells in block


def test_only_a_box_that_begins_an_item_is_a_check_mark() -> None:
    text = "- [ ] a\n- [X] b\n- [y] c\n- *[ ] d*\n- `[ ] x`\n-\n- e [ ] f\n\n[ ] g"

    assert render_blocks(text) == [
        '<ul>\n<li class="check">☐ a</li>\n<li class="check">☑ b</li>\n<li>[y] c</li>\n<li><em>[ ] d</em></li>\n'
        "<li><code>[ ] x</code></li>\n<li></li>\n<li>e [ ] f</li>\n</ul>\n",
        "<p>[ ] g</p>\n",
    ]


def test_code_is_cheaper_than_prose_until_its_fence_is_closed() -> None:
    line = "words in a line of some length\n"
    code = "```\n" + line * 3_000 + "~~~\n" + "```\n"

    assert split_by_effort(code) == (code, "")
    assert split_by_effort(line * 3_000)[1] != ""
    shown, rest = split_by_effort(code + line * 3_000)
    assert shown.startswith(code)
    assert rest != ""


def test_every_line_of_a_wide_table_costs_its_columns_until_it_ends() -> None:
    head = "|a" * 30 + "\n" + "|-" * 30 + "\n"
    rows = "a\n" * 1_000

    assert split_by_effort(rows)[1] == split_by_effort(head + "\n" + rows)[1] == ""
    assert split_by_effort(head + rows)[1] != ""
    assert split_by_effort(head + "|-\n" + rows)[1] != ""


@pytest.mark.parametrize(
    ("block", "count"),
    [
        ("$$\nx\n$$", 1),
        ("\\[ x \\]", 1),
        ("[^1]: A note\nthat goes on", 1),
        ("<details>\n<summary>A</summary>\n\nb\n\n</details>", 1),
        ("<details open><summary>A</summary>\nb\n</details>", 1),
        ("</details>", 1),
        ("# A\nb", 2),
        ("- a\n- b", 1),
    ],
)
def test_each_block_says_in_which_line_it_begins(block: str, count: int) -> None:
    found = render_blocks_with_lines(f"a[^1]\n\n{block}\n\nc", {})

    lines = [line for line, _ in found]
    assert len(found) == count + 2
    assert (lines[:2], lines[-1]) == ([0, 2], 3 + block.count("\n") + 1)


def test_a_text_may_follow_a_folded_part_at_once() -> None:
    blocks = render_blocks("<details><summary>A</summary>\nb\n</details>\nc\n</details>\n\nd")

    assert blocks == [
        "<details>\n<summary>A</summary>\n<p>b</p>\n</details>\n",
        "<p>c</p>\n",
        "<p>&lt;/details&gt;</p>\n",
        "<p>d</p>\n",
    ]
