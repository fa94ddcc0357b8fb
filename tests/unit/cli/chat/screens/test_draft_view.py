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


def test_a_busy_session_without_words_shows_that_it_works() -> None:
    busy = Standing(active_turn="t")

    assert lines(AnswerDraft(), busy) == ["…"]
    assert lines(AnswerDraft(calls={"c": ("ls", monotonic())}), busy) == ["▸ ls  0 s"]
    assert lines(AnswerDraft(), Standing(active_turn="t", approvals={"c": {"call_id": "c"}})) == []
    assert lines(AnswerDraft(thought="hm"), busy) == ["hm"]


def test_only_the_last_thoughts_are_shown_and_above_the_answer() -> None:
    shown = lines(AnswerDraft(text="Well", thought="one\n\x1b[2Jtwo\nthree"))

    assert shown == ["two", "three", "Well"]


def test_most_waiting_messages_are_only_counted() -> None:
    def waiting(count: int) -> list[str]:
        return lines(AnswerDraft(), Standing(unsent=[f"m{number}" for number in range(count)]), height=20)

    assert len(waiting(3)) == 3
    assert waiting(5)[-1] == "  and 2 more"
    assert len(waiting(5)) == 4


def test_what_is_below_gets_half_of_the_height_and_the_rest_is_above() -> None:
    draft = AnswerDraft(text="\n".join(map(str, range(9))), calls={str(n): ("ls", monotonic()) for n in range(9)})

    shown = lines(draft, height=8)

    assert shown == ["6", "7", "8", "", *["▸ ls  0 s"] * 4]
    assert lines(draft, height=1) == ["▸ ls  0 s"]
    assert lines(draft, height=2) == ["▸ ls  0 s"]
    assert lines(draft, height=3) == ["8", "", "▸ ls  0 s"]


def test_the_beginning_of_a_long_draft_is_cut_at_a_word() -> None:
    shown = lines(AnswerDraft(text=" ".join(f"w{number:04}" for number in range(1000))), height=900)

    words = " ".join(shown).split()
    assert {len(word) for word in words} == {5}
    assert 600 < len(words) < 700
