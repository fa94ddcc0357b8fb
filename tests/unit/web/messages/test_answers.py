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
