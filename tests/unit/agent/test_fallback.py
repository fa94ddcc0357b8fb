"""Models that take over when the turn's own model fails."""

from dataclasses import replace

import pytest

from tests.open_gate import OPEN_GATE
from tests.short_results import SHORT_RESULTS
from tests.unit.agent.test_loop import TURN, EchoTool, ScriptedModel, brief_with, call, facts_of
from tests.unit.agent.test_loop import no_waits as no_waits
from wakeful.agent.loop import Loop
from wakeful.agent.model_line import ModelLine, RestingModels
from wakeful.agent.settings import AgentSettings
from wakeful.errors import ConfigError, ModelError
from wakeful.model.journal.fact import Answered, Fact, ModelChanged, StepAbandoned, TextDelta
from wakeful.model.journal.message import Usage

OWN, SECOND, THIRD = "test:model", "test:second", "test:third"


def error(code: str, *, passing: bool = False) -> ModelError:
    return ModelError(f"It failed with {code}.", code=code, passing=passing)


def failing(*codes: str) -> ScriptedModel:
    return ScriptedModel([([], error(code)) for code in codes])


def answering(*texts: str) -> ScriptedModel:
    return ScriptedModel([([text], ()) for text in texts])


class Models:
    """A loop with named models, and the order in which they were asked."""

    def __init__(self, *tools: EchoTool, fallbacks: tuple[str, ...] = (SECOND, THIRD), **models: ScriptedModel) -> None:
        self._models = models
        self.asked: list[str] = []
        settings = AgentSettings(fallback_models=fallbacks, model_tries=1)
        self.loop = Loop(self._find, tools, OPEN_GATE, settings, SHORT_RESULTS, cost_of=self._cost_of)

    def _find(self, name: str) -> tuple[ScriptedModel, str]:
        short = name.removeprefix("test:")
        if short not in self._models:
            raise ConfigError(f"The model {name!r} names an unknown provider.")
        self.asked.append(name)
        return self._models[short], short

    def _cost_of(self, model: str, usage: Usage) -> float:
        return {OWN: 1.0, SECOND: 2.0, THIRD: 3.0}[model]

    async def turn(self, model: str = OWN) -> list[Fact]:
        return await facts_of(self.loop, replace(brief_with(), turn=replace(TURN, model=model)))


@pytest.mark.parametrize(
    "code",
    [
        "model_unavailable",
        "model_timeout",
        "model_rate_limited",
        "model_stream_broken",
        "model_credit",
        "model_auth",
        "model_not_found",
    ],
)
async def test_the_next_model_answers_the_step_of_one_that_fails(code: str) -> None:
    models = Models(model=failing(code), second=answering("hello"))

    facts = await models.turn()

    assert facts[0] == ModelChanged(1, OWN, SECOND, code, f"It failed with {code}.")
    assert isinstance(facts[-1], Answered)
    assert (facts[-1].step, facts[-1].model, facts[-1].cost_usd) == (1, SECOND, 2.0)
    assert facts[-1].changes == (facts[0],)


async def test_an_unknown_model_is_replaced_too() -> None:
    models = Models(second=answering("hello"))

    facts = await models.turn("elsewhere:model")

    assert isinstance(facts[0], ModelChanged)
    assert facts[0].code == "model_not_found"


@pytest.mark.parametrize("code", ["content_filter", "model_request", "output_limit"])
async def test_a_refusal_does_not_fall_back(code: str) -> None:
    models = Models(model=failing(code), second=answering("hello"))

    with pytest.raises(ModelError) as failure:
        await models.turn()

    assert failure.value.code == code
    assert models.asked == [OWN]


async def test_words_of_the_failed_model_are_taken_back_before_the_change() -> None:
    broken = ScriptedModel([(["hel"], error("model_stream_broken"))])

    facts = await Models(model=broken, second=answering("hello")).turn()

    assert [type(fact) for fact in facts] == [TextDelta, StepAbandoned, ModelChanged, TextDelta, Answered]


@pytest.mark.usefixtures("no_waits")
async def test_a_passing_failure_is_tried_again_before_another_model_is_asked() -> None:
    models = {"model": ScriptedModel([(["a"], error("model_unavailable", passing=True))] * 2), "second": answering("b")}
    settings = AgentSettings(fallback_models=(SECOND,), model_tries=2)
    loop = Loop(lambda name: (models[name.removeprefix("test:")], name), [], OPEN_GATE, settings, SHORT_RESULTS)

    facts = await facts_of(loop, brief_with())

    # Words that were taken back for the second try are taken back once.
    kinds = [TextDelta, StepAbandoned, TextDelta, StepAbandoned, ModelChanged, TextDelta, Answered]
    assert [type(fact) for fact in facts] == kinds


async def test_when_all_fail_the_error_is_that_of_the_first_and_names_the_others() -> None:
    models = Models(
        model=failing("model_unavailable"), second=failing("model_auth"), third=failing("model_rate_limited")
    )

    with pytest.raises(ModelError) as failure:
        await models.turn()

    assert failure.value.code == "model_unavailable"
    assert str(failure.value).endswith(f" Nor did {SECOND} and {THIRD} answer.")
    assert models.asked == [OWN, SECOND, THIRD]


async def test_a_turn_stays_with_the_model_that_took_over_and_the_next_begins_with_its_own() -> None:
    second = ScriptedModel([([], (call("echo"),)), (["done"], ())])
    own = ScriptedModel([([], error("model_timeout")), (["back"], ())])
    models = Models(EchoTool(), model=own, second=second)

    await models.turn()
    await models.turn()

    assert models.asked == [OWN, SECOND, SECOND, OWN]


@pytest.mark.parametrize("code", ["model_credit", "model_auth"])
async def test_a_model_without_credit_or_key_is_passed_over_by_the_next_turn(code: str) -> None:
    models = Models(model=failing(code), second=answering("one", "two"))

    await models.turn()
    facts = await models.turn()

    assert models.asked == [OWN, SECOND, SECOND]
    assert facts[0] == ModelChanged(1, OWN, SECOND, code, f"It failed with {code}.")


async def test_the_error_of_a_model_that_is_passed_over_is_the_first_one() -> None:
    second = ScriptedModel([(["one"], ()), ([], error("model_timeout"))])
    models = Models(model=failing("model_credit"), second=second, fallbacks=(SECOND,))
    await models.turn()

    with pytest.raises(ModelError) as failure:
        await models.turn()

    assert failure.value.code == "model_credit"


async def test_where_all_models_rest_they_are_asked_all_the_same() -> None:
    own = ScriptedModel([([], error("model_credit")), (["paid"], ()), (["still"], ())])
    models = Models(model=own, second=failing("model_auth"), fallbacks=(SECOND,))
    with pytest.raises(ModelError):
        await models.turn()

    await models.turn()
    await models.turn()

    assert models.asked == [OWN, SECOND, OWN, OWN]


def test_a_model_rests_for_ten_minutes() -> None:
    now = 0.0
    resting = RestingModels(lambda: now)
    resting.note_failure(OWN, error("model_credit"))

    now = 599.0
    assert ModelLine([OWN, SECOND], resting).absence is not None
    now = 600.0
    assert ModelLine([OWN, SECOND], resting).absence is None


def test_a_failure_that_passes_by_itself_lets_no_model_rest() -> None:
    resting = RestingModels()

    resting.note_failure(OWN, error("model_unavailable"))

    assert resting.error_of(OWN) is None


async def test_a_model_that_is_its_own_fallback_is_asked_once() -> None:
    models = Models(model=failing("model_timeout"), fallbacks=(OWN,))

    with pytest.raises(ModelError):
        await models.turn()

    assert models.asked == [OWN]


def test_a_model_that_answers_rests_no_more() -> None:
    resting = RestingModels()
    resting.note_failure(OWN, error("model_credit"))
    resting.note_failure(SECOND, error("model_auth"))

    resting.note_answer(OWN)
    resting.note_answer(THIRD)

    assert resting.error_of(OWN) is None
    assert resting.error_of(SECOND) is not None
