"""A cache of the HTML of recorded answers, which never change."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from wakeful.web.html.markdown import render_blocks
from wakeful.web.messages.messages import MessageFields

# In characters of HTML; the least recently used answers are dropped first.
_MOST_KEPT = 8_000_000


class Answers:
    def __init__(self) -> None:
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._size = 0

    async def fill(self, messages: Sequence[MessageFields]) -> None:
        """Set `html` of the assistant's messages. New answers are rendered on a thread, off the event loop."""
        answers = [message for message in messages if message["role"] == "assistant"]
        # Taken now: while the missing ones are rendered, another reader's answers may evict these.
        found = {message["id"]: self._kept[message["id"]] for message in answers if message["id"] in self._kept}
        missing = {message["id"]: message["content"] for message in answers if message["id"] not in found}
        rendered = await asyncio.to_thread(_render, missing) if missing else {}
        html = found | rendered
        for message in answers:
            message["html"] = html[message["id"]]
        for number, made in rendered.items():
            self._keep(number, made)
        for message in answers:
            if message["id"] in self._kept:
                self._kept.move_to_end(message["id"])

    def _keep(self, number: str, html: str) -> None:
        self._size += len(html) - len(self._kept.get(number, ""))
        self._kept[number] = html
        while self._size > _MOST_KEPT and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._size -= len(dropped)


def _render(texts: dict[str, str]) -> dict[str, str]:
    return {number: "".join(render_blocks(text)) for number, text in texts.items()}
