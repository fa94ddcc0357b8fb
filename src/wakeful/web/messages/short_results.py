"""Results for a page that folds them away: enough to tell how a call went. Whoever unfolds one asks for it."""

from collections.abc import Sequence

from wakeful.web.messages.messages import MessageFields, both_ends

_MOST = 2_000
_PART = 800


def shorten_results(messages: Sequence[MessageFields]) -> None:
    """They are most of a long session, and `content` would tell each a second time."""
    for message in messages:
        tool = message["tool"]
        if tool is None or tool["result"] is None:
            continue
        message["content"] = ""
        if tool["full_size"] > _MOST:
            tool["result"] = both_ends(tool["result"], _PART, tool["full_size"])
            tool["truncated"] = True
