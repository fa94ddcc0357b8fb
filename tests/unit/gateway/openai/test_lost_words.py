"""What readers of a response get after words were shown that the log does not have."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.gateway.openai.kit import (
    FACTS,
    REST,
    TERMINAL,
    TURN,
    abandoned,
    cancelled,
    check_types,
    data_of,
    done,
    failed,
    fold,
    last_response,
    log,
    result,
    sdk,
    stream_body,
    tool,
    types_of,
    usage,
)
from tests.unit.gateway.openai.logs import TEXTS, randomly
from wakeful.gateway.openai.frames import NumberedFrame
from wakeful.gateway.openai.responses.projection import ResponseProjection
from wakeful.model import event as events
from wakeful.model.event import NewEvent, StreamItem
from wakeful.model.words import REASONING, TOKEN, Word, WordsEnd, WordsHead

RESERVED = 1000
# The number of the first frame after the two with which a response begins.
FIRST = 2
Pieces = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Spoken:
    """The words since the last fact, of which the log has the first `kept`, and the event that ended them."""

    pieces: Pieces
    step: int
    end: NewEvent
    kept: int
    void: int = 0


Story = list[NewEvent | Spoken]


def items_for(story: Story, seen: list[int] | None = None) -> list[StreamItem]:
    """Return what a reader gets that saw this many words of each part, but at least those that the log has. Without
    `seen` the reader comes after the end.
    """
    facts = log(*[part.end if isinstance(part, Spoken) else part for part in story])
    counts = iter(seen or [0] * len(story))
    items: list[StreamItem] = [*facts[:2]]
    for part, before, fact in zip(story, facts[1:], facts[2:], strict=False):
        if not isinstance(part, Spoken):
            items.append(fact)
            continue
        head = WordsHead("s", TURN, part.step, before.session_seq)
        words = [Word(head, number, *piece) for number, piece in enumerate(part.pieces, start=1)]
        ends = WordsEnd(part.step, before.session_seq, part.kept, part.void)
        items += [*words[: max(part.kept, next(counts))], replace(fact, ends=ends)]
    return items


def lost(pieces: Pieces, end: NewEvent, kept: int = 0, step: int = 1) -> Spoken:
    return Spoken(pieces, step, end, kept, RESERVED)


def said(text: str, end: NewEvent, step: int = 1) -> Spoken:
    return Spoken([(TOKEN, text)], step, end, kept=1)


def numbers(frames: list[NumberedFrame]) -> list[int]:
    return [frame.number for frame in frames]


@pytest.mark.parametrize("seen", [0, 1, 2])
def test_the_stream_goes_on_above_every_number_that_lost_words_may_have_had(seen: int) -> None:
    story: Story = [lost([(TOKEN, "He"), (TOKEN, "l")], abandoned()), said("Hello", usage()), done()]

    frames = fold(items_for(story, [seen, 0]))

    again = [frame for frame in frames if frame.number >= FIRST + RESERVED + 12]
    assert again[0].number == FIRST + RESERVED + 12
    assert data_of(again[0])["output_index"] == 3
    assert data_of(again[0])["item"]["id"] == f"msg_{REST}_1_3"
    assert last_response(frames)["output"][0]["content"][0]["text"] == "Hello"


def test_each_item_that_is_open_when_its_words_are_lost_is_closed_without_content() -> None:
    pieces = [(REASONING, "Hm"), (TOKEN, "He"), (REASONING, "So")]
    frames = fold(items_for([lost(pieces, abandoned()), said("Hello", usage()), done()], [3, 0]))

    closed = [frame for frame in frames if FIRST + RESERVED <= frame.number < FIRST + RESERVED + 12]

    assert numbers(closed) == [FIRST + RESERVED + 10, FIRST + RESERVED + 11]
    assert types_of(closed) == ["output_item.done"] * 2
    items = [data_of(frame)["item"] for frame in closed]
    assert [(item["id"], item["status"], item["content"]) for item in items] == [
        (f"msg_{REST}_1_0", "incomplete", []),
        (f"rs_{REST}_1_1", "incomplete", []),
    ]


def test_a_stop_by_another_node_keeps_in_the_output_what_the_log_has() -> None:
    pieces = [(REASONING, "Hm"), (TOKEN, "Hel"), (TOKEN, "lo"), (REASONING, "So")]
    story: Story = [lost(pieces, cancelled(), kept=2)]

    late, live = fold(items_for(story)), fold(items_for(story, [4]))

    assert live[-1] == late[-1]
    assert late[-1].number == FIRST + RESERVED + 12
    output = last_response(live)["output"]
    assert [(item["status"], item["content"][0]["text"]) for item in output] == [
        ("completed", "Hm"),
        ("incomplete", "Hel"),
    ]


def test_the_answer_before_lost_words_is_closed_as_it_always_is() -> None:
    joined = NewEvent.of(events.MESSAGE, {"message_id": "n", "source": "user", "content": "And?"})
    story: Story = [said("Hi", usage()), joined, lost([(TOKEN, "He")], abandoned(2), step=2), done()]

    late, live = fold(items_for(story)), fold(items_for(story, [0, 1]))

    assert types_of(late)[5:8] == ["output_text.done", "content_part.done", "output_item.done"]
    assert late[:8] == live[:8]
    assert late[-1] == live[-1]
    assert late[-1].number == late[7].number + 1 + RESERVED + 12


def test_words_that_an_older_version_logged_are_not_lost() -> None:
    written, ended = log(NewEvent.of(events.TOKEN, {"step": 1, "text": "Hel"}), abandoned())[2:]
    ended = replace(ended, ends=WordsEnd(1, written.session_seq, 0, RESERVED))

    frames = fold([*log(), written, ended, log(done())[-1]])

    assert types_of(frames)[4:8] == ["output_text.delta", "output_text.done", "content_part.done", "output_item.done"]
    assert numbers(frames) == [*range(8), 8 + RESERVED + 12]
    assert last_response(frames)["output"] == []


def test_a_snapshot_after_lost_words_has_the_number_of_the_last_frame() -> None:
    projection = ResponseProjection(FACTS, {})

    frames = fold(items_for([lost([(TOKEN, "He")], abandoned())], [1]), projection)

    assert projection.snapshot().number == frames[-1].number == FIRST + RESERVED + 9


@st.composite
def stories(draw: st.DrawFn, *, completes: bool = False) -> Story:
    """Steps with attempts whose words were lost or properly abandoned, and then any end."""
    last_step = draw(st.integers(1, 3))
    story: Story = []
    for step in range(1, last_step + 1):
        story += draw(st.lists(_broken(abandoned(step), step), max_size=2))
        if step < last_step:
            story += draw(_calling(step))
    if not completes and draw(st.booleans()):
        return [*story, draw(_broken(draw(st.sampled_from([failed(), cancelled()])), last_step))]
    return [*story, draw(_whole(usage(last_step), last_step)), done()]


@st.composite
def _calling(draw: st.DrawFn, step: int) -> Story:
    call_id = f"call_{step}"
    return [draw(_whole(tool(call_id, step), step)), usage(step), result(call_id, draw(TEXTS), step)]


@st.composite
def _broken(draw: st.DrawFn, end: NewEvent, step: int) -> Spoken:
    pieces = draw(_pieces())
    if draw(st.booleans()):
        return Spoken(pieces, step, end, len(pieces))
    kept = draw(st.integers(0, len(pieces)))
    return Spoken(pieces, step, end, kept, draw(st.integers(max(1, len(pieces)), 20)))


@st.composite
def _whole(draw: st.DrawFn, end: NewEvent, step: int) -> Spoken:
    pieces = draw(_pieces())
    return Spoken(pieces, step, end, len(pieces))


def _pieces() -> st.SearchStrategy[Pieces]:
    return st.lists(st.tuples(st.sampled_from([TOKEN, REASONING]), TEXTS), max_size=6)


SEEN = st.lists(st.integers(0, 6), min_size=10, max_size=10)


@randomly
@given(stories(), SEEN, SEEN)
def test_readers_agree_whatever_they_have_seen_of_lost_words(story: Story, some: list[int], others: list[int]) -> None:
    late, one, other = fold(items_for(story)), fold(items_for(story, some)), fold(items_for(story, others))

    by_number: dict[int, NumberedFrame] = {}
    for frame in [*late, *one, *other]:
        assert by_number.setdefault(frame.number, frame) == frame
    for frames in (late, one, other):
        assert numbers(frames) == sorted(set(numbers(frames)))
        # Only frames of lost words may be missing.
        assert set(numbers(late)) - set(numbers(frames)) <= _of_lost_words(late)
        assert frames[-1] == late[-1]
        assert [frame for frame in frames if frame.type in TERMINAL] == frames[-1:]
        check_types(frames)


def _of_lost_words(late: list[NumberedFrame]) -> set[int]:
    """Return the numbers of frames that close items without content. Readers that saw more words have others open."""
    return {
        frame.number
        for frame in late
        if frame.type == "response.output_item.done" and data_of(frame)["item"].get("content") == []
    }


@randomly
@given(stories(), SEEN)
def test_every_item_has_a_unique_index_and_id_and_is_closed_once(story: Story, seen: list[int]) -> None:
    frames = fold(items_for(story, seen))

    added = [data_of(frame) for frame in frames if frame.type == "response.output_item.added"]
    closed = [data_of(frame) for frame in frames if frame.type == "response.output_item.done"]

    ids = {data["output_index"]: data["item"]["id"] for data in added}
    assert len(set(ids.values())) == len(ids) == len(added)
    assert {data["output_index"]: data["item"]["id"] for data in closed} == ids
    assert len(closed) == len(added)
    assert {item["id"] for item in last_response(frames)["output"]} <= set(ids.values())


@randomly
@given(stories(completes=True), SEEN)
def test_the_stream_helper_takes_a_stream_with_lost_words(story: Story, seen: list[int]) -> None:
    frames = fold(items_for(story, seen))

    with sdk(stream_body(frames)) as client, client.responses.stream(model="wakeful", input="Hi") as stream:
        read: list[Any] = [event.sequence_number for event in stream]
        final = stream.get_final_response()

    assert read == numbers(frames)
    assert final.output_text == _text(fold(items_for(story)))


def _text(frames: list[NumberedFrame]) -> str:
    output = last_response(frames)["output"]
    return "".join(part["text"] for item in output if item["type"] == "message" for part in item["content"])


@randomly
@given(stories(), SEEN, st.data())
def test_a_reader_that_comes_back_gets_the_frames_above_its_number_once(
    story: Story, seen: list[int], data: Any
) -> None:
    live = fold(items_for(story, seen))
    left_at = data.draw(st.integers(0, len(live)))
    before = live[:left_at]
    last = before[-1].number if before else -1

    rest = [frame for frame in fold(items_for(story)) if frame.number > last]

    assert numbers([*before, *rest]) == sorted(set(numbers([*before, *rest])))
    assert [*before, *rest][-1] == live[-1]
