"""Words on other nodes than the one that runs their turn: shown soon, kept as far as they were shared, never twice."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing

from tests.engine.kit import FakeClock, House, Node, events_of, kinds_of, open_session, send, texts_of, until
from tests.patience import PATIENCE
from tests.store.admin import Admin
from wakeful.engine.words.hearer import WordsHearer
from wakeful.engine.words.sharer import WordsSharer
from wakeful.engine.words.words import LiveWords
from wakeful.errors import StoreUnavailable
from wakeful.model.event import StreamItem
from wakeful.model.words import Position, Said, WordsHead, WordsPart
from wakeful.store.base import SharedWords, Signal, Store
from wakeful.store.sqlite.notifier import LocalNotifier

Couple = tuple[House, Node, Node]


async def test_words_are_shown_on_another_node_before_their_answer_is_recorded(couple: Couple) -> None:
    house, first, second = couple
    session, turn_id = await talking(house, first)
    async with asyncio.timeout(PATIENCE), aclosing(second.engine.subscribe(session, Position())) as pages:
        seen: list[StreamItem] = []
        async for page in pages:
            seen += page
            if not page:
                first.agent.order(turn_id, "token")
                await shared(house, first, session, 3)
            if texts_of(seen) == ["n0 "] * 3:
                break
        first.agent.order(turn_id, "finish")
        async for page in pages:
            seen += page
            if "done" in kinds_of(seen):
                break
        # Words that have ended are not shown again in the next turn.
        more = await send(first, session, "more")
        async for page in pages:
            seen += page
            if kinds_of(seen).count("message") == 2:
                break
        first.agent.order(more.turn_id, "token")
        await shared(house, first, session, 1)
        seen += await anext(pages)
    after = kinds_of(seen)[kinds_of(seen).index("token") :]
    assert after == ["token", "token", "token", "usage", "done", "turn_started", "message", "token"]


async def test_what_is_polled_at_another_node_has_the_words(couple: Couple) -> None:
    house, first, second = couple
    session, turn_id = await talking(house, first)
    await shared(house, first, session, 2)

    live = await second.engine.live_words(session)
    items = await second.engine.stream_so_far(session, turn_id)

    assert live is not None
    assert live[1].text == "n0 n0 "
    assert texts_of(items) == ["n0 ", "n0 "]


async def test_a_stop_from_another_node_keeps_what_was_shared(couple: Couple) -> None:
    house, first, second = couple
    session, turn_id = await talking(house, first)
    await shared(house, first, session, 2)

    await second.engine.cancel(session)

    (*_, end) = await events_of(second, session, turn_id)
    assert end.ends is not None
    assert (end.ends.count, end.ends.void) == (2, 1000)
    items = await second.engine.stream_so_far(session, turn_id)
    assert texts_of(items) == ["n0 ", "n0 "]
    assert kinds_of(items)[-1] == "cancelled"


async def test_a_take_over_takes_back_what_was_shared_and_says_that_more_may_have_been_shown(couple: Couple) -> None:
    house, first, second = couple
    session, turn_id = await talking(house, first)
    await shared(house, first, session, 2)

    await house.kill(first)
    for _ in range(4):
        await house.advance(house.settings.lease_seconds / 3)
        await house.settle()
    await until(lambda: runs(second, turn_id))
    second.agent.order(turn_id, "finish")

    events = await events_of(second, session, turn_id)
    (abandoned,) = [event for event in events if event.kind == "step_abandoned"]
    assert abandoned.ends is not None
    assert abandoned.ends.said == Said("n0 n0 ", "", (3, 3))
    assert (abandoned.ends.count, abandoned.ends.void) == (2, 1000)


async def test_words_that_have_ended_are_removed(couple: Couple, postgres_url: str) -> None:
    house, first, _ = couple
    session, turn_id = await talking(house, first)
    await shared(house, first, session, 2)
    first.agent.order(turn_id, "finish")
    await events_of(first, session, turn_id)

    await pass_time(house)

    assert await rows_in_table(postgres_url) == 0


async def test_what_a_dead_node_has_left_is_not_shown_and_is_swept(couple: Couple, postgres_url: str) -> None:
    house, first, second = couple
    session, _ = await talking(house, first)
    await shared(house, first, session, 2)
    await second.engine.cancel(session)
    await house.kill(first)
    assert await rows_in_table(postgres_url) > 0
    assert await second.engine.live_words(session) is None

    assert second.store.words is not None
    await second.store.words.sweep()

    assert await rows_in_table(postgres_url) == 0


async def test_a_node_that_is_alone_writes_no_words(couple: Couple, postgres_url: str) -> None:
    house, first, second = couple
    await second.engine.stop()
    await talking(house, first)

    await pass_time(house)

    assert await rows_in_table(postgres_url) == 0


class UnsteadyWords:
    """A table of shared words that fails on demand and remembers what was written."""

    def __init__(self) -> None:
        self.fails = False
        self.sweeps = 0
        self.parts: list[WordsPart] = []

    async def has_readers(self, node: str) -> bool:
        return True

    async def write(self, parts: Sequence[WordsPart], ended: Sequence[WordsHead]) -> None:
        if self.fails:
            raise StoreUnavailable
        self.parts += parts

    async def read(self, known: Mapping[str, tuple[int, int]]) -> list[WordsPart]:
        return self.parts

    async def sweep(self) -> None:
        if self.fails:
            raise StoreUnavailable
        self.sweeps += 1


class WordsOnly:
    """As much of a store as words need."""

    def __init__(self) -> None:
        self.words = UnsteadyWords()
        self.notifier = LocalNotifier()


HEAD = WordsHead("s", "t", 1, 2)


async def test_after_an_error_all_that_is_still_being_said_is_written_anew() -> None:
    store, clock = WordsOnly(), FakeClock()
    live = LiveWords(clock)
    live.show_until(float("inf"))
    sharer = WordsSharer(as_store(store), live, "node", clock)
    words = live.begin(HEAD, 2)
    for text in ("one ", "two "):
        live.add(words, "token", text)
        await sharer.sweep()
    store.words.fails = True
    live.add(words, "token", "three ")
    await sharer.job.look()
    store.words.fails = False
    await sharer.job.look()
    assert [(part.first, part.said.text) for part in store.words.parts] == [
        (1, "one "),
        (2, "two "),
        (1, "one two three "),
    ]


async def test_what_dead_nodes_left_is_swept_once_a_minute_and_soon_after_an_error() -> None:
    store, clock = WordsOnly(), FakeClock()
    sharer = WordsSharer(as_store(store), LiveWords(clock), "node", clock)
    store.words.fails = True
    await sharer.job.look()
    store.words.fails = False
    for seconds, sweeps in ((0.0, 1), (59.9, 1), (0.1, 2)):
        clock.advance(seconds)
        await sharer.job.look()
        assert store.words.sweeps == sweeps


async def test_a_node_without_its_lease_shares_nothing_and_all_of_it_later() -> None:
    store, clock = WordsOnly(), FakeClock()
    live = LiveWords(clock)
    sharer = WordsSharer(as_store(store), live, "node", clock)
    live.add(live.begin(HEAD, 2), "token", "one ")
    await sharer.sweep()
    assert store.words.parts == []

    heard: list[str] = []
    live.listen(heard.append)
    live.show_until(float("inf"))
    await sharer.sweep()
    assert [part.said.text for part in store.words.parts] == ["one "]
    assert heard == ["s"]


async def test_words_whose_notification_was_lost_are_read_in_the_next_sweep() -> None:
    store = WordsOnly()
    hearer = a_hearer(store)
    hearer.want("s")
    await hearer.sweep()
    store.words.parts = [part(1, "a")]
    await hearer.sweep()
    words = hearer.of("s")
    assert words is not None
    assert words.said().text == "a"


async def test_nothing_is_heard_across_a_hole_and_nothing_twice() -> None:
    store = WordsOnly()
    hearer = a_hearer(store)
    hearer.want("s")
    store.words.parts = [part(1, "a", "b"), part(2, "b", "c"), part(5, "e")]
    await hearer.refresh(["s"])
    words = hearer.of("s")
    assert words is not None
    assert words.said().text == "abc"
    store.words.parts = [part(4, "d"), part(5, "e")]
    await hearer.refresh(["s"])
    assert words.said().text == "abcde"


async def test_nothing_is_kept_across_a_hole_and_nothing_twice(couple: Couple) -> None:
    house, first, _ = couple
    assert first.store.words is not None
    await first.store.words.write([part(1, "a", "b"), part(2, "b", "c"), part(5, "e")], [])

    found = await house.store.read(lambda tx: tx.turns.said_elsewhere(HEAD.turn_id, HEAD.base))

    assert found == (1, Said("abc", "", (1, 1, 1)))


async def test_words_after_a_later_event_replace_older_ones() -> None:
    store = WordsOnly()
    hearer = a_hearer(store)
    hearer.want("s")
    later = WordsPart(WordsHead("s", "t", 2, 9), 7, 1, Said("new", "", (3,)))
    store.words.parts = [part(1, "old"), later, part(2, "older")]
    await hearer.refresh(["s"])
    words = hearer.of("s")
    assert words is not None
    assert (words.head, words.said().text) == (later.head, "new")


async def test_words_are_read_anew_after_a_fact_of_their_session() -> None:
    store = WordsOnly()
    hearer = a_hearer(store)
    hearer.want("s")
    store.words.parts = [part(1, "a")]
    await hearer.sweep()
    assert hearer.of("s") is not None

    for signal in (Signal(frozenset({"s"})), Signal(frozenset(), is_everything=True)):
        store.words.parts = []
        store.notifier.publish(signal)
        assert hearer.of("s") is None
        store.words.parts = [part(1, "a", "b")]
        await hearer.sweep()
        words = hearer.of("s")
        assert words is not None
        assert words.said().text == "ab"


def part(first: int, *texts: str) -> WordsPart:
    return WordsPart(HEAD, 2, first, Said("".join(texts), "", tuple(map(len, texts))))


def a_hearer(store: WordsOnly) -> WordsHearer:
    clock = FakeClock()
    return WordsHearer(as_store(store), LiveWords(clock), clock)


def as_store(words: WordsOnly) -> Store:
    return words  # type: ignore[return-value]


async def talking(house: House, node: Node) -> tuple[str, str]:
    """A turn that has said two words."""
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, "token", "token")
    await house.settle()
    return session, receipt.turn_id


async def pass_time(house: House) -> None:
    """Advance long enough for words to be written, and not long enough for a lease to expire."""
    for _ in range(3):
        await house.advance(0.5)
        await house.settle()


async def shared(house: House, node: Node, session_id: str, count: int) -> None:
    """Wait until this many words are in the table."""

    async def are_there() -> bool:
        await house.advance(0.1)
        await house.settle()
        parts = await rows_of(node.store.words, session_id)
        return sum(len(part.said.cuts) for part in parts) == count

    await until(are_there)


async def rows_in_table(url: str) -> int:
    """Count the words in the table, those that have ended included."""
    async with Admin(url) as admin:
        count: int = await admin.fetchval("SELECT count(*) FROM words")
        return count


async def rows_of(words: SharedWords | None, session_id: str) -> list[WordsPart]:
    assert words is not None
    return await words.read({session_id: (0, 0)})


async def runs(node: Node, turn_id: str) -> bool:
    return turn_id in node.agent.briefs
