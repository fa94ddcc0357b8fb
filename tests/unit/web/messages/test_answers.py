"""Every reader gets the HTML of recorded answers, even if the cache evicts it meanwhile."""

import asyncio
import threading
from typing import Any

import pytest

from wakeful.web.messages import answers
from wakeful.web.messages.answers import Answers


def _said(number: str, text: str) -> dict[str, Any]:
    return {"id": number, "role": "assistant", "content": text, "html": None}


async def test_an_answer_that_is_evicted_while_others_are_rendered_still_has_its_html(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answers, "_MOST_KEPT", 20)
    kept = Answers()
    await kept.fill([_said("1", "the first")])

    # One reader wants the kept answer and a new one; meanwhile another reader's answer evicts the kept one.
    is_free, render = threading.Event(), answers._render

    def held(texts: dict[str, str]) -> dict[str, str]:
        assert "2" not in texts or is_free.wait(10)
        return render(texts)

    monkeypatch.setattr(answers, "_render", held)
    page = [_said("1", "the first"), _said("2", "the second")]
    reading = asyncio.create_task(kept.fill(page))
    await asyncio.sleep(0)
    await kept.fill([_said("3", "the third")])
    is_free.set()
    await reading

    assert [message["html"] for message in page] == ["<p>the first</p>\n", "<p>the second</p>\n"]


async def test_an_answer_is_rendered_once_as_long_as_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Answers()
    await kept.fill([_said("1", "said")])
    monkeypatch.setattr(answers, "_render", lambda texts: pytest.fail(f"{texts} again"))

    again = _said("1", "said")
    await kept.fill([again])

    assert again["html"] == "<p>said</p>\n"


async def test_the_answers_that_were_used_last_are_kept_within_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_MOST_KEPT", 2 * len("<p>1</p>\n"))
    made, render = list[str](), answers._render

    def watched(texts: dict[str, str]) -> dict[str, str]:
        made.extend(texts)
        return render(texts)

    monkeypatch.setattr(answers, "_render", watched)
    kept = Answers()

    for number in ("1", "2", "1", "2", "1", "3", "1", "2"):
        await kept.fill([_said(number, number)])
    assert made == ["1", "2", "3", "2"], "the third takes the place of the second"

    for _ in range(2):
        await kept.fill([_said("4", "longer than all that may be kept")])
    assert made == ["1", "2", "3", "2", "4"]
    await kept.fill([_said("1", "1"), _said("2", "2")])
    assert made[5:] == ["1", "2"], "and it leaves room again"
    await kept.fill([_said("2", "2"), _said("1", "1")])
    assert len(made) == 7


async def test_only_answers_become_html() -> None:
    message = _said("1", "said") | {"role": "user"}

    await Answers().fill([message])

    assert message["html"] is None
