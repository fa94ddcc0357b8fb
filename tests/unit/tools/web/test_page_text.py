"""HTML as text."""

import pytest

from wakeful.tools.web.page_text import text_of_page


def test_keeps_headings_lists_links_tables_and_preformatted_text() -> None:
    page = """<!doctype html><html><head><title>My &amp; page</title><style>p {}</style></head><body>
      <script>if (a < b) { "</p>" }</script><!-- no <p>comment</p> -->
      <h2>Part <em>one</em></h2><p>Some   text<br>next line, a <a href='sub?a=1&amp;b=2'>link</a>
      and <a href="#here">a jump</a>, <a href="javascript:x()">a script</a>.</p>
      <ul><li>one<li><p>two</p><ol><li>first</li><li>second</li></ol></li></ul>
      <pre>  a
    b</pre>
      <table><tr><th>k</th><th>v</th></tr><tr><td>1<td>2</table><img src=x alt="A picture">
      5 < 6 &lt; 7</body></html>"""

    assert text_of_page(page, "https://h.example/dir/").splitlines() == [
        "My & page",
        "",
        "## Part one",
        "",
        "Some text",
        "next line, a link (https://h.example/dir/sub?a=1&b=2) and a jump, a script.",
        "",
        "- one",
        "- two",
        "  1. first",
        "  2. second",
        "",
        "  a",
        "    b",
        "",
        "k | v",
        "1 | 2",
        "",
        "[Image: A picture] 5 < 6 < 7",
    ]


PIECES = [
    ("a<br>b", "a\nb"),
    ("<p>a<p>b", "a\n\nb"),
    ("<div>a</div>b", "a\n\nb"),
    ("<ul><li>a</ul>b", "- a\n\nb"),
    ("<ul><li>a<ul><li>b</ul></ul>", "- a\n  - b"),
    ("<ol><li>a<li>b</ol><ol><li>c</ol>", "1. a\n2. b\n\n1. c"),
    ("<li>a", "- a"),
    ("</ul>a</li>b", "a\nb"),
    ("<h1>a</h1><h6>b</h6>c", "# a\n\n###### b\n\nc"),
    ("<h2></h2>a", "a"),
    ("a<h3>b", "a\n\n### b"),
    ("<pre>a\n\n  b </pre>c  d", "a\n\n  b\n\nc d"),
    ("<pre>a</p>\n b</pre>x", "a\n\n b\n\nx"),
    ("<table><tr><td>a<td>b<tr><td><td>c</table>", "a | b\nc"),
    ("<a href=/x>a</a>", "a (https://h.example/x)"),
    ("<a href='https://h.example/x'>https://h.example/x</a>", "https://h.example/x"),
    ("<a href=/x></a>b", "b"),
    ("<a href=/x>a<a href=/y>b</a>", "a (https://h.example/x)b (https://h.example/y)"),
    ("<a href='  '>a</a><a href=' #x'>b</a><a href=mailto:m@x>c</a><a href=tel:1>d</a>", "abc (mailto:m@x)d"),
    ("<a href=/x>a<p>b</a>", "a\n\nb (https://h.example/x)"),
    ("<img alt=' a\n b '><img alt=''><img>", "[Image: a b]"),
    ("a&nbsp;&nbsp;b &amp;lt; &copy", "a b &lt; ©"),
    ("<!-- a -->b<!-- c", "b"),
    ("a<!doctype x>b<?php c ?>d</>e", "abde"),
    ("<script>a</script>b<SCRIPT>c</ScRiPt >d<style>e", "bd"),
    ("<p title='a>b' class=\"c>d\">e", "e"),
    ("<p title='a>b", ""),
    ("a < b <3 c<", "a < b <3 c<"),
    ("<P CLASS=x>a</P>", "a"),
    ("<br/>a<br />b", "a\nb"),
    ("<a href=/1 href=/2>a</a>", "a (https://h.example/1)"),
    ("<a HREF = '/1'>a</a>", "a (https://h.example/1)"),
    ("<a href=/1?a&amp;b>a</a>", "a (https://h.example/1?a&b)"),
    ("a</script>b", "ab"),
    ("<textarea>x</textarea>y<svg><p>z</svg>w", "yw"),
    ("<p>a<ul><li>b<p>c</p>d</ul>", "a\n- b\nc\nd"),
    ("<p> </p><p>a</p><p></p><p>b</p>", "a\n\nb"),
    ("<dl><dt>a<dd>b</dl>", "a\n\nb"),
    ("<base href=/d/><a href=x>a</a>", "a (https://h.example/d/x)"),
    ("<h1>a<br>b</h1>", "# a\nb"),
    ("<tr>a</tr>b", "a\nb"),
    ("x<hr>y", "x\n\ny"),
    ("<title>t</title>a", "t\n\na"),
    ("<p/>a", "a"),
    ("a" + "<ol>" * 12 + "<li>b", "a\n" + "  " * 9 + "1. b"),
]


def test_each_piece_of_markup_has_its_text() -> None:
    assert [(markup, text_of_page(markup, "https://h.example/")) for markup, _ in PIECES] == PIECES


# Reading them takes a fraction of a second each, and minutes where a tag looks at what stands before it.
@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "piece",
    [
        "<div>",
        "<b>",
        " <td>",
        "<",
        "<!--",
        '<a href="',
        "&",
        "<script>",
        "<ul>",
        "</",
        "<p ",
        "&#9",
        "<li>",
        "<!",
        "x</a>",
    ],
)
def test_odd_markup_is_read_in_one_pass(piece: str) -> None:
    text_of_page(piece * (2**18 // len(piece)), "https://h.example/")
    text_of_page(f"&#{'9' * 5_000};", "https://h.example/")


def test_the_words_of_a_link_with_an_address_that_cannot_be_read_stay() -> None:
    page = "<base href='http://[b/'><a href='http://[a/'>here</a> and <a href=c>there</a>"

    assert text_of_page(page, "https://h.example/") == "here and there (https://h.example/c)"


def test_the_first_base_is_that_of_all_links() -> None:
    page = "<base href='/a/'><base href='/b/'><a href=c>there</a>"

    assert text_of_page(page, "https://h.example/") == "there (https://h.example/a/c)"
