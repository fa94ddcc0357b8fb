"""Answers as HTML while they are written: how long a reader waits for the next patch."""

from types import SimpleNamespace

import orjson
import pytest

from wakeful.model.words import TOKEN, Word, WordsHead
from wakeful.web.streams import live_html
from wakeful.web.streams.live_html import LiveHtml


class Clock:
    """Time passes only while it is looked at."""

    def __init__(self, a_look: float) -> None:
        self.now = 100.0
        self._a_look = a_look

    def monotonic(self) -> float:
        self.now += self._a_look
        return self.now


def words(*texts: str) -> list[Word]:
    head = WordsHead("ses_1", "turn_1", 1, 1)
    return [Word(head, number, TOKEN, text) for number, text in enumerate(texts, start=1)]


@pytest.mark.parametrize(
    ("a_look", "pause"),
    [
        pytest.param(0.0, 0.03, id="quick work"),
        pytest.param(0.01, 0.1, id="work"),
        pytest.param(5.0, 1.0, id="long work"),
    ],
)
async def test_the_next_patch_waits_in_proportion_to_the_work_and_never_long(
    monkeypatch: pytest.MonkeyPatch, a_look: float, pause: float
) -> None:
    clock = Clock(a_look)
    monkeypatch.setattr(live_html, "time", SimpleNamespace(monotonic=clock.monotonic))
    live = LiveHtml("ses_1")
    await live.now()
    assert len(await live.words(words("one"))) == 1
    made_at = clock.now

    clock.now = made_at + pause - 2 * a_look - 0.001
    assert await live.words(words("two")) == []
    assert live.patience() is not None
    clock.now = made_at + pause
    (patch,) = await live.words(words(" three"))

    data = orjson.loads(patch.partition(b"data: ")[2])
    assert "onetwo three" in "".join(data["blocks"])
    assert live.patience() is None
