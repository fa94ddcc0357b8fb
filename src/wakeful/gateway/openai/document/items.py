"""Items: what is said to a model, and what it says and does."""

from wakeful.wire.openapi import NULL, TEXT, Json, any_of, choice, list_of, only, or_null, record, ref, told

_STATUS = choice("in_progress", "completed", "incomplete")
_CALL = {"type": only("function_call"), "call_id": TEXT, "name": TEXT, "arguments": told("A JSON text.", TEXT)}
_SERVER_CALL = {
    "id": TEXT,
    "type": only("mcp_call"),
    "server_label": told("`wakeful`.", TEXT),
    "name": TEXT,
    "arguments": told("A JSON text.", TEXT),
}
_ERROR_PART = record({"type": only("text"), "text": TEXT})
_TOOL_ERROR = record({"type": only("mcp_tool_execution_error"), "content": list_of(_ERROR_PART)})
_RESULT_TYPE = {"type": only("function_call_output"), "call_id": TEXT}

_INPUT_TEXT = record({"type": only("input_text"), "text": TEXT})
_OUTPUT_TEXT = record({"type": only("output_text"), "text": TEXT, "annotations": list_of({}), "logprobs": list_of({})})
_INPUT_IMAGE = record({"type": only("input_image"), "image_url": TEXT, "detail": TEXT})
_REASONING_TEXT = record({"type": only("reasoning_text"), "text": TEXT})

_ROLE = choice("assistant", "developer", "system", "user")
_MESSAGE = {"id": TEXT, "type": only("message"), "status": _STATUS}

SCHEMAS: dict[str, Json] = {
    "OutputPart": any_of(_OUTPUT_TEXT, _REASONING_TEXT),
    "OutputItem": any_of(
        record({**_MESSAGE, "role": only("assistant"), "content": list_of(_OUTPUT_TEXT)}),
        record(
            {
                "id": TEXT,
                "type": only("reasoning"),
                "status": _STATUS,
                "summary": list_of({}),
                "content": list_of(_REASONING_TEXT),
                "encrypted_content": NULL,
            }
        ),
        told(
            "A call of one of the server's tools; with `output` when it has completed, with `error` when it failed.",
            record(
                {
                    **_SERVER_CALL,
                    "status": choice("in_progress", "completed", "incomplete", "failed"),
                    "output": or_null(TEXT),
                    "error": or_null(_TOOL_ERROR),
                    "approval_request_id": NULL,
                }
            ),
        ),
        told("A call for the client to run.", record({"id": TEXT, "status": _STATUS, **_CALL})),
        told(
            "The output of a call. The server's own calls are such pairs where `tool_items` is set to `function_call`.",
            record({"id": TEXT, "status": _STATUS, **_RESULT_TYPE, "output": TEXT}),
        ),
    ),
    "Item": any_of(
        record({**_MESSAGE, "role": _ROLE, "content": list_of(any_of(_INPUT_TEXT, _OUTPUT_TEXT, _INPUT_IMAGE))}),
        ref("OutputItem"),
    ),
    "ItemPage": record(
        {
            "object": only("list"),
            "data": list_of(ref("Item")),
            "first_id": or_null(TEXT),
            "last_id": or_null(TEXT),
            "has_more": {"type": "boolean"},
        }
    ),
}
