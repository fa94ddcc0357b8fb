"""What a client sends, as inputs for the journal, and as the items that it gets back."""

from typing import Any

import orjson
import pytest
from msgspec import to_builtins

from wakeful.gateway.openai.items.inputs import Reference, inputs_of
from wakeful.gateway.openai.items.recorded_inputs import recorded_inputs
from wakeful.gateway.openai.runs.request import RunBody
from wakeful.model.journal.entry import Entry, EntryKind, input_entry
from wakeful.model.tools.failure import failure_text
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.reading import read

CALL = {"id": "c", "name": "f", "arguments": "{}"}
SERVER_CALL = {"type": "mcp_call", "id": "c", "server_label": "wakeful", "name": "f", "arguments": "{}"}


def read_items(*items: Any) -> list[Any]:
    return inputs_of(read(RunBody, {"input": list(items)}).input)


PICTURE = "https://example.org/cat.png"


@pytest.mark.parametrize(
    ("item", "given"),
    [
        ({"type": "message", "role": "user", "content": "hi"}, {"role": "user", "text": "hi"}),
        (
            {
                "type": "message",
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "a"},
                    {"type": "input_image", "image_url": PICTURE},
                    {"type": "refusal", "refusal": "b"},
                ],
            },
            {"role": "user", "text": "ab", "images": [PICTURE]},
        ),
        (
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"role": "assistant", "text": "", "calls": [CALL]},
        ),
        (
            {"type": "function_call_output", "call_id": "c", "output": "done"},
            {"role": "tool", "call_id": "c", "text": "done"},
        ),
        ({"type": "item_reference", "id": "msg_1"}, Reference("msg_1", "input[0]")),
        ({"type": "reasoning"}, {"role": "assistant", "text": ""}),
        ({"id": "msg_1"}, Reference("msg_1", "input[0]")),
        ({"id": "msg_1", "role": "user", "content": "hi"}, {"role": "user", "text": "hi"}),
        ({"role": "assistant", "content": "hi"}, {"role": "assistant", "text": "hi"}),
    ],
)
def test_an_item_is_an_input(item: dict[str, Any], given: Any) -> None:
    assert read_items(item) == [given]


def test_a_text_is_what_the_user_says_and_items_are_named_by_their_place() -> None:
    assert inputs_of("hi") == [{"role": "user", "text": "hi"}]
    _, second = read_items({"type": "reasoning"}, {"type": "item_reference", "id": "msg_1"})
    assert second.where == "input[1]"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("It broke.", "It broke."),
        ({"message": "It broke."}, "It broke."),
        ({"content": "It broke."}, "It broke."),
        ({"content": [{"text": "It"}, {"text": "broke."}]}, "It\nbroke."),
        ({"content": [{"text": "It"}, {"image": 1}]}, '{"content":[{"text":"It"},{"image":1}]}'),
        ({"content": []}, '{"content":[]}'),
        ({"content": ["x"]}, '{"content":["x"]}'),
    ],
)
def test_an_error_of_a_call_that_the_server_does_not_know_is_a_sentence(error: Any, said: str) -> None:
    [reference] = read_items(SERVER_CALL | {"error": error})

    assert reference.id == "c"
    result = reference.otherwise["result"]
    assert (result["is_error"], orjson.loads(result["text"])["error"]) == (True, said)


def test_an_output_from_the_client_counts_and_without_one_the_record_does() -> None:
    made = {"role": "assistant", "text": "", "calls": [CALL], "server_label": "wakeful"}

    assert read_items(SERVER_CALL | {"output": "done", "error": "no"}) == [
        made | {"result": {"text": "done", "is_error": False}}
    ]
    assert read_items(SERVER_CALL) == [Reference("c", "input[0]", made)]


def shown(given: dict[str, Any]) -> Any:
    [item] = recorded_inputs([input_entry("turn_1", 0, 4, given), Entry("turn_1", 1, 0, EntryKind.ANSWER, b"{}")])
    return to_builtins(item)


def test_what_was_sent_is_shown_again_under_an_id_of_its_place() -> None:
    said = shown({"role": "user", "text": "hi", "images": [PICTURE]})
    written, answered = shown({"role": "assistant", "text": "hi"}), shown({"role": "tool", "call_id": "c", "text": "x"})
    called = shown({"role": "assistant", "text": "", "calls": [CALL]})

    assert (said["id"], said["role"], [part["type"] for part in said["content"]]) == (
        "msg_1_0_4",
        "user",
        ["input_text", "input_image"],
    )
    assert (written["role"], written["content"][0]["type"]) == ("assistant", "output_text")
    assert (answered["id"], answered["call_id"], answered["output"]) == ("fco_1_0_4", "c", "x")
    assert (called["id"], called["call_id"], called["name"], called["arguments"]) == ("fc_1_0_4", "c", "f", "{}")


@pytest.mark.parametrize(
    ("result", "status", "output"),
    [
        (None, "incomplete", None),
        ({"text": "done", "is_error": False}, "completed", "done"),
    ],
)
def test_a_call_of_the_server_is_shown_with_its_result(
    result: dict[str, Any] | None, status: str, output: str | None
) -> None:
    given = {"role": "assistant", "text": "", "calls": [CALL], "server_label": "wakeful"}
    item = shown(given | ({} if result is None else {"result": result}))

    assert (item["id"], item["status"], item["output"], item["server_label"]) == (
        "mcp_1_0_4",
        status,
        output,
        "wakeful",
    )


def test_a_call_of_the_server_that_failed_is_shown_with_its_error() -> None:
    result = {"text": failure_text("failed", "It broke."), "is_error": True}
    item = shown({"role": "assistant", "text": "", "calls": [CALL], "server_label": "other", "result": result})

    assert (item["status"], item["output"], item["server_label"]) == ("failed", None, "other")
    assert (item["name"], item["arguments"], item["error"]["content"][0]["text"]) == ("f", "{}", "It broke.")


@pytest.mark.parametrize("address", ["kept://1", "/cat.png", "ftp://example.org/cat.png", "data:text/html,x", ""])
def test_only_pictures_of_the_web_or_in_the_request_are_taken(address: str) -> None:
    part = {"type": "input_image", "image_url": address}
    with pytest.raises(InvalidRequest, match="must be the address of a picture"):
        read_items({"role": "user", "content": [part]})
