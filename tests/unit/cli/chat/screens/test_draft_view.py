"""The lines above the prompt while the agent works."""

from time import monotonic

import pytest

from wakeful.cli.chat.screens.draft_view import draft_lines
from wakeful.cli.chat.screens.painter import Painter
from wakeful.cli.chat.screens.screen import AnswerDraft
from wakeful.cli.chat.standing import Standing


@pytest.fixture(autouse=True)
def without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")


def lines(
    draft: AnswerDraft, standing: Standing | None = None, height: int = 8, work: tuple[str, ...] = ()
) -> list[str]:
    return draft_lines(Painter(40), draft, work, standing or Standing(), height)


def test_an_idle_session_has_nothing_over_its_prompt() -> None:
    assert lines(AnswerDraft()) == []


def test_only_the_end_of_a_long_draft_is_shown() -> None:
    shown = lines(AnswerDraft(text=" ".join(map(str, range(5000)))))

    assert len(shown) <= 8
    assert shown[-1].endswith("4999")


def test_the_end_of_long_code_still_looks_like_code() -> None:
    shown = lines(AnswerDraft(text="```\n" + "\n".join(f"x_{number} *= 1" for number in range(2000))))

    assert shown[-1] == " x_1999 *= 1"


def test_calls_and_waiting_messages_stand_below_the_draft() -> None:
    standing = Standing(queued=[{"turn_id": "t", "message": "and\nthen?"}], unsent=["more"])
    draft = AnswerDraft(text="Hello", calls={"c": ("terminal  ls", monotonic() - 3)})

    assert lines(draft, standing) == [
        "Hello",
        "",
        "▸ terminal  ls  3 s",
        "❯ and then?  (waits)",  # noqa: RUF001
        "❯ more  (waits)",  # noqa: RUF001
    ]


@pytest.mark.parametrize("height", [1, 2, 5, 14])
def test_the_height_is_kept(height: int) -> None:
    standing = Standing(queued=[{"turn_id": str(n), "message": f"m{n}"} for n in range(20)])
    draft = AnswerDraft(text="word " * 500, thought="hm " * 500, calls={str(n): ("ls", 0.0) for n in range(20)})

    assert len(lines(draft, standing, height)) <= height


def test_each_running_sub_agent_has_one_line_below_the_calls() -> None:
    draft = AnswerDraft(calls={"c1": ("delegate_task  count", monotonic())})
    shown = lines(draft, work=("↳ one: thinking", f"↳ two: {'very ' * 20}long"))

    assert [line[:5] for line in shown] == ["▸ del", "↳ one", "↳ two"]
    assert shown[-1].endswith("…")
