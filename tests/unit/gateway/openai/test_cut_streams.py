"""Streams that are cut and resumed, through the routes and a real store, while the log is still written."""

import asyncio
from dataclasses import replace
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.gateway.openai.kit import TERMINAL, with_words
from tests.unit.gateway.openai.logs import randomly, spoken, turn_logs
from tests.unit.gateway.openai.runs.test_projection import ENDS, question
from tests.unit.gateway.openai.served import Log, ServedApi
from wakeful.model.event import Event
from wakeful.model.event import spoken as piece_of
from wakeful.model.words import Said, Word

DONE = b"data: [DONE]"
# Each example goes through a whole server; the tests of the projections have more of them.
seldom = settings(randomly, max_examples=25)


async def cut_and_resumed(
    served_api: ServedApi, kind: str, parts: list[list[Event]], cuts: list[int]
) -> list[list[bytes]]:
    """Return what one reader sees that stays to the end, and what several readers see together: each leaves after some
    frames, and the next resumes from the last number. All parts but the first are written while they read.
    """
    log = await Log.begin(served_api, kind)
    await log.write(parts[0])
    whole = asyncio.create_task(log.reader(-1).read())
    writing = asyncio.create_task(_write(log, parts[1:]))
    seen: list[bytes] = []
    for cut in [*cuts, 1_000_000]:
        seen += (await log.reader(len(seen) - 1, leaves_after=cut).read())[:cut]
        if seen[-1:] == [DONE] or (kind == "run" and _type_of(seen[-1]) in ENDS):
            break
    await writing
    return [await whole, seen]


async def _write(log: Log, parts: list[list[Event]]) -> None:
    for part in parts:
        await asyncio.sleep(0)
        await log.write(part)


def _type_of(frame: bytes) -> str:
    return next(line for line in frame.split(b"\n") if line.startswith(b"event: ")).removeprefix(b"event: ").decode()


def _data_of(frame: bytes) -> dict[str, Any]:
    data: dict[str, Any] = orjson.loads(frame.partition(b"data: ")[2])
    return data


@st.composite
def parted(draw: st.DrawFn, logs: st.SearchStrategy[list[Event]]) -> list[list[Event]]:
    """A log, in the parts in which it is committed."""
    log = draw(logs)
    splits = sorted(draw(st.sets(st.integers(1, len(log) - 1), max_size=6)))
    return [log[first:last] for first, last in zip([0, *splits], [*splits, len(log)], strict=True)]


def kept(turn_log: list[Event]) -> list[Event]:
    """Return the log in its present form, in which the event that ends words keeps them."""
    facts: list[Event] = []
    words: list[Word] = []
    for item in with_words(event for event in turn_log if (piece := piece_of(event)) is None or piece[2]):
        if isinstance(item, Word):
            words.append(item)
            continue
        facts.append(item if item.ends is None else replace(item, ends=replace(item.ends, said=Said.of(words))))
        words = []
    return facts


@st.composite
def with_questions(draw: st.DrawFn) -> list[Event]:
    log = draw(turn_logs() | turn_logs().map(kept))
    for number in range(draw(st.integers(0, 3))):
        log.insert(draw(st.integers(1, len(log) - 1)), question(f"asked_{number}"))
    return log


CUTS = st.lists(st.integers(1, 12), max_size=5)


@seldom
@given(parts=parted(turn_logs() | turn_logs().map(kept)), cuts=CUTS)
def test_a_response_that_is_cut_anywhere_is_whole_in_the_end(
    served_api: ServedApi, parts: list[list[Event]], cuts: list[int]
) -> None:
    whole, seen = served_api.runner.run(cut_and_resumed(served_api, "response", parts, cuts))

    assert seen == whole
    assert whole[-1] == DONE
    data = [_data_of(frame) for frame in whole[:-1]]
    assert [one["sequence_number"] for one in data] == list(range(len(data)))
    assert [one["type"] for one in data if one["type"] in TERMINAL] == [data[-1]["type"]]
    output = data[-1]["response"]["output"]
    texts = [part["text"] for item in output if item["type"] == "message" for part in item["content"]]
    assert "".join(texts) == spoken([event for part in parts for event in part])


@seldom
@given(parts=parted(with_questions()), cuts=CUTS)
def test_a_run_that_is_cut_anywhere_is_whole_in_the_end(
    served_api: ServedApi, parts: list[list[Event]], cuts: list[int]
) -> None:
    whole, seen = served_api.runner.run(cut_and_resumed(served_api, "run", parts, cuts))

    assert seen == whole
    assert [_data_of(frame)["sequence_number"] for frame in whole] == list(range(len(whole)))
    assert [_type_of(frame) for frame in whole if _type_of(frame) in ENDS] == [_type_of(whole[-1])]
