"""What the log of a turn says of its facts."""

import orjson

from wakeful.engine.turn_events import call_finished
from wakeful.model.files.attachment import Attachment
from wakeful.model.journal.fact import CallFinished
from wakeful.model.journal.message import ToolCall


def test_the_end_of_a_call_names_the_files_it_shows_and_the_tasks_it_has_told_of() -> None:
    picture = Attachment("att_1", "cat.png", "image/png", 3)
    call = ToolCall("call_1", "show", "{}")

    ended = call_finished(CallFinished(1, 1, call, "Shown.", 0.5, consumes=("proc_1",), shows=(picture,)))

    data = orjson.loads(ended.payload)
    assert (data["result"], data["attachments"], data["consumed"]) == ("Shown.", [picture.shown], ["proc_1"])
