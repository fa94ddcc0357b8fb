"""The forms of text that platforms show: how Markdown is written for each, and how much of it fits into one message."""

from collections.abc import Callable
from dataclasses import dataclass

from wakeful.gateway.messaging.text.discord import discord_text
from wakeful.gateway.messaging.text.slack import slack_text
from wakeful.gateway.messaging.text.telegram import parsed_text, telegram_html


@dataclass(frozen=True, slots=True)
class TextForm:
    # The text of one message at most, in UTF-16 units: what one platform counts, and no less than what others do.
    limit: int
    # Markdown in the platform's own markup.
    render: Callable[[str], str]
    # What of the rendered text counts.
    counted: Callable[[str], str] = str

    def fits(self, markdown: str) -> bool:
        return units(self.counted(self.render(markdown))) <= self.limit


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


FORMS = {
    "telegram": TextForm(4096, telegram_html, parsed_text),
    "discord": TextForm(2000, discord_text),
    "slack": TextForm(4000, slack_text),
}
