from wakeful.agent.repetition import Repetition
from wakeful.model.journal.fact import CallFinished
from wakeful.model.journal.message import ToolCall

WAIT = ToolCall("c1", "process", '{"action": "wait"}')


def test_a_call_that_waits_may_be_made_as_often_as_the_model_likes() -> None:
    repetition = Repetition()
    for step in range(1, 20):
        assert repetition.refused([WAIT]) == {}
        repetition.note(CallFinished(step, 1, WAIT, "still running", 60.0))
