from pathlib import Path

import pytest

from tests.unit.tools.kit import new_turn
from wakeful.model.journal.entry import answer_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.web.messages.messages import shown_turn


@pytest.mark.parametrize("last_is_cut", [True, False])
def test_a_turn_is_cut_if_its_last_answer_is(last_is_cut: bool, tmp_path: Path) -> None:
    turn = new_turn(tmp_path)
    answers = [
        Answered(step, AssistantMessage("words"), Usage(1, 1), is_cut=is_cut)
        for step, is_cut in enumerate((not last_is_cut, last_is_cut), start=1)
    ]

    shown = shown_turn(turn, [answer_entry(turn.id, answer) for answer in answers])

    assert shown.is_cut is last_is_cut
    assert shown_turn(turn, []).is_cut is False
