"""The forms of text of the messaging platforms."""

from wakeful.gateway.messaging.text.discord import discord_text
from wakeful.gateway.messaging.text.form import TextForm
from wakeful.gateway.messaging.text.slack import slack_text
from wakeful.gateway.messaging.text.telegram import parsed_text, telegram_html

FORMS = {
    "telegram": TextForm(4096, telegram_html, parsed_text),
    "discord": TextForm(2000, discord_text),
    "slack": TextForm(4000, slack_text),
}
