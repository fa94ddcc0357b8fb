"""The words of a message on Slack as a person reads them."""

from typing import Any

import pytest

from tests.unit.gateway.platforms.slack.client import ScriptedClient
from wakeful.gateway.platforms.slack.names import SlackNames
from wakeful.gateway.platforms.slack.words import mentions, slack_escaped, slack_words


async def read(text: str) -> str:
    client: Any = ScriptedClient(
        {
            "users.info": lambda params: {"user": {"name": f"{params['user'].lower()}<"}},
            "conversations.info": lambda params: {"channel": {"name": f"{params['channel'].lower()}&"}},
        }
    )
    return await slack_words(text, "UBOT", SlackNames(client))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<@UBOT>: hello <@UBOT>", "hello"),
        (" <@UBOT|bot>, hello", "hello"),
        ("hello <@UBOT> you", "hello you"),
        ("<@U1> and <@U1|ann>", "@u1< and @ann"),
        ("<#C1> and <#C1|general>", "#c1& and #general"),
        ("<!here> <!channel|@channel> <!subteam^S1|@team> <!subteam^S1>", "@here @channel @team @subteam"),
        ("<!date^1392734382^{date}|Feb 18>", "Feb 18"),
        ("<http://a.org>", "http://a.org"),
        ("<http://a.org|a.org> <http://a.org/|a.org>", "a.org a.org"),
        ("<https://a.org|the site>", "the site (https://a.org)"),
        ("<mailto:a@b.org|a@b.org> <mailto:a@b.org>", "a@b.org a@b.org"),
        ("<tel:+123|call>", "call (tel:+123)"),
        ("<tel:+123>", "+123"),
        ("1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt;", "1 < 2 && 3 > 2 &lt;"),
        ("before <http://a.org> after", "before http://a.org after"),
        ("  plain  ", "plain"),
    ],
)
async def test_marks_are_written_as_a_person_reads_them(text: str, words: str) -> None:
    assert await read(text) == words


@pytest.mark.parametrize(
    ("text", "is_mentioned"),
    [("hi <@UBOT>", True), ("<@UBOT|bot> hi", True), ("<@UBOTX>", False), ("UBOT", False), ("<#UBOT>", False)],
)
def test_a_mention_names_the_bot(text: str, is_mentioned: bool) -> None:
    assert mentions(text, "UBOT") is is_mentioned


def test_what_we_say_is_no_mark() -> None:
    assert slack_escaped("<a> & <b>") == "&lt;a&gt; &amp; &lt;b&gt;"
