import pytest

from wakeful.agent.providers.openai.dialect import Dialect, refuses_tools


def test_an_endpoint_that_refuses_stream_options_is_not_asked_for_usage_again() -> None:
    learnt = Dialect().after_refusal(400, "Unknown field: stream_options")

    assert learnt == Dialect(asks_for_usage=False)
    assert learnt.after_refusal(400, "Unknown field: stream_options") == learnt


def test_an_endpoint_that_misses_reasoning_gets_it_back() -> None:
    learnt = Dialect().after_refusal(400, "Missing reasoning_content field in the assistant message")

    assert learnt == Dialect(returns_reasoning=True)


def test_other_refusals_teach_nothing() -> None:
    assert Dialect().after_refusal(400, "bad temperature") == Dialect()
    assert Dialect().after_refusal(500, "stream_options") == Dialect()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "registry.ollama.ai/library/gemma:2b does not support tools"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        (404, 'No endpoints found that support tool use. Try disabling "terminal".'),
        (400, "`tool calling` is not supported with this model"),
        (500, "tools param requires --jinja flag"),
        (400, "This model doesn't support function calling"),
        (422, "Function calling is not supported here"),
    ],
)
def test_an_endpoint_may_say_in_many_ways_that_it_takes_no_tools(status: int, words: str) -> None:
    assert refuses_tools(status, words)


@pytest.mark.parametrize(
    "words",
    [
        "Invalid schema for function 'weather': schema must have type 'object'",
        "tools[0].function.name is too long",
        "An assistant message with tool_calls must be followed by tool messages",
        "temperature is not supported with this model",
    ],
)
def test_a_complaint_about_one_tool_is_no_refusal_of_all(words: str) -> None:
    assert not refuses_tools(400, words)


def test_only_a_refusal_is_one() -> None:
    words = "this model does not support tools"

    assert [refuses_tools(status, words) for status in (399, 400, 599, 600)] == [False, True, True, False]
    assert Dialect().after_refusal(422, "stream_options") == Dialect(asks_for_usage=False)
    assert Dialect().after_refusal(422, "reasoning_content") == Dialect(returns_reasoning=True)
