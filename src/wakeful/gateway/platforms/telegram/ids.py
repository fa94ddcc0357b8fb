"""Message ids that are known. A message whose send went unanswered has one of the ids after them.

Telegram counts up: with one counter for all private chats and basic groups of the bot, and one for each supergroup.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import islice

# Ids of supergroups lie below this number.
_SUPERGROUPS = -1_000_000_000_000
# How far beyond the last known id a lost message is looked for, where no later id is known.
_AHEAD = 10
# How many of the highest known ids are kept of each counter, at least.
_KEPT = 1000
# More questions than this are not asked about one message.
_MOST_QUESTIONS = 50


class KnownIds:
    def __init__(self) -> None:
        self._series: defaultdict[str, _Series] = defaultdict(_Series)

    def note(self, chat_id: str, message_id: int) -> None:
        self._series[_counter(chat_id)].note(message_id)

    def highest(self, chat_id: str) -> int:
        """Return the highest known id of the chat's counter; 0 where none is."""
        series = self._series.get(_counter(chat_id))
        return series.highest if series else 0

    def unknown_after(self, chat_id: str, message_id: int) -> Sequence[int] | None:
        """Return the ids after this one that a lost message may have; None where there are too many to ask for each."""
        return self._series[_counter(chat_id)].unknown_after(message_id)


class _Series:
    def __init__(self) -> None:
        self._known: set[int] = set()
        self._highest_dropped = 0
        self.highest = 0

    def note(self, message_id: int) -> None:
        self._known.add(message_id)
        self.highest = max(self.highest, message_id)
        if len(self._known) >= 2 * _KEPT:
            *dropped, first_kept = sorted(self._known)[: _KEPT + 1]
            self._known = {known for known in self._known if known >= first_kept}
            self._highest_dropped = dropped[-1]

    def unknown_after(self, message_id: int) -> Sequence[int] | None:
        if message_id < self._highest_dropped:
            return None
        last = max(self.highest, message_id + _AHEAD)
        unknown = (candidate for candidate in range(message_id + 1, last + 1) if candidate not in self._known)
        asked = list(islice(unknown, _MOST_QUESTIONS + 1))
        return None if len(asked) > _MOST_QUESTIONS else asked


def _counter(chat_id: str) -> str:
    is_number = chat_id.removeprefix("-").isdecimal()
    # A channel that is named by @name has a counter like a supergroup.
    return "" if is_number and int(chat_id) > _SUPERGROUPS else chat_id
