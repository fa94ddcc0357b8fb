"""What people have asked for in a storm, held against what they were shown."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.acceptance.messengers.messenger import Messenger, Place, Shown
from tests.acceptance.messengers.model import JOB, answer_text, heard_text
from tests.acceptance.messengers.storm import Ask
from wakeful.gateway.messaging.outbox.lines import MARK
from wakeful.model.messaging.post import Post, PostState
from wakeful.model.turn import Turn
from wakeful.store.base import Store, Transaction

_NEW = "New conversation."
_ENDED = re.compile(r"⏰ echo (job-\d+) .*\(exit code (\d+)\)")
_BEGUN = re.compile(r"• terminal: echo (job-\d+) .*")
_ANSWERED = re.compile(re.escape(answer_text(0)).replace("0", r"(\d+)"))
_HEARD = re.compile(f"{heard_text('')}(job-\\d+)")
_MOST_POSTS = 100_000
# A place, and something that has to stand there once.
Item = tuple[Place, str]
# Platform, chat and message.
PostAddress = tuple[str, str, str]


@dataclass(slots=True)
class Counts:
    messages: int = 0
    turns: int = 0
    wake_ups: int = 0
    posts: int = 0
    kills: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    # Marked: known to be there twice perhaps, and says so.
    marked: int = 0
    lost: int = 0
    doubled: int = 0
    misrouted: int = 0
    # Posts with other words than those that were asked for, posts that were not sent, jobs that did not run once.
    strange: int = 0
    complaints: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        numbers = ", ".join(f"{name}: {getattr(self, name)}" for name in self.__slots__ if name not in _NO_NUMBERS)
        faults = ", ".join(f"{kind}: {times}" for kind, times in sorted(self.faults.items()))
        return "\n".join([numbers, f"faults: {self.faults.total()} ({faults})", *self.complaints])

    def complain(self, kind: str, words: str) -> None:
        setattr(self, kind, getattr(self, kind) + 1)
        self.complaints.append(f"{kind}: {words}")


_NO_NUMBERS = ("faults", "complaints")


def wanted_items(asked: Sequence[Ask]) -> Counter[Item]:
    wanted: Counter[Item] = Counter()
    for ask in asked:
        wanted.update((ask.place, words) for words in _wanted_of(ask))
    return wanted


def missing_items(asked: Sequence[Ask], messengers: Sequence[Messenger]) -> list[str]:
    there = Counter((shown.place, item) for shown in all_shown(messengers) for item in items_of(shown))
    missing = [f"{item} at {place}" for place, item in (wanted_items(asked) - there)]
    return missing + [left for messenger in messengers for left in messenger.left_over()]


def all_shown(messengers: Sequence[Messenger]) -> list[Shown]:
    return [shown for messenger in messengers for shown in messenger.shown()]


def items_of(shown: Shown) -> Iterator[str]:
    """Yield what a post says, in words of which each stands in one post alone."""
    if shown.text.removeprefix(f"{MARK}\n") == _NEW:
        yield "new"
    yield from (f"begin of {job}" for job in _BEGUN.findall(shown.text))
    yield from (f"end of {job} with {code}" for job, code in _ENDED.findall(shown.text))
    yield from (f"answer {number}" for number in _ANSWERED.findall(shown.text))


def _wanted_of(ask: Ask) -> Iterator[str]:
    yield "new" if ask.is_new else f"answer {ask.number}"
    for job in ask.jobs:
        yield f"begin of {job.name}"
        yield f"end of {job.name} with {job.code}"


class Reckoning:
    def __init__(self, asked: Sequence[Ask], messengers: Sequence[Messenger], ledger: str) -> None:
        self._asked = asked
        self._shown = all_shown(messengers)
        self._left_over = [left for messenger in messengers for left in messenger.left_over()]
        self._ledger = ledger
        self._ask_of = {job.name: ask for ask in asked for job in ask.jobs}
        self._by_number = {str(ask.number): ask for ask in asked}
        self.counts = Counts(messages=len(asked), posts=len(self._shown))

    async def make(self, store: Store) -> Counts:
        posts, turns = await store.read(_read)
        self.counts.turns, self.counts.wake_ups = len(turns), sum(turn.is_wakeup for turn in turns.values())
        self._count_items()
        self._count_words()
        self._count_anchors(posts, turns)
        self._count_jobs()
        for left in self._left_over:
            self.counts.complain("strange", f"left over: {left}")
        for post in posts.values():
            if post.state is not PostState.SENT:
                self.counts.complain("strange", f"not sent: {post}")
        return self.counts

    def _count_items(self) -> None:
        wanted = wanted_items(self._asked)
        known = {item for _, item in wanted}
        there: defaultdict[Item, list[Shown]] = defaultdict(list)
        for shown in self._shown:
            self.counts.marked += shown.text.startswith(MARK)
            for item in items_of(shown):
                there[shown.place, item].append(shown)
        for (place, item), times in wanted.items():
            if len(there[place, item]) < times:
                self.counts.complain("lost", f"{item} at {place}")
        for (place, item), copies in there.items():
            unmarked = [shown for shown in copies if not shown.text.startswith(MARK)]
            if (place, item) not in wanted:
                self.counts.complain("misrouted" if item in known else "strange", f"{item} at {place}: {copies}")
            elif len(copies) > wanted[place, item] and len(unmarked) > wanted[place, item]:
                self.counts.complain("doubled", f"{item}: {copies}")

    def _count_words(self) -> None:
        """Nothing but what was asked for stands anywhere, and the agent has heard of each job where it was begun."""
        heard = {(shown.place, job) for shown in self._shown for job in _HEARD.findall(shown.text)}
        for name, ask in self._ask_of.items():
            if (ask.place, name) not in heard:
                self.counts.complain("strange", f"the agent has not heard of {name}")
        for shown in self._shown:
            rest = shown.text.removeprefix(f"{MARK}\n")
            for pattern in (_NEW, _BEGUN, _ENDED, _ANSWERED, _HEARD, "; "):
                rest = re.sub(pattern, "", rest)
            if rest.strip():
                self.counts.complain("strange", str(shown))

    def _count_anchors(self, posts: dict[PostAddress, Post], turns: dict[str, Turn]) -> None:
        """A post without a row is the first of two: its marked double is known instead."""
        of_turns: defaultdict[str, list[Shown]] = defaultdict(list)
        for shown in self._shown:
            post = posts.get((shown.place.platform, shown.place.chat, shown.id))
            if post is not None and post.turn_id is None:
                self._expect_anchor(shown, self._anchors_of_new(shown.place))
            elif post is not None and post.turn_id is not None:
                of_turns[post.turn_id].append(shown)
        firsts = _first_posts(posts)
        for turn_id, of_turn in of_turns.items():
            anchors = self._anchors_of_turn(of_turn, is_wakeup=turns[turn_id].is_wakeup)
            for shown in of_turn:
                is_first = (shown.place.platform, shown.place.chat, shown.id) in firsts
                self._expect_anchor(shown, anchors if is_first else {""})

    def _expect_anchor(self, shown: Shown, anchors: set[str]) -> None:
        if shown.reply_to not in anchors:
            self.counts.complain("misrouted", f"it replies to another message than {anchors}: {shown}")

    def _anchors_of_new(self, place: Place) -> set[str]:
        if place.is_private or place.platform == "slack":
            return {""}
        return {ask.message_id for ask in self._asked if ask.is_new and ask.place == place}

    def _anchors_of_turn(self, of_turn: Sequence[Shown], *, is_wakeup: bool) -> set[str]:
        """Return the message that the first post of a turn replies to."""
        place, words = of_turn[0].place, "\n".join(shown.text for shown in of_turn)
        if place.platform == "slack" or (place.is_private and not is_wakeup):
            return {""}
        if is_wakeup:
            # Of several jobs the first that has ended stands first.
            return {self._ask_of[job].message_id for job, _ in _ENDED.findall(words)[:1]}
        return {self._by_number[number].message_id for number in _ANSWERED.findall(words)}

    def _count_jobs(self) -> None:
        runs = Counter(JOB.findall(self._ledger))
        for name in self._ask_of:
            if runs[name] != 1:
                self.counts.complain("strange", f"{name} ran {runs[name]} times")


def _first_posts(posts: dict[PostAddress, Post]) -> set[PostAddress]:
    of_turns: defaultdict[str, list[PostAddress]] = defaultdict(list)
    for address, post in posts.items():
        of_turns[post.turn_id or ""].append(address)
    return {min(of_turn, key=lambda one: (posts[one].position, posts[one].part)) for of_turn in of_turns.values()}


async def _read(tx: Transaction) -> tuple[dict[PostAddress, Post], dict[str, Turn]]:
    posts = await tx.posts.page(limit=_MOST_POSTS)
    turns = [await tx.turns.get(turn_id) for turn_id in {post.turn_id for post in posts if post.turn_id}]
    by_place = {(post.address.platform, post.address.chat_id, post.message_id or post.id): post for post in posts}
    return by_place, {turn.id: turn for turn in turns if turn is not None}
