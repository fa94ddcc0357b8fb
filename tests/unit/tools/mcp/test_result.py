"""What a model reads of the answers of MCP servers."""

import struct
from base64 import b64encode
from typing import Any

import orjson
import pytest

from tests.mcp.made_server import PIXEL
from wakeful.model.files.attachment import PICTURE_BYTES
from wakeful.tools.mcp.result import result_from


def image(data: bytes) -> dict[str, Any]:
    return {"type": "image", "mimeType": "image/png", "data": b64encode(data).decode()}


def test_blocks_are_read_in_their_order_and_unknown_ones_passed_over() -> None:
    blocks = [
        {"type": "text", "text": "one"},
        image(PIXEL),
        {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}},
        {"type": "resource", "resource": {"uri": "file:///b", "mimeType": "application/zip", "blob": "AAAA"}},
        {"type": "resource_link", "uri": "https://example.org/c", "name": "the page"},
        {"type": "new in a later version"},
        "no block",
    ]

    result = result_from({"content": blocks, "structuredContent": {"said": "in the text already"}})

    assert result.text.splitlines() == [
        "one",
        "[Image: picture-2.png, 1\u00d71, 70 bytes]",
        "[Audio: audio/wav, 3 bytes]",
        "inside",
        "[Resource: file:///b, application/zip, 3 bytes]",
        "[Resource: https://example.org/c, the page]",
    ]
    assert [picture.name for picture in result.pictures] == ["picture-2.png"]


@pytest.mark.parametrize(
    "data", [b"<svg/>", PIXEL + b"x" * PICTURE_BYTES, PIXEL[:16] + struct.pack(">II", 60_000, 60_000) + PIXEL[24:]]
)
def test_a_picture_that_no_model_takes_is_not_shown_and_says_so(data: bytes) -> None:
    result = result_from({"content": [image(data)]})

    assert result.text == f"[Image: image/png, {len(data)} bytes. It is too large or damaged, and not shown.]"
    assert result.pictures == ()


def test_a_picture_of_the_largest_size_is_shown() -> None:
    largest = PIXEL.ljust(PICTURE_BYTES, b"\0")

    assert [picture.data for picture in result_from({"content": [image(largest)]}).pictures] == [largest]
    assert result_from({"content": [image(largest + b"\0")]}).pictures == ()


def test_a_failure_says_what_the_server_says_or_that_it_says_nothing() -> None:
    told = result_from({"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], "isError": True})
    silent = result_from({"isError": True, "structuredContent": {"a": 1}})
    fine = result_from({"content": [{"type": "text", "text": "one"}], "isError": "yes"})

    assert (told.is_error, orjson.loads(told.text)) == (True, {"error": "one\ntwo", "code": "tool_error"})
    assert orjson.loads(silent.text)["error"] == "The tool failed, and its server does not say why."
    assert (fine.is_error, fine.text) == (False, "one")


def test_structured_content_is_shown_where_no_text_is() -> None:
    audio = {"type": "audio", "data": "AA=="}

    assert result_from({"structuredContent": {"a": 1}}).text == '{"a":1}'
    assert result_from({"content": [audio], "structuredContent": [0]}).text == "[Audio: unknown type, 1 bytes]\n[0]"
    assert result_from({"content": [{"type": "text", "text": ""}], "structuredContent": 1}).text == (
        "[The tool returned nothing.]"
    )


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"type": "resource_link", "uri": "https://a.example"}, "[Resource: https://a.example]"),
        ({"type": "resource_link", "uri": "https://a.example", "name": 7}, "[Resource: https://a.example]"),
        ({"type": "resource", "resource": {"blob": "AAA="}}, "[Resource: , unknown type, 2 bytes]"),
        ({"type": "image", "data": "no base64"}, "damaged"),
        ({"type": "image", "mimeType": 7, "data": ""}, "[Image: unknown type, 0 bytes."),
    ],
)
def test_a_block_is_described(block: dict[str, Any], text: str) -> None:
    assert text in result_from({"content": [block]}).text


@pytest.mark.parametrize("answer", [{}, {"content": []}, {"content": "text"}, {"content": [{"type": "text"}]}])
def test_an_answer_without_content_says_so(answer: dict[str, Any]) -> None:
    assert result_from(answer).text == "[The tool returned nothing.]"
