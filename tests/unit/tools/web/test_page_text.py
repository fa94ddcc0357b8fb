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
