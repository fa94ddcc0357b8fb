"""The message of a hook: a template, filled with fields of the payload."""

from typing import Any

import pytest

from wakeful.gateway.hooks.template import filled

_PAYLOAD = {
    "action": "opened",
    "issue": {"title": "It {broke}", "number": 7, "labels": [{"name": "bug"}, {"name": "ui"}], "closed": None},
    "0": "zero",
}


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{issue.title} (#{issue.number})", "It {broke} (#7)"),
        ("{issue.labels.1.name}", "ui"),
        ("{0}", "zero"),
        ("<{issue.labels.\N{ARABIC-INDIC DIGIT ONE}.name}>", "<>"),
        ("{issue.labels}", '[{"name":"bug"},{"name":"ui"}]'),
        ("[{issue.closed}{issue.nobody}{action.length}{issue.labels.2.name}{issue.labels.-1}]", "[]"),
        ("{not a field} {} {issue .title}", "{not a field} {} {issue .title}"),
    ],
)
def test_fields_are_filled_in_and_missing_ones_are_empty(template: str, message: str) -> None:
    assert filled(template, _PAYLOAD) == message


@pytest.mark.parametrize("payload", [[{"a": 1}], "text", 5, None, True])
def test_a_payload_need_not_be_an_object(payload: Any) -> None:
    assert filled("<{a}{0.b}>", payload) == "<>"


def test_the_whole_payload_is_cut_at_4000_characters() -> None:
    assert filled("{payload}", {"a": 1}) == '{"a":1}'
    assert len(filled("{payload}", {"a": "ä" * 5000})) == 4000
