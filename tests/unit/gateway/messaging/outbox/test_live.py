"""A turn on its platform while it runs: typing, the words as they grow, and what becomes of them at each fact."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pytest

from tests.patience import PATIENCE, idle
from tests.store.nouns import a_turn, close_turn, have_session
from tests.unit.gateway.messaging.kit import ScriptedPlatform
from wakeful.gateway.messaging.outbox.live import LiveTurn, _Step
from wakeful.gateway.messaging.platform import NotTaken
from wakeful.gateway.messaging.settings import DoorSettings
from wakeful.model import event as events
from wakeful.model.event import Event, StreamItem
from wakeful.model.journal.entry import EntryKind, answer_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.opening import Opening
from wakeful.model.session import Address
from wakeful.model.words import Word, WordsEnd, WordsHead
from wakeful.store.base import Store

SETTINGS = DoorSettings(edit_seconds=0.002)
CHAT = Address("telegram", "1")
LONG = "A sentence that is long enough to be shown at once."


@dataclass
class TypingPlatform(ScriptedPlatform):
    typing_seconds: float = 0.001
    # Whether it was said to be over.
    typing: list[bool] = field(default_factory=list)
    refuses_end: bool = False
    # How many of the next requests to show it are refused.
    refusals: int = 0

    async def show_typing(self, address: Address, *, is_over: bool = False) -> None:
        assert address == CHAT
        self.typing.append(is_over)
        self.changed.set()
        if not is_over and self.refusals:
            self.refusals -= 1
            raise NotTaken("Slow down.")
        if is_over and self.refuses_end:
            raise NotTaken("Slow down.")


class Followed:
    """An engine whose turn says what a test puts here."""

    def __init__(self) -> None:
        self.pages: asyncio.Queue[list[StreamItem] | None] = asyncio.Queue()

    async def subscribe_turn(self, session_id: str, turn_id: str) -> AsyncIterator[list[StreamItem]]:
        while (page := await self.pages.get()) is not None:
            yield page


@dataclass
class Shown:
    """What a turn that is shown has asked for."""

    engine: Followed = field(default_factory=Followed)
    projected: list[str] = field(default_factory=list)
    grown: list[tuple[str, str]] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    wakes: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def job(self) -> "Shown":
        return self

    def wake(self) -> None:
        self.wakes += 1
        self.changed.set()

    def grow(self, key: str, text: str) -> None:
        self.grown.append((key, text))
        self.changed.set()

    def stop_growing(self, keys: Sequence[str]) -> None:
        self.stopped += keys
        self.changed.set()

    async def project(self, session_id: str) -> None:
        self.projected.append(session_id)
        self.changed.set()

    def say(self, *items: StreamItem) -> None:
        self.engine.pages.put_nowait(list(items))

    async def until(self, condition: Any) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self.changed.clear()
                await self.changed.wait()


@asynccontextmanager
async def showing(
    store: Store,
    platform: ScriptedPlatform,
    settings: DoorSettings = SETTINGS,
    lock: asyncio.Lock | None = None,
    shown: Shown | None = None,
    is_kept: bool = True,
    **changes: Any,
) -> AsyncIterator[Shown]:
    """Show a turn until the block ends."""
    session = await have_session(store, "s1", address=CHAT, chat_key="telegram:private:1")
    turn = a_turn("t1", **{"address": CHAT} | changes)
    if is_kept:
        await store.write(lambda tx: tx.open(Opening(turn)), lock=["s1"])
    shown = shown or Shown()
    live = LiveTurn(
        shown.engine,  # type: ignore[arg-type]
        store,
        platform,
        shown,  # type: ignore[arg-type]
        settings,
        session,
        turn,
        shown.project,
        lock or asyncio.Lock(),
    )
    running = asyncio.create_task(live.run())
    yield shown
    shown.engine.pages.put_nowait(None)
    async with asyncio.timeout(PATIENCE):
        await running


def word(text: str, number: int = 1, step: int = 1, kind: str = events.TOKEN) -> Word:
    return Word(WordsHead("s1", "t1", step, 0), number, kind, text)


def fact(kind: str, step: int | None = 1) -> Event:
    return Event("s1", 5, "t1", 5, kind, b"{}", 0.0, None if step is None else WordsEnd(step, 0, 1))


async def texts(store: Store) -> list[str]:
    return [post.wanted for post in await store.read(lambda tx: tx.posts.page(limit=10))]


@pytest.mark.parametrize(
    ("letters", "now", "is_due"), [(39, 10.9, False), (40, 10.0, True), (1, 11.0, True), (1, 10.9, False)]
)
def test_an_answer_is_first_shown_with_forty_letters_or_after_a_second(letters: int, now: float, is_due: bool) -> None:
    assert _Step(1, 10.0, "a" * letters).is_due(now) is is_due


@pytest.mark.parametrize("refuses_end", [False, True])
async def test_typing_is_shown_again_and_again_and_ends_with_the_turn(store: Store, refuses_end: bool) -> None:
    platform = TypingPlatform(refuses_end=refuses_end)
    async with showing(store, platform):
        await platform.until(lambda: len(platform.typing) >= 3)

    assert platform.typing.count(True) == 1
    assert platform.typing[-1] is True


async def test_words_are_a_post_that_grows_until_their_fact(store: Store) -> None:
    async with showing(store, TypingPlatform()) as shown:
        shown.say(word(LONG))
        await shown.until(lambda: shown.wakes == 1)
        assert await texts(store) == [LONG]
        shown.say(word(" More.", 2))
        await shown.until(lambda: shown.grown == [("t1:1:0", f"{LONG} More.")])
        shown.say(fact(events.USAGE))
        await shown.until(lambda: shown.stopped == ["t1:1:0"])

    assert shown.projected == ["s1"]
    assert await texts(store) == [LONG], "what is recorded is written by its fact"


class CountingLock(asyncio.Lock):
    """Counts how often it was wanted, and says so."""

    def __init__(self, changed: asyncio.Event) -> None:
        super().__init__()
        self.wanted = 0
        self._changed = changed

    async def acquire(self) -> Literal[True]:
        self.wanted += 1
        self._changed.set()
        return await super().acquire()


async def test_words_are_not_written_while_the_facts_of_the_session_are(store: Store) -> None:
    shown = Shown()
    lock = CountingLock(shown.changed)
    async with showing(store, TypingPlatform(), lock=lock, shown=shown):
        async with lock:
            shown.say(word(LONG))
            await shown.until(lambda: lock.wanted == 2 or shown.wakes)
            assert (shown.wakes, await texts(store)) == (0, [])
        await shown.until(lambda: shown.wakes == 1)

    assert await texts(store) == [LONG]


async def test_the_first_words_do_not_wait_for_the_pause_between_two_edits(store: Store) -> None:
    async with showing(store, TypingPlatform(), replace(SETTINGS, edit_seconds=1000.0)) as shown:
        shown.say(word(LONG))
        await shown.until(lambda: shown.wakes == 1)


async def test_words_that_grow_into_another_message_are_written(store: Store) -> None:
    async with showing(store, TypingPlatform()) as shown:
        shown.say(word(LONG))
        await shown.until(lambda: shown.wakes == 1)
        shown.say(word("a" * 5000, 2))
        await shown.until(lambda: shown.wakes == 2)
        shown.say(word("b", 3))
        await shown.until(lambda: shown.grown != [])
        assert shown.grown[0][0] == "t1:1:2", "only the last part grows"
        assert shown.grown[0][1].endswith("ab")
        shown.say(fact(events.USAGE))
        await shown.until(lambda: shown.stopped == ["t1:1:0", "t1:1:1", "t1:1:2"])


async def test_each_step_has_words_of_its_own(store: Store) -> None:
    async with showing(store, TypingPlatform()) as shown:
        for step in (1, 2):
            shown.say(word(f"{LONG} ({step})", step=step))
            await shown.until(lambda step=step: shown.wakes == step)

    assert sorted(await texts(store)) == [f"{LONG} (1)", f"{LONG} (2)"]


async def test_words_that_are_taken_back_wait_for_those_that_replace_them(store: Store) -> None:
    async with showing(store, TypingPlatform()) as shown:
        shown.say(word(LONG))
        await shown.until(lambda: shown.wakes == 1)
        shown.say(fact(events.STEP_ABANDONED), word(f"Other words. {LONG}"))
        await shown.until(lambda: shown.wakes == 2)

    assert (shown.projected, shown.stopped) == ([], [])
    assert await texts(store) == [f"Other words. {LONG}"], "in the same post"


@pytest.mark.parametrize(
    ("settings", "changes", "said"),
    [
        (replace(SETTINGS, streams=False), {}, word(LONG)),
        (SETTINGS, {"is_wakeup": True, "source": "process_wakeup"}, word(LONG)),
        (SETTINGS, {}, word(LONG, kind=events.REASONING)),
        (SETTINGS, {}, word(" " * 50)),
    ],
)
async def test_what_people_are_not_to_see_is_not_shown(
    store: Store, settings: DoorSettings, changes: dict[str, Any], said: Word
) -> None:
    async with showing(store, TypingPlatform(), settings, **changes) as shown:
        shown.say(said)
        shown.say(fact(events.USAGE), fact(events.TOOL, step=None))
        shown.say(fact(events.DONE, step=None))
        await shown.until(lambda: len(shown.projected) == 2)

    assert (shown.wakes, await texts(store)) == (0, [])


async def test_words_of_a_turn_that_has_ended_are_left_to_its_facts(store: Store) -> None:
    async with showing(store, TypingPlatform()) as shown:
        await close_turn(store, "t1")
        shown.say(word(LONG))
        await shown.until(lambda: shown.wakes == 1)

    assert await texts(store) == []


async def test_a_few_first_words_are_shown_when_they_have_waited(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wakeful.gateway.messaging.outbox.live._FIRST_SECONDS", 0.05)
    async with showing(store, TypingPlatform()) as shown:
        shown.say(word("Hi"))
        await shown.until(lambda: shown.wakes == 1)

    assert await texts(store) == ["Hi"]


async def test_a_few_first_words_wait_for_more_of_them(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wakeful.gateway.messaging.outbox.live._FIRST_SECONDS", 1000.0)
    steps: list[str] = []

    async def show(live: LiveTurn, step: _Step) -> None:
        steps.append(step.text)

    monkeypatch.setattr(LiveTurn, "_show_step", show)
    async with showing(store, TypingPlatform()) as shown:
        for text in ("Hi ", LONG):
            shown.say(word(text))
            await idle()

    assert steps == [f"Hi {LONG}"]


async def test_typing_that_is_refused_is_tried_again(store: Store) -> None:
    platform = TypingPlatform(refusals=2)
    async with showing(store, platform):
        await platform.until(lambda: len(platform.typing) >= 4)


async def test_typing_has_ended_when_its_end_is_shown(store: Store) -> None:
    history: list[str] = []

    class SlowPlatform(TypingPlatform):
        async def show_typing(self, address: Address, *, is_over: bool = False) -> None:
            history.append("over" if is_over else "begun")
            self.changed.set()
            if not is_over:
                try:
                    await asyncio.Event().wait()
                finally:
                    history.append("ended")

    platform = SlowPlatform()
    async with showing(store, platform):
        await platform.until(lambda: history == ["begun"])

    assert history == ["begun", "ended", "over"]


async def test_a_step_that_ends_before_it_is_shown_does_not_keep_the_next_from_it(store: Store) -> None:
    async with showing(store, TypingPlatform()) as shown:
        shown.say(word(LONG), fact(events.USAGE))
        await shown.until(lambda: shown.projected == ["s1"])
        shown.say(word(f"{LONG} (2)", step=2))
        await shown.until(lambda: shown.wakes == 1)

    assert await texts(store) == [f"{LONG} (2)"]


async def test_posts_of_a_step_that_ends_while_they_are_written_are_left_to_its_fact(store: Store) -> None:
    shown = Shown()
    lock = CountingLock(shown.changed)
    async with showing(store, TypingPlatform(), lock=lock, shown=shown):
        async with lock:
            shown.say(word(LONG))
            await shown.until(lambda: lock.wanted == 2)
            shown.say(fact(events.USAGE))
            await shown.until(lambda: shown.projected == ["s1"])
        shown.say(word(LONG, step=2))
        await shown.until(lambda: lock.wanted == 3 and shown.wakes)
        shown.say(word(" More.", 2, step=2))
        await shown.until(lambda: shown.grown)

    assert shown.wakes == 1


async def test_words_of_a_step_that_ends_while_they_are_cut_into_messages_do_not_grow(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cutting, cut = asyncio.Event(), asyncio.Event()

    async def parts(live: LiveTurn, text: str) -> list[str]:
        cutting.set()
        await cut.wait()
        return [text]

    monkeypatch.setattr(LiveTurn, "_parts", parts)
    async with asyncio.timeout(PATIENCE), showing(store, TypingPlatform()) as shown:
        shown.say(word(LONG))
        await shown.until(lambda: shown.wakes == 1)
        shown.say(word(" More.", 2))
        await cutting.wait()
        shown.say(fact(events.USAGE))
        await shown.until(lambda: shown.stopped)
        cut.set()
        shown.say(word(LONG, step=2))
        await shown.until(lambda: shown.wakes == 2)

    assert shown.grown == [], "nothing would end it"


@pytest.mark.parametrize("is_cut", [False, True])
async def test_words_of_a_step_that_is_recorded_by_now_are_left_to_its_fact(store: Store, is_cut: bool) -> None:
    recorded = answer_entry("t1", Answered(1, AssistantMessage(f"{LONG} More."), Usage(1, 1)))
    if is_cut:
        recorded = replace(recorded, kind=EntryKind.CUT)
    async with showing(store, TypingPlatform()) as shown:
        await store.write(lambda tx: tx.journal.add([recorded]), lock=["s1"])
        shown.say(word(LONG))
        await shown.until(lambda: shown.wakes == 1)

    assert await texts(store) == []


async def test_words_of_a_turn_that_is_gone_are_not_written(store: Store) -> None:
    async with showing(store, TypingPlatform(), is_kept=False) as shown:
        shown.say(word(LONG))
        await shown.until(lambda: shown.wakes == 1)

    assert await texts(store) == []


async def test_words_that_come_fast_are_shown_no_more_often_than_the_platform_is_to_be_asked(store: Store) -> None:
    platform = TypingPlatform()
    async with showing(store, platform, replace(SETTINGS, edit_seconds=1000.0)) as shown:
        shown.say(word(LONG))
        await shown.until(lambda: shown.wakes == 1)
        shown.say(word(" More.", 2))
        seen = len(platform.typing)
        await platform.until(lambda: len(platform.typing) >= seen + 5)

    assert shown.grown == []
