"""Which failures of a model are tried again, and after how long."""

import pytest

from wakeful.agent.model_tries import ModelTries
from wakeful.agent.settings import AgentSettings
from wakeful.errors import ModelError


def failure(*, passing: bool = True, retry_after: float | None = None, code: str = "model_timeout") -> ModelError:
    return ModelError("It failed.", code=code, passing=passing, retry_after=retry_after)


def test_each_wait_is_about_twice_as_long_until_the_tries_are_used_up() -> None:
    tries = ModelTries(AgentSettings(model_tries=4, model_retry_seconds=60.0))

    waits = [tries.wait_after(failure()) for _ in range(4)]

    for wait, least in zip(waits, (0.375, 0.75, 1.5), strict=False):
        assert wait is not None
        assert least <= wait <= least * 1.25 / 0.75
    assert waits[3] is None


def test_an_endpoint_may_ask_for_a_longer_wait_and_not_for_a_shorter_one() -> None:
    wait = ModelTries(AgentSettings()).wait_after(failure(retry_after=7.0))
    short = ModelTries(AgentSettings()).wait_after(failure(retry_after=0.01))

    assert wait == 7.0
    assert short is not None
    assert short >= 0.375


def test_what_does_not_pass_or_comes_too_late_is_not_tried_again() -> None:
    assert ModelTries(AgentSettings()).wait_after(failure(passing=False)) is None
    assert ModelTries(AgentSettings(model_retry_seconds=5.0)).wait_after(failure(retry_after=9.0)) is None


@pytest.mark.parametrize("limit", [1, 3])
def test_one_empty_answer_is_always_forgiven(limit: int) -> None:
    tries = ModelTries(AgentSettings(model_tries=limit))
    empty = failure(passing=False, code="empty_answer")

    assert [tries.wait_after(empty) for _ in range(3)] == [0.0, None, None]
