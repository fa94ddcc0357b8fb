"""The words of a message as a person reads them: Slack writes mentions, links and three signs in a way of its own."""

import re

from wakeful.gateway.platforms.slack.names import SlackNames

_MARK = re.compile(r"<([^<>]+)>")


async def slack_words(text: str, bot_id: str, names: SlackNames) -> str:
    """Return the words without mentions of the bot."""
    parts = []
    at = 0
    text = _without_mention(text, bot_id)
    for found in _MARK.finditer(text):
        parts += [text[at : found.start()], await _readable(found[1], names)]
        at = found.end()
    return _unescaped("".join([*parts, text[at:]])).strip()


def mentions(text: str, user_id: str) -> bool:
    return re.search(rf"<@{re.escape(user_id)}(\|[^<>]*)?>", text) is not None


def slack_escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _without_mention(text: str, bot_id: str) -> str:
    mention = rf"<@{re.escape(bot_id)}(?:\|[^<>]*)?>"
    text = re.sub(rf"^\s*{mention}[,:]?\s*", "", text)
    return re.sub(rf"[ \t]*{mention}", "", text)


async def _readable(mark: str, names: SlackNames) -> str:
    target, _, label = mark.partition("|")
    if target.startswith("@"):
        return f"@{label or slack_escaped(await names.user(target[1:]))}"
    if target.startswith("#"):
        return f"#{label or slack_escaped(await names.channel(target[1:]))}"
    if target.startswith("!"):
        return _called(target[1:], label)
    address = target.removeprefix("mailto:").removeprefix("tel:")
    # A link that Slack has made of an address is written as it was typed.
    is_typed = not label or label in (target, address) or target.partition("://")[2].rstrip("/") == label.rstrip("/")
    return (label or address) if is_typed else f"{label} ({target})"


def _called(target: str, label: str) -> str:
    """Return what stands for a group of people or a date."""
    if target.startswith("date^"):
        return label
    name = label or target.partition("^")[0]
    return name if name.startswith("@") else f"@{name}"


def _unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
