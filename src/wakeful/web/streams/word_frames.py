"""Frames of words: one for each piece, the same for every reader."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

import orjson

from wakeful.model.event import Event, StreamItem
from wakeful.model.words import REASONING, TOKEN, Word, WordsHead
from wakeful.web.streams.frames import Frame, lines_of

# More than the number of steps that stream at the same time.
_KNOWN_STEPS = 4096
_TEXT_GOES_HERE = b'""}\n\n'


def runs_of(page: Sequence[StreamItem]) -> Iterator[Event | list[Word]]:
    """Yield the events of a page, and runs of words of the same step as lists."""
    for head, run in groupby(page, key=_head_of):
        if head is None:
            yield from (item for item in run if isinstance(item, Event))
        else:
            yield [item for item in run if isinstance(item, Word)]


def inline_words(words: Sequence[Word], at: str) -> list[Frame]:
    """Return the frames of words of one step in a session's stream; `at` is the cursor without words."""
    head = words[0].head
    return _frames(words, f"{at}~{head.base}~", _inline_lines(head))


def turn_words(words: Sequence[Word], after: int) -> list[Frame]:
    """Return the frames of words of one step in the stream of their turn; they follow the turn's fact `after`."""
    return _frames(words, f"{after}~", _turn_lines(words[0].head.step))


def _frames(words: Sequence[Word], at: str, lines: dict[str, bytes]) -> list[Frame]:
    """Format the frames. This is hot: it runs for every word, once per reader."""
    dumps = orjson.dumps
    return [(f"{at}{number}", b"%b%b}\n\n" % (lines[kind], dumps(text))) for _, number, kind, text in words]


def _head_of(item: StreamItem) -> WordsHead | None:
    return item.head if isinstance(item, Word) else None


@lru_cache(_KNOWN_STEPS)
def _inline_lines(head: WordsHead) -> dict[str, bytes]:
    return _lines({"session_id": head.session_id, "turn_id": head.turn_id, "step": head.step})


@lru_cache(_KNOWN_STEPS)
def _turn_lines(step: int) -> dict[str, bytes]:
    return _lines({"step": step})


def _lines(data: dict[str, Any]) -> dict[str, bytes]:
    """Return the beginning of a frame's lines, up to the text, by kind of word."""
    empty = orjson.dumps(data | {"text": ""})
    return {kind: lines_of(kind, empty).removesuffix(_TEXT_GOES_HERE) for kind in (TOKEN, REASONING)}
