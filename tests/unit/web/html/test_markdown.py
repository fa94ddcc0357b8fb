"""Markdown: what it becomes, what it can never become, and how long it may take."""

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from wakeful.web.html import mathematics
from wakeful.web.html.effort import split_by_effort
from wakeful.web.html.highlight import CLASSES
from wakeful.web.html.markdown import TAGS, render_blocks

ATTRIBUTES = {tag: set(mathematics.MATH_ATTRIBUTES) for tag in mathematics.MATH_TAGS} | {
    "a": {"href", "title", "target", "rel", "class"},
    "details": {"open"},
    "sup": {"class", "data-note"},
    "div": {"class", "data-language", "data-note", "tabindex"},
    "span": {"class", "title"},
    "ol": {"start"},
    "li": {"class"},
    "pre": {"class", "tabindex"},
    "td": {"class"},
    "th": {"class"},
}
FIXED = {
    "class": CLASSES
    | {"code", "table", "path", "image", "check", "plain", "left", "center", "right", "formula", "footnote", "note"},
    "data-note": {str(number) for number in range(1, 100)},
    "target": {"_blank"},
    "rel": {"noopener noreferrer nofollow"},
    "tabindex": {"0"},
}


class Reader(HTMLParser):
    """Collects what a browser would see: the text, and every tag or attribute that is not allowed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.breaches: list[str] = []
        self.links: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.breaches.append(tag)
        for name, value in attributes:
            if name not in ATTRIBUTES.get(tag, set()) or (name in FIXED and value not in FIXED[name]):
                self.breaches.append(f"{tag} {name}={value}")
            if name == "href":
                self.links.append(value or "")

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.breaches.append("comment")

    def handle_decl(self, decl: str) -> None:
        self.breaches.append("declaration")

    def handle_pi(self, data: str) -> None:
        self.breaches.append("instruction")


def read(text: str) -> Reader:
    reader = Reader("".join(render_blocks(text)))
    assert reader.breaches == []
    assert all(link.startswith(("http://", "https://", "mailto:")) for link in map(str.lower, reader.links))
    return reader


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<!-- <script>alert(1)</script> -->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php alert(1) ?>",
    "<!DOCTYPE html>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<a href='javascript:alert(1)'>x</a>",
    "<style>@import 'http://evil'</style>",
    "<base href='http://evil/'>",
    "<form action=http://evil><input name=x>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](java&#10;script:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](\\javascript:alert(1))",
    "[x]( javascript:alert(1) )",
    "[x](<javascript:alert(1)>)",
    "[x](<java\tscript:alert(1)>)",
    "[x](\x01javascript:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](file:///etc/passwd)",
    "[x](//evil.example/x)",
    "[x](/api/logout)",
    "[x](#id)",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
    '![x"onerror="alert(1)](http://a.example/"onerror="alert(1))',
    '[x](http://a.example "title" onclick="alert(1)")',
    "[x](http://a.example/\"onmouseover='alert(1)')",
    "[x]\n\n[x]: javascript:alert(1)",
    "[x]\n\n[x]: <data:text/html,x> 'y'",
    "|a|\n|-|\n|<script>alert(1)</script>|",
    "|a|\n|-|\n|[x](javascript:alert(1))|",
    "> - > <script>alert(1)</script>",
    "- [x] <img src=x onerror=alert(1)>",
    '```"><script>alert(1)</script>\n<script>alert(1)</script>\n```',
    "```html\n<script>alert(1)</script>\n```",
    "    <script>alert(1)</script>",
    "`<script>alert(1)</script>`",
    "https://a.example/<script>alert(1)</script>",
    'https://a.example/"onclick="alert(1)',
    "javascript:alert(1)",
    "# <script>alert(1)</script>",
    "\0<script>\0alert(1)</script>",
    "$\\text{<script>alert(1)</script>}$",
    "$\\text{</mtext><img src=x onerror=alert(1)>}$",
    "$$\\href{javascript:alert(1)}{x}$$",
    "$\\style{position:fixed}{x}$ $\\class{approval}{x}$",
    "$\\color{url(http://evil)}{x}$",
    "$$\n\\unicode{x3c}script\\unicode{x3e}\n$$",
    "<kbd onclick=alert(1)>x</kbd>",
    "<kbd><script>alert(1)</script></kbd>",
    "<details ontoggle=alert(1) open>",
    "<details><summary><img src=x onerror=alert(1)></summary>\n\n<script>alert(1)</script>\n\n</details>",
    '[^"onclick="alert(1)]\n\n[^"onclick="alert(1)]: <script>alert(1)</script>',
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_only_text(attack: str) -> None:
    read(attack)
    read(f"- a\n\n  > {attack}\n\n**{attack}**")


@settings(deadline=None)
@given(
    some.lists(
        some.sampled_from(
            [*ATTACKS, "*", "_", "[", "](", ")", "<", ">", "`", "|", "\n", "\n\n", "- ", "a", "$", "$$", "\\(", "\\)"]
        )
    )
)
def test_nothing_outside_the_allow_list_ever_comes_out(pieces: list[str]) -> None:
    read("".join(pieces))


@settings(deadline=None)
@given(some.text())
def test_no_text_raises_an_error(text: str) -> None:
    read(text)


@settings(deadline=None)
@given(some.text(alphabet="ab *_`>#-<&\n\\\t=+.", max_size=200).filter(lambda text: "```" not in text))
def test_every_letter_is_still_there(text: str) -> None:
    letters = [letter for letter in text if letter in "ab"]

    assert [letter for letter in read(text).text if letter in "ab"] == letters


@settings(deadline=None)
@given(some.text(max_size=300), some.sampled_from(["", "python", "js", "html", "bash", "json", "diff", "console"]))
def test_code_is_kept_character_by_character(code: str, language: str) -> None:
    lines = "\n".join(code.replace("\r", "\n").replace("\0", "").replace("`", "'").split("\n"))

    assert read(f"```{language}\n{lines}\n```").text.removesuffix("\n") == lines + "\n"


def test_code_says_its_language_and_has_colours() -> None:
    (block,) = render_blocks("```Python\ndef f(): return 1\n```")

    assert block.startswith('<div class="code" data-language="python"><pre tabindex="0"><code><span class="hl-k">def')


def test_a_picture_is_a_link_and_nothing_is_loaded() -> None:
    (block,) = render_blocks("![a plot](https://a.example/plot.png)")

    assert '<a class="image" href="https://a.example/plot.png"' in block
    assert "<img" not in block


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("see https://a.example/x_y_z.", "https://a.example/x_y_z"),
        ("(https://a.example/x_(y))", "https://a.example/x_(y)"),
        ("**https://a.example/x**", "https://a.example/x"),
        ("HTTPS://A.example", "HTTPS://A.example"),
        ("<https://a.example/>", "https://a.example/"),
        ("[words](https://a.example)", "https://a.example"),
        ("[mail](mailto:a@b.example)", "mailto:a@b.example"),
    ],
)
def test_addresses_are_links(text: str, link: str) -> None:
    assert read(text).links == [link]


@pytest.mark.parametrize("text", ["`https://a.example`", "```\nhttps://a.example\n```", "ftp://a.example", "a.example"])
def test_other_words_are_not_links(text: str) -> None:
    assert read(text).links == []


def test_a_path_is_shown_and_leads_nowhere() -> None:
    assert render_blocks("[the file](src/a.py)") == ['<p><span class="path" title="src/a.py">the file</span></p>\n']


def test_each_top_level_block_stands_alone() -> None:
    blocks = render_blocks("# a\n\nb\n\n- c\n- d\n\n| e |\n|---|\n\n---")

    assert [block[:4] for block in blocks] == ["<h1>", "<p>b", "<ul>", "<div", "<hr>"]


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("$e^{i\\pi}$", '<math display="inline"><mrow><msup><mi>e</mi>'),
        ("for \\(x_1\\):", '<math display="inline"><mrow><msub><mi>x</mi><mn>1</mn></msub></mrow></math>'),
        ("$$\n\\frac{1}{2}\n$$", '<div class="formula" tabindex="0"><math display="block">'),
        ("\\[ x = 1 \\]", '<div class="formula" tabindex="0"><math display="block">'),
        ("$$x$$ in words", '<p><math display="block">'),
        ("$48\\,\\mathrm{s}$", '<mi mathvariant="normal">s</mi>'),
        ("$\\text{a < b}$", "<mtext>a&nbsp;&lt;&nbsp;b</mtext>"),
        ("$\\text{&#x00041;}$", "<mtext>A</mtext>"),
    ],
)
def test_mathematics_is_shown_as_mathematics(text: str, formula: str) -> None:
    assert formula in "".join(render_blocks(text))
    read(text)


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $10.",
        "from $5 to 10$ there",
        "$5, or 10$",
        "US$5 a month and x$",
        "set $HOME/bin:$PATH first",
        "echo $a and $b",
        "5$",
        "$ 5 $",
        "$$",
    ],
)
def test_dollars_in_prose_are_dollars(text: str) -> None:
    assert render_blocks(text) == [f"<p>{text}</p>\n"]


@pytest.mark.parametrize("text", ["`$x$`", "```\n$$\nx\n$$\n```", "    $x$", "`\\(x\\)`"])
def test_dollars_in_code_are_code(text: str) -> None:
    assert "<math" not in "".join(render_blocks(text))


@pytest.mark.parametrize(
    "formula",
    [
        "$\\frac{1}{$",
        "$\\nosuchcommand$",
        "$x^2^3$",
        "$\\newcommand{\\a}{\\a\\a}\\a$",
        "$\\hspace{999em}$",
        # What the library makes of it has an attribute that is not on the list.
        "$\\begin{array}{c|c}a\\end{array}$",
    ],
)
def test_a_formula_that_cannot_be_read_stays_as_it_was_written(formula: str) -> None:
    assert render_blocks(f"So {formula} it is.") == [f"<p>So <code>{formula}</code> it is.</p>\n"]
    assert read(f"$${formula[1:-1]}$$").text.strip() == f"$${formula[1:-1]}$$"


def test_escaped_brackets_are_brackets() -> None:
    assert render_blocks("\\(see below\\) \\[1\\] words") == ["<p>(see below) [1] words</p>\n"]


def test_keys_and_raised_letters_are_shown_as_such() -> None:
    assert render_blocks("<kbd>Ctrl</kbd>+<kbd>&larr;</kbd> m<sup>2</sup><br>H<sub>2</sub>O <b>no</b>") == [
        "<p><kbd>Ctrl</kbd>+<kbd>←</kbd> m<sup>2</sup><br>\nH<sub>2</sub>O &lt;b&gt;no&lt;/b&gt;</p>\n"
    ]


def test_details_fold_away_what_they_enclose() -> None:
    text = "<details>\n<summary>The *log*</summary>\n\n```\n</details>\n```\n\n- a\n</details>\nafter"

    assert render_blocks(text) == [
        "<details>\n<summary>The <em>log</em></summary>\n"
        '<div class="code" data-language=""><pre tabindex="0"><code>&lt;/details&gt;\n</code></pre></div>\n'
        "<ul>\n<li>a</li>\n</ul>\n</details>\n",
        "<p>after</p>\n",
    ]


def test_details_end_with_what_they_stand_in() -> None:
    assert render_blocks("> <details>\n> in\n\nout\n\n</details>") == [
        "<blockquote>\n<details>\n<p>in</p>\n</details>\n</blockquote>\n",
        "<p>out</p>\n",
        "<p>&lt;/details&gt;</p>\n",
    ]


def test_footnotes_are_numbered_in_order_and_have_no_links() -> None:
    assert render_blocks("b[^x] a[^first] c[^none]\n\n[^first]: *One*,\nand more\n[^X]: Two") == [
        '<p>b<sup class="note" data-note="2">2</sup> a<sup class="note" data-note="1">1</sup> c[^none]</p>\n',
        '<div class="footnote" data-note="1"><sup>1</sup> <em>One</em>,\nand more</div>\n',
        '<div class="footnote" data-note="2"><sup>2</sup> Two</div>\n',
    ]


def test_lines_of_a_diff_show_whether_they_were_deleted_or_added() -> None:
    (block,) = render_blocks("```diff\n-old\n+new\n```")

    assert '<span class="hl-del">-old</span>' in block
    assert '<span class="hl-add">+new</span>' in block


def test_a_box_in_a_list_is_a_check_mark() -> None:
    assert render_blocks("- [x] a\n- [ ] b") == [
        '<ul>\n<li class="check">☑ a</li>\n<li class="check">☐ b</li>\n</ul>\n'
    ]


LONG = 100_000
HARD = {
    "brackets": "[" * LONG,
    "pictures": "![" * (LONG // 2),
    "stars": "*a " * (LONG // 3),
    "links": "[a](" * (LONG // 4),
    "quotes": ">" * LONG,
    "deep quotes": "> > > a\n" * (LONG // 8),
    "deep lists": "\n".join("  " * depth + "- a" for depth in range(400)),
    "list in quote": "> - " * (LONG // 4),
    "ticks": "".join("`" * count + "a" for count in range(1, 400)),
    "autolinks": "<http://" * (LONG // 8),
    "entities": "&amp" * (LONG // 4),
    "lines": "a\n" * (LONG // 2),
    "wide table": "|" * 999 + "\n" + "|-" * 998 + "|\n" + "|\n" * (LONG // 2),
    "columns": "|".join("x" * 300) + "\n" + "|".join("-" * 300) + "\n" + "a\n" * (LONG // 2),
    "definitions": "".join(f"[a{number}]: http://x\n" for number in range(LONG // 16)),
    "addresses": "http://" * (LONG // 7),
    "address of brackets": "http://a.example/" + "(" * LONG + ")" * LONG,
    "spaces": " " * LONG,
    "formulas": "$x_1+y^2$ " * (LONG // 10),
    "open formulas": "$a " * (LONG // 3),
    "brackets of formulas": "\\(" * (LONG // 2),
    "open blocks of formulas": "$$a\n" * (LONG // 4),
    "blocks of formulas": "$$\nx\n$$\n" * (LONG // 8),
    "one long formula": "$$" + "x+" * (LONG // 2) + "$$",
    "open details": "<details>\n" * (LONG // 10),
    "closed details": "</details>\n" * (LONG // 11),
    "keys": "<kbd>" * (LONG // 5),
    "footnotes": "".join(f"[^{number}]: a\n" for number in range(LONG // 12)),
    "references of footnotes": "[^a]" * (LONG // 4) + "\n\n[^a]: b",
    "blank lines in python": "```python\n" + "  \n" * (LONG // 3),
    "quotes in javascript": "```js\n" + "'\\\n" * (LONG // 3),
    "ampersands in html": "```html\n" + "&" * 49_000,
}


# Each takes a tenth of a second at most; without a limit, some of them would take longer than this.
@pytest.mark.timeout(15)
@pytest.mark.parametrize("name", HARD)
def test_no_text_takes_long_and_all_of_it_is_shown(name: str) -> None:
    blocks = render_blocks(HARD[name])

    written, rest = split_by_effort(HARD[name])
    assert written + rest == HARD[name]
    assert not rest or Reader(blocks[-1]).text == rest + "\n"
    assert not rest or written[-1:] in ("\n", ""), "it is cut between two lines"


def test_a_long_answer_is_rendered_whole() -> None:
    text = "Some words, *some* of them `strong`.\n\n```python\nx = 1\n```\n\n" * 500

    assert split_by_effort(text) == (text, "")
