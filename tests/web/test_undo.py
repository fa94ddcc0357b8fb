"""POST /api/session/undo, and the changes that messages and frames show."""

from pathlib import Path

from tests.bare_engine import HOST
from tests.web.kit import Served
from wakeful.engine.undo import ChangeRecords
from wakeful.model.journal.fact import Answered, CallFinished
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.tools.base import ToolContext
from wakeful.tools.files.change_tools import WriteFile
from wakeful.tools.files.copies import FileCopies
from wakeful.tools.files.file_changer import FileChanger
from wakeful.tools.files.workspace import Folders


async def test_a_change_is_the_same_in_messages_and_frames_and_can_be_undone(web: Served, tmp_path: Path) -> None:
    home, folder = tmp_path / "copies", tmp_path / "folder"
    folder.mkdir()
    web.engine.undo_desk._files = FileCopies(home)
    session_id = await web.new_session(workspace=str(folder))
    turn_id = await _write(web, session_id, home)

    frames = await web.finished(turn_id)
    (frame,) = [frame.data for frame in frames if frame.event == "tool_complete"]
    (tool,) = [message["tool"] for message in (await web.shown(session_id))["messages"] if message["tool"]]
    undone = await web.post("/api/session/undo", {"session_id": session_id})
    again = await web.post("/api/session/undo", {"session_id": session_id})
    (after,) = [message["tool"] for message in (await web.shown(session_id))["messages"] if message["tool"]]

    diff = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+one"
    change = {"path": "a.txt", "kind": "created", "added": 1, "removed": 0, "diff": diff, "undoable": True}
    assert frame["changes"] == tool["changes"] == [change | {"undone": False}]
    assert undone.json == {"undone": [{"path": "a.txt", "kind": "deleted"}], "skipped": []}
    assert not (folder / "a.txt").exists()
    assert (again.status, again.json["error"]["code"]) == (409, "nothing_to_undo")
    assert after["changes"] == [change | {"undone": True}]


async def test_what_cannot_be_undone_is_refused(web: Served) -> None:
    session_id = await web.new_session()

    replies = [
        await web.post("/api/session/undo", {"session_id": session_id}),
        await web.post("/api/session/undo", {"session_id": session_id, "turn_id": "none"}),
        await web.post("/api/session/undo", {"session_id": session_id}, "bob"),
        await web.post("/api/session/undo", {"session_id": session_id, "force": "yes"}),
    ]

    assert [(reply.status, reply.json["error"]["code"]) for reply in replies] == [
        (409, "nothing_to_undo"),
        (404, "not_found"),
        (404, "not_found"),
        (400, "invalid_request"),
    ]


async def _write(web: Served, session_id: str, home: Path) -> str:
    """Run a turn that writes a file."""
    turn_id = await web.say(session_id, "write")
    await web.running(turn_id)
    turn = web.agent.briefs[turn_id].turn
    call = ToolCall("c1", "write_file", "{}")
    web.agent.tell(turn_id, Answered(1, AssistantMessage("", calls=(call,)), Usage(1, 1)))
    tool = WriteFile(FileChanger(ChangeRecords(web.store, HOST), FileCopies(home)), Folders(home))
    result = await tool.run({"path": "a.txt", "content": "one\n"}, ToolContext(turn, 1, 1, "c1"))
    web.agent.tell(turn_id, CallFinished(1, 1, call, result.text, 0.0, changes=result.changes))
    web.agent.tell(turn_id, Answered(2, AssistantMessage("done"), Usage(1, 1)))
    web.agent.order(turn_id, "end")
    return turn_id
