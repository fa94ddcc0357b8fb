"""As much of a store as words need."""

from collections.abc import Mapping, Sequence

from tests.engine.kit import FakeClock
from wakeful.engine.words.words import LiveWords
from wakeful.errors import StoreUnavailable
from wakeful.model.words import Said, WordsHead, WordsPart
from wakeful.store.base import Store
from wakeful.store.sqlite.notifier import LocalNotifier

HEAD = WordsHead("s", "t", 1, 4)


class SharedTable:
    """The table of shared words: what it has, what was asked of it and written to it."""

    def __init__(self) -> None:
        self.has = True
        self.fails = False
        self.parts: list[WordsPart] = []
        self.asked: list[dict[str, tuple[int, int]]] = []
        self.looks: list[str] = []
        self.sweeps = 0
        # The first numbers and texts of the parts, and the sessions whose words have ended, of each write.
        self.writes: list[tuple[list[tuple[int, str]], list[str]]] = []
        # Of all parts that were written: what they are parts of.
        self.heads: list[tuple[WordsHead, int]] = []

    async def has_readers(self, node: str) -> bool:
        self.looks.append(node)
        return self.has

    async def write(self, parts: Sequence[WordsPart], ended: Sequence[WordsHead]) -> None:
        if self.fails:
            raise StoreUnavailable
        self.heads += [(part.head, part.turn_base) for part in parts]
        self.writes.append(([(part.first, part.said.text) for part in parts], [head.session_id for head in ended]))

    async def read(self, known: Mapping[str, tuple[int, int]]) -> list[WordsPart]:
        self.asked.append(dict(known))
        return self.parts

    async def sweep(self) -> None:
        self.sweeps += 1


class WordsStore:
    def __init__(self, words: SharedTable | None) -> None:
        self.words = words
        self.notifier = LocalNotifier()


def a_store(table: SharedTable | None) -> Store:
    return WordsStore(table)  # type: ignore[return-value]


def shown_words(clock: FakeClock) -> LiveWords:
    live = LiveWords(clock)
    live.show_until(float("inf"))
    return live


def a_part(first: int, *texts: str, head: WordsHead = HEAD) -> WordsPart:
    return WordsPart(head, 2, first, Said("".join(texts), "", tuple(map(len, texts))))
