"""Moves words that an older version stored as one event per piece to where they belong now.

They move into the event that ended them, and their own events are removed: the log keeps its numbers, with gaps.
Readers get the same frames as before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wakeful.model import event as events
from wakeful.model.event import Event, spoken
from wakeful.model.journal.entry import Entry, EntryKind, cut_entry
from wakeful.model.words import Said, Word, WordsEnd, WordsHead, pack_cuts

_ANSWERED = frozenset({events.TOOL, events.USAGE})
_CUT_OFF = frozenset({events.FAILED, events.CANCELLED})


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A turn that the job which moves old words and long texts has to look at."""

    turn_id: str
    session_id: str
    is_closed: bool
    # Some of its events are words, or hold long texts that the journal has, too.
    is_old: bool


@dataclass(frozen=True, slots=True)
class Move:
    """The move of one step's words into the event that ended them."""

    # The event that ended them, as it will be.
    fact: Event
    # The answer that has the words, with its cuts; None: the event itself holds them.
    entry: Entry | None
    # The first and last number of the removed events in the turn.
    numbers: tuple[int, int]

    @property
    def cuts_answer(self) -> bool:
        """Whether the entry is new: it holds the words of an answer that was cut off."""
        return self.entry is not None and self.entry.kind is EntryKind.CUT


def moves_of(log: Sequence[Event], journal: Sequence[Entry]) -> list[Move]:
    """Return all possible moves in a turn that has ended."""
    answers = {entry.step: entry for entry in journal if entry.index == 0}
    moves: list[Move] = []
    base: Event | None = None
    written: list[Event] = []
    for event in log:
        if spoken(event) is not None:
            written.append(event)
            continue
        if written and base is not None and (said := _said(base, written)) is not None and event.ends is None:
            moves.append(_move(base, written, said, event, answers.get(said[0])))
        base, written = event, []
    return moves


def _said(base: Event, written: Sequence[Event]) -> tuple[int, Said] | None:
    """Return the step and its words; None if the events are not pieces of one step, and so cannot be moved."""
    pieces = [piece for event in written if (piece := spoken(event)) is not None]
    step = pieces[0][1]
    if any(piece[1] != step or not piece[2] for piece in pieces):
        return None
    head = WordsHead(base.session_id, base.turn_id or "", step, base.session_seq)
    return step, Said.of(Word(head, number, kind, text) for number, (kind, _, text) in enumerate(pieces, start=1))


def _move(base: Event, written: Sequence[Event], of_step: tuple[int, Said], fact: Event, answer: Entry | None) -> Move:
    step, said = of_step
    first, last = written[0], written[-1]
    entry = _keeper(fact, step, said, answer)
    ends = WordsEnd(
        step,
        base.session_seq,
        len(written),
        said=said if entry is None else None,
        old=(first.session_seq, last.session_seq),
    )
    return Move(replace(fact, ends=ends), entry, (first.turn_seq or 0, last.turn_seq or 0))


def _keeper(fact: Event, step: int, said: Said, answer: Entry | None) -> Entry | None:
    """Return the journal entry that has these words, or a new one for words that were cut off."""
    if answer is None:
        return cut_entry(fact.turn_id or "", step, said) if fact.kind in _CUT_OFF else None
    if answer.kind is not EntryKind.ANSWER or fact.kind not in _ANSWERED:
        return None
    data = answer.data
    is_all = (data["text"], data["reasoning"]) == (said.text, said.reasoning)
    return replace(answer, cuts=pack_cuts(said.cuts)) if is_all else None
