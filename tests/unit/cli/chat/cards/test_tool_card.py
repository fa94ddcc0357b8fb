"""A tool call in a few lines."""

import json

from wakeful.cli.chat.cards.card import Tone
from wakeful.cli.chat.cards.tool_card import call_title, interrupted_card, tool_card


def test_a_command_shows_its_output_and_its_exit_code_rather_than_json() -> None:
    result = json.dumps({"output": "one\n\x1b[31mtwo\x1b[0m\n", "exit_code": 3, "error": None})

    card = tool_card("terminal", '{"command": "ls"}', result, 1.25)

    assert (card.title, card.note) == ("terminal  ls", "exit code 3 · 1.2 s")
    assert card.lines == ("one", "two")


def test_a_background_command_shows_under_which_name_it_runs() -> None:
    result = json.dumps({"output": "Background process started", "session_id": "proc_1", "pid": 7, "exit_code": 0})

    card = tool_card("terminal", '{"command": "make", "background": true, "pty": false}', result, 0.0)

    assert (card.title, card.note) == ("terminal  make · background", "runs as proc_1 · 0.0 s")
    assert card.lines == ()


def test_an_error_is_shown_and_stands_out() -> None:
    assert tool_card("terminal", "{}", '{"error": "denied", "exit_code": -1}', None).tone is Tone.FAILURE
    assert tool_card("terminal", "{}", '{"error": "no such folder"}', None).lines == ("no such folder",)
    assert tool_card("terminal", "{}", '{"error": "too long", "output": "half"}', None).lines == ("half", "too long")


def test_long_results_are_folded() -> None:
    card = tool_card("read_file", '{"path": "a"}', "\n".join(map(str, range(100))), 0.1)

    assert card.lines == ("0", "1", "… 94 more lines", "96", "97", "98", "99")


def test_other_objects_are_shown_field_by_field() -> None:
    assert tool_card("process", "{}", '{"status": "running", "code": null}', 0.0).lines == ("status: running",)


def test_arguments_are_short_and_on_one_line() -> None:
    title = call_title("odd", json.dumps({"path": "a.txt", "words": "x\ny" * 200}))

    assert title.startswith("odd  a.txt · words: x yx y")
    assert len(title) < 180
    assert "\n" not in title


def test_a_change_shows_its_diff_and_not_its_texts() -> None:
    diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n-old\n+new\x1b[31m\n+more"
    change = {"path": "a.txt", "kind": "changed", "added": 2, "removed": 1, "diff": diff, "undone": False}
    arguments = json.dumps({"path": "a.txt", "old_text": "old", "new_text": "new\nmore", "replace_all": True})

    card = tool_card("edit_file", arguments, "Changed a.txt: +2 -1.", 0.1, [change])

    assert (card.title, card.note) == ("edit_file  a.txt · replace_all", "+2 \N{MINUS SIGN}1")
    assert card.lines == ("@@ -1 +1,2 @@", "-old", "+new", "+more")
    assert card.is_diff
    assert tool_card("edit_file", arguments, "", 0.1, [change | {"undone": True}]).note.endswith("undone")


def test_arguments_that_are_no_json_are_shown_as_they_are() -> None:
    assert call_title("odd", '{"half') == 'odd  {"half'


def test_a_call_without_a_result_says_so() -> None:
    assert "no result" in interrupted_card("terminal", '{"command": "ls"}').note


def test_a_change_of_the_plan_is_one_line_beside_the_plan() -> None:
    card = tool_card(
        "todo", '{"items": [{"id": "1", "text": "Read"}]}', '{"items": [{"id": "1", "text": "Read"}]}', 0.1
    )
    assert (card.title, card.note, card.lines) == ("todo", "changed the plan", ())
    assert tool_card("todo", "{}", '{"error": "items is missing."}', 0.1).lines == ("items is missing.",)


def test_a_tool_of_an_mcp_server_is_called_by_its_server_and_its_name() -> None:
    assert call_title("mcp__made__fill", '{"characters": 5}') == "made · fill  characters: 5"


def test_a_delegation_shows_its_goals_and_what_each_sub_agent_reported() -> None:
    one, two = {"goal": "count", "status": "completed", "result": "Nine.\nAll."}, {"goal": "name", "status": "failed"}
    asked, told = json.dumps({"tasks": [one, two]}), json.dumps({"results": [one, two], "note": ""})
    card = tool_card("delegate_task", asked, told, 3.0)
    assert card.title == "delegate_task  count; name"
    assert card.lines == ("count: Nine. All.", "name: failed")
