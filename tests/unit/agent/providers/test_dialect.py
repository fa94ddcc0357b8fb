from wakeful.agent.providers.dialect import Dialect


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
