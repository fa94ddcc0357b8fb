"""A tool call in a few lines."""

import json
from typing import Any

import pytest

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


@pytest.mark.parametrize(("length", "shown"), [(160, "x" * 160), (161, f"{'x' * 159}…")])
def test_arguments_are_cut_only_where_they_are_too_long(length: int, shown: str) -> None:
    assert call_title("terminal", json.dumps({"command": "x" * length})) == f"terminal  {shown}"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"path": "a", "content": "long text", "old_string": "x"}, "a"),
        # Without a path, a text is all that there is to see.
        ({"content": "long text"}, "content: long text"),
        ({"goal": "count", "context": "é"}, "count · context: é"),
        ({"command": 3}, "command: 3"),
        ({"lines": [1, "é"], "quiet": False, "all": True, "none": None}, 'lines: [1, "é"] · all'),
        ({"tasks": []}, "tasks: []"),
        ({"tasks": [{"goal": 3}, "odd", {"goal": "count"}]}, "count"),
        ({}, ""),
    ],
)
def test_the_argument_that_matters_comes_first(arguments: dict[str, Any], words: str) -> None:
    assert call_title("odd", json.dumps(arguments)) == f"odd  {words}".rstrip()


def test_changes_are_counted_by_file_and_long_diffs_folded() -> None:
    change = {"path": "a", "kind": "created", "added": 1200, "removed": 0, "undone": True}
    diff = "\n".join(["--- a", "+++ b", *(f"+{number}" for number in range(30))])
    bare = change | {"kind": "changed", "diff": "+x\n+y", "undone": False}

    card = tool_card("write_file", '{"path": "a"}', "", 0.1, [change | {"diff": diff}, bare])

    assert card.note == "new, +1,200 −0, +1,200 −0"  # noqa: RUF001
    assert card.lines[0] == "+0"
    assert card.lines[15:] == ("+15", "… 12 more lines", "+28", "+29", "+x", "+y")
    assert tool_card("write_file", "{}", "", 0.1, [change | {"diff": diff}]).note.endswith(" · undone")


@pytest.mark.parametrize(
    ("result", "lines"),
    [
        ('{"session_id": "p", "pid": 7, "notify_unsupported": "Nobody is woken."}', ("Nobody is woken.",)),
        ('{"session_id": "p", "output": "words"}', ("words",)),
        ('{"error": "no", "output": ""}', ("no",)),
        ('{"error": 7, "output": "fine"}', ("fine",)),
        ('{"output": 7}', ("output: 7",)),
        ('{"results": "none", "left": null}', ("results: none",)),
        ('{"results": [{"goal": "count"}, 3, {"other": 1}]}', ("count: null",)),
        ("[1, 2]", ("[1, 2]",)),
    ],
)
def test_a_result_is_shown_without_what_is_around_it(result: str, lines: tuple[str, ...]) -> None:
    assert tool_card("odd", "{}", result, None).lines == lines


def test_a_card_says_its_exit_code_its_time_and_its_failure() -> None:
    assert tool_card("terminal", "{}", '{"output": "", "exit_code": 0}', 2.0).note == "exit code 0 · 2.0 s"
    assert tool_card("terminal", "{}", "plain", None).note == ""
    failed = tool_card("terminal", "{}", '{"error": "no", "exit_code": 3}', 2.0)
    assert (failed.note, failed.is_prose) == ("2.0 s", True)
    assert not tool_card("terminal", "{}", "plain", None).is_prose
    assert tool_card("todo", "{}", "no json", 0.1).lines == ("no json",)
