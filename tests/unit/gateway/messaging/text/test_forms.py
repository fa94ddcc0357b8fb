"""Markdown as each platform shows it."""

import pytest

from wakeful.gateway.messaging.text.discord import discord_text
from wakeful.gateway.messaging.text.forms import FORMS
from wakeful.gateway.messaging.text.slack import slack_text
from wakeful.gateway.messaging.text.telegram import parsed_text, telegram_html

TABLE = "| name | size |\n|---|---|\n| a | 1 |\n| `bb` | 20 |"
DRAWN = "name  size\n----  ----\na     1\nbb    20"


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("# Title **now**\n\nWords", "<b>Title now</b>\n\nWords"),
        ("**b** *i* ~~s~~ `c<d`", "<b>b</b> <i>i</i> <s>s</s> <code>c&lt;d</code>"),
        ("a < b & <script>x</script>", "a &lt; b &amp; &lt;script&gt;x&lt;/script&gt;"),
        ("[text](https://x.org/?a=1&b=2)", '<a href="https://x.org/?a=1&amp;b=2">text</a>'),
        ("[text](src/a.py)", "text"),
        ("![shot](https://x.org/a.png)", '<a href="https://x.org/a.png">shot</a>'),
        ("- one\n- two\n  - three", "• one\n• two\n  • three"),
        ("3. one\n4. two", "3. one\n4. two"),
        ("- one\n\n- two", "• one\n\n• two"),
        ("1. one\n   two", "1. one\n   two"),
        ("![](https://x.org/a.png)", '<a href="https://x.org/a.png">picture</a>'),
        ("[a](mailto:a@x.org) [b](javascript:x)", '<a href="mailto:a@x.org">a</a> [b](javascript:x)'),
        ("~~~\na\n~~~", "<pre>a</pre>"),
        ("```py linenos\na\n```", '<pre><code class="language-py">a</code></pre>'),
        ("a  \nb", "a\nb"),
        ("> said\n> > before", "<blockquote>said\n\nbefore</blockquote>"),
        ("```python\nif a < b:\n    c\n```", '<pre><code class="language-python">if a &lt; b:\n    c</code></pre>'),
        ("    indented", "<pre>indented</pre>"),
        ("one\ntwo", "one\ntwo"),
        ("---", "———"),
        (TABLE, f"<pre>{DRAWN}</pre>"),
        ("", ""),
    ],
)
def test_telegram_gets_html(markdown: str, html: str) -> None:
    assert telegram_html(markdown) == html


def test_telegram_counts_words_and_not_markup() -> None:
    assert parsed_text(telegram_html("**a** `<b>` & c")) == "a <b> & c"


@pytest.mark.parametrize(
    ("markdown", "mrkdwn"),
    [
        ("# Title **now**\n\nWords", "*Title now*\n\nWords"),
        ("**b** *i* ~~s~~ `c<d`", "*b* _i_ ~s~ `c&lt;d`"),
        ("<!channel> & <@U1>", "&lt;!channel&gt; &amp; &lt;@U1&gt;"),
        ("[text](https://x.org/?a=1&b=2)", "<https://x.org/?a=1&amp;b=2|text>"),
        ("[https://x.org](https://x.org)", "<https://x.org>"),
        ("[text](src/a.py)", "text"),
        ("[text](https://x.org/a|b)", "<https://x.org/a%7Cb|text>"),
        ("- one\n- two", "• one\n• two"),
        ("> said\n> more", "> said\n> more"),
        ("```sh\nls > a\n```", "```\nls &gt; a\n```"),
        (TABLE, f"```\n{DRAWN}\n```"),
    ],
)
def test_slack_gets_mrkdwn(markdown: str, mrkdwn: str) -> None:
    assert slack_text(markdown) == mrkdwn


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("# Title **now**\n\n**b** *i* `c`", "**Title now**\n\n**b** *i* `c`"),
        ("Title\n=====\n\nwords", "**Title**\n\nwords"),
        (f"before\n\n{TABLE}\n\nafter", f"before\n\n```\n{DRAWN}\n```\n\nafter"),
        ("```python\n# no heading\n```", "```python\n# no heading\n```"),
        ("@everyone <@1>", "@everyone <@1>"),
        (f"# One\n\n{TABLE}\n\nTwo\n---\n\nthree", f"**One**\n\n```\n{DRAWN}\n```\n\n**Two**\n\nthree"),
        ("> # quoted\n\n- # item", "> # quoted\n\n- # item"),
        ("| a | b |\n|---|---|\n| long |\n\n\nx\n\n", "```\na     b\n----  -\nlong\n```\n\n\nx"),
        ("| a | b |\n|---|---|\n| 1 | 2 | 3 |", "```\na  b\n-  -\n1  2\n```"),
    ],
)
def test_discord_gets_its_own_markdown(markdown: str, shown: str) -> None:
    assert discord_text(markdown) == shown


def test_letters_outside_of_the_basic_plane_count_twice() -> None:
    assert FORMS["telegram"].fits("\N{CHERRIES}" * 2048)
    assert not FORMS["telegram"].fits("\N{CHERRIES}" * 2049)


def test_slack_counts_escapes() -> None:
    assert FORMS["slack"].fits("&" * 800)
    assert not FORMS["slack"].fits("&" * 801)
