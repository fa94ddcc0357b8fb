"""Sorts the text of an answer as it arrives into thoughts, words and calls.

Some endpoints leave the tags of the model's chat template in the text: <think> around its thoughts, and the form in
which the model writes a call.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wakeful.agent.providers.openai.written_calls import FENCE, MARKERS, WrittenCall, marker_in, written_calls
from wakeful.tools.base import ToolSpec

_ENDS = {"<think>": "</think>", "<thinking>": "</thinking>"}


@dataclass(frozen=True, slots=True)
class Sorted:
    thought: str = ""
    words: str = ""


class TemplateText:
    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._tools = tools
        self._sort: Callable[[], Sorted] = self._undecided
        self._then: Callable[[], Sorted] = self._speaking
        # What may be a part of a tag, or belongs to a call, is held back.
        self._held = ""
        # The tag that ends the thoughts.
        self._end = ""
        # Whether the words stand in a code block, and the backticks at their end that may begin a fence.
        self._in_code = False
        self._tail = ""

    def add(self, piece: str) -> Sorted:
        """Return what can be shown now."""
        if self._sort == self._speaking and not self._held and "<" not in piece and "[" not in piece:
            return Sorted(words=self._spoken(piece))
        self._held += piece
        return self._sort()

    def finish(self, *, with_calls: bool) -> tuple[Sorted, list[WrittenCall]]:
        """Return what was held back, or the calls in it; with `with_calls` false it is all text."""
        rest, self._held = self._held, ""
        if self._sort == self._thinking:
            return Sorted(thought=rest), []
        calls = written_calls(rest, self._tools) if with_calls and rest else []
        return (Sorted(), calls) if calls else (Sorted(words=rest), [])

    def as_call(self, text: str) -> list[WrittenCall]:
        """Return the call that the whole text is: Llama writes it as a bare JSON object."""
        return written_calls(text, self._tools) if text.startswith("{") else []

    def _undecided(self) -> Sorted:
        """Find out whether the answer begins with thoughts."""
        start = self._held.lstrip()
        for opening, end in _ENDS.items():
            if start.startswith(opening):
                self._end = end
                return self._skip_blanks(start.removeprefix(opening), self._thinking)
        if any(opening.startswith(start) for opening in _ENDS):
            return Sorted()
        self._sort = self._speaking
        return self._speaking()

    def _thinking(self) -> Sorted:
        thought, end, rest = self._held.partition(self._end)
        if not end:
            return Sorted(thought=self._release(len(self._held) - _partial_tag(self._held, [self._end])))
        return Sorted(thought, self._skip_blanks(rest, self._speaking).words)

    def _skip_blanks(self, text: str, then: Callable[[], Sorted]) -> Sorted:
        """Drop the empty lines that templates put before thoughts and before words."""
        self._held, self._then, self._sort = text, then, self._skipping
        return self._skipping()

    def _skipping(self) -> Sorted:
        self._held = self._held.lstrip()
        if not self._held:
            return Sorted()
        self._sort = self._then
        return self._sort()

    def _speaking(self) -> Sorted:
        marker = marker_in(self._held, in_code=self._in_code)
        end = len(self._held) - _partial_tag(self._held, MARKERS) if marker < 0 else marker
        return Sorted(words=self._spoken(self._release(end)))

    def _spoken(self, words: str) -> str:
        if self._tail or "`" in words:
            text = self._tail + words
            self._in_code ^= text.count(FENCE) % 2 == 1
            self._tail = "`" * ((len(text) - len(text.rstrip("`"))) % len(FENCE))
        return words

    def _release(self, end: int) -> str:
        shown, self._held = self._held[:end], self._held[end:]
        return shown


def split_thoughts(text: str) -> tuple[str, str]:
    """Split a text into thoughts and words at a closing tag without an opening one: some templates open the thoughts
    themselves, so that the model only closes them.
    """
    for opening, end in _ENDS.items():
        thought, tag, words = text.partition(end)
        if tag and opening not in thought and thought.count(FENCE) % 2 == 0:
            return thought.strip(), words.lstrip()
    return "", text


def _partial_tag(text: str, tags: Sequence[str]) -> int:
    """Return the length of the longest end of the text with which one of the tags begins."""
    longest = max(map(len, tags)) - 1
    sizes = range(min(longest, len(text)), 0, -1)
    return next((size for size in sizes if any(tag.startswith(text[-size:]) for tag in tags)), 0)
