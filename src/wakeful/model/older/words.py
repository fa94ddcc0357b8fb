"""Words that an older version has written down, each piece as an event of its own: where they belong now.

They move into the fact that ended them, and their events go: the log keeps its numbers, with holes. What a reader makes
of it stays the same, frame by frame.
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
    """A turn, as the job sees it that moves old words and long texts."""

    turn_id: str
    session_id: str
    is_closed: bool
    # Some of its events are words, or have long texts that the journal has, too.
    is_old: bool


@dataclass(frozen=True, slots=True)
class Move:
    """What one step said, from its events into the fact that ended it."""

    # The fact, as it is from now on.
    fact: Event
    # The answer that keeps the words, with its cuts; None: the fact has them itself.
    entry: Entry | None
    # The numbers, first and last, that their events had in the turn.
    numbers: tuple[int, int]

    @property
    def cuts_answer(self) -> bool:
        """Whether the entry is new: the words of an answer that was never whole."""
        return self.entry is not None and self.entry.kind is EntryKind.CUT


def moves_of(log: Sequence[Event], journal: Sequence[Entry]) -> list[Move]:
    """Of a turn that has ended: all that can be moved."""
    answers = {entry.step: entry for entry in journal if entry.step > 0 and entry.index == 0}
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
    """The step, and what was said in it. None for what cannot be kept as pieces of one step: it stays as it is."""
    pieces = [piece for event in written if (piece := spoken(event)) is not None]
    step = pieces[0][1]
    if any(piece[1] != step or not piece[2] for piece in pieces):
        return None
    head = WordsHead(base.session_id, base.turn_id or "", step, base.session_seq)
    return step, Said.of(Word(head, place, kind, text) for place, (kind, _, text) in enumerate(pieces, start=1))


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
    """The entry of the journal that has these words, or is made for them."""
    if answer is None:
        return cut_entry(fact.turn_id or "", step, said) if fact.kind in _CUT_OFF else None
    if answer.kind is not EntryKind.ANSWER or fact.kind not in _ANSWERED:
        return None
    data = answer.data
    is_all = (data["text"], data["reasoning"]) == (said.text, said.reasoning)
    return replace(answer, cuts=pack_cuts(said.cuts)) if is_all else None
