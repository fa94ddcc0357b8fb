"""Who is asked for a summary, for which parts, and in which words."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import pytest

from wakeful.agent.compaction.summariser import Draft, Order, Summariser
from wakeful.agent.models.window import LearntWindows
from wakeful.agent.prompt import SUMMARY_INSTRUCTIONS
from wakeful.agent.providers.base import AnswerPart, Finished, ModelRequest, SpoiltAnswer
from wakeful.agent.settings import AgentSettings
from wakeful.errors import ConfigError, ModelError
from wakeful.model.journal.message import AssistantMessage, Message, Usage, UserMessage
from wakeful.model.spend import Spend

DOWN = ModelError("down", code="model_unavailable")
BROKEN = ModelError("broken", code="model_stream_broken")
TALK: list[Message] = [UserMessage("a" * 600), AssistantMessage("b" * 600), UserMessage("c" * 600)]


def cost_of(model: str, usage: Usage) -> float:
    return float(usage.output_tokens)


def too_long(window: int | None = None) -> ModelError:
    return ModelError("too long", code="context_overflow", window=window)


@dataclass
class Models:
    """Models that answer each request with the next word or error; the last one is repeated."""

    answers: list[str | ModelError]
    settings: AgentSettings = field(default_factory=lambda: AgentSettings(model_retry_seconds=0.0))
    windows: LearntWindows = field(default_factory=LearntWindows)
    unknown: tuple[str, ...] = ()
    counts_failures: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def find(self, name: str) -> tuple[Any, str]:
        if name in self.unknown:
            raise ConfigError("unknown")
        return _Named(self, name), name

    async def sum_up(self, *models: str, messages: list[Message] = TALK, **order: Any) -> Draft:
        summariser = Summariser(self.find, self.windows, self.settings, self.errors.append, cost_of)
        return await summariser.sum_up(models or ("a",), Order(messages, **{"limit": 700, **order}))

    @property
    def questions(self) -> list[str]:
        return [question for _, question in self.asked]


@dataclass
class _Named:
    models: Models
    name: str

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        assert (request.instructions, request.tools) == (SUMMARY_INSTRUCTIONS, ())
        self.models.asked.append((self.name, request.messages[0].text))
        answers = self.models.answers
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, str):
            yield Finished(AssistantMessage(answer), Usage(10, 2))
            return
        if self.models.counts_failures:
            yield SpoiltAnswer(Usage(5, 1))
        raise answer


async def test_a_summary_says_who_wrote_it_and_what_it_cost() -> None:
    models = Models([" All is built. "])

    assert await models.sum_up() == Draft("All is built.", "a", Usage(10, 2), 2.0)
    assert models.errors == []


@pytest.mark.parametrize(
    ("compact_model", "line", "asked"),
    [
        ("", ["a"], "aaa"),
        ("", ["a", "b"], "aba"),
        ("", ["a", "b", "c", "d"], "abcd"),
        ("s", ["a"], "saa"),
        ("s", ["a", "b"], "sab"),
    ],
)
async def test_each_model_is_asked_once_and_three_times_at_least(
    compact_model: str, line: list[str], asked: str
) -> None:
    models = Models([DOWN], AgentSettings(model_retry_seconds=0.0, compact_model=compact_model))

    draft = await models.sum_up(*line)

    assert "".join(name for name, _ in models.asked) == asked
    assert (draft.model, models.errors) == ("", ["model_unavailable"] * len(asked))
    assert draft.words.startswith("- User: aaa")


async def test_a_model_that_is_unknown_is_passed_over() -> None:
    models = Models(["Yes."], AgentSettings(compact_model="s"), unknown=("s",))

    assert (await models.sum_up("a")).model == "a"


async def test_what_failed_before_is_told_as_wasted() -> None:
    models = Models([BROKEN, "", "Yes."], counts_failures=True)

    draft = await models.sum_up()

    assert (draft.usage, draft.wasted) == (Usage(10, 2), Spend(15, 3, 3.0))
    assert models.errors == ["model_stream_broken", "empty_answer"]
    # Nothing was counted, so nothing has a price.
    assert (await Models([DOWN, "Yes."]).sum_up()).wasted == Spend()


async def test_a_question_says_how_long_the_summary_may_be_and_what_matters() -> None:
    models = Models(["Yes."])
    await models.sum_up(messages=[UserMessage("Build it.")], limit=3_500, focus="the names")
    await models.sum_up(messages=[UserMessage("Build it.")], limit=7)

    first, second = models.questions
    wish = "Sum all of this up in at most 500 words. The user wants above all to keep what concerns this: the names"
    assert first == f"The conversation:\n\nUser: Build it.\n\n[End of the conversation.]\n\n{wish}"
    assert second.endswith("Sum all of this up in at most 50 words.")


async def test_a_summary_that_is_too_long_is_cut() -> None:
    draft = await Models(["x" * 701]).sum_up()

    assert len(draft.words) <= 700
    assert "characters …]" in draft.words


async def test_parts_are_cut_between_messages_and_each_goes_on_from_the_one_before() -> None:
    models = Models(["One.", "Two.", "Three."])
    models.windows.learn_window("a", 3_000)

    draft = await models.sum_up(characters=1.0)

    first, second = models.questions
    assert "a" * 600 in first
    assert "b" * 600 in first
    assert "More of it follows later." in first
    assert second.startswith(f"The summary of what came before:\n\nOne.\n\nThe conversation:\n\nUser: {'c' * 600}\n\n")
    assert "More of it follows" not in second
    assert (draft.words, draft.usage) == ("Two.", Usage(20, 4))


async def test_a_window_that_is_named_makes_the_parts_smaller() -> None:
    models = Models([too_long(2_500), "One.", "Two."])

    draft = await models.sum_up(characters=1.0)

    assert models.windows.window_of("a") == 2_500
    assert draft.model == "a"
    assert [len(question) > 1_800 for question in models.questions] == [True, False, False, False]


async def test_without_a_window_the_parts_become_half_as_long_down_to_the_smallest() -> None:
    long: list[Message] = [UserMessage("z" * 4_000)]
    models, hopeless = Models([too_long(), too_long(), "One."]), Models([too_long()])

    assert (await models.sum_up(messages=long)).model == "a"
    assert (await hopeless.sum_up(messages=long)).model == ""

    assert [question.count("z") for question in models.questions] == [4_000, 1_997, 995, 1_001, 1_001, 1_001, 2]
    # No part is smaller than 600 characters, and the model is tried three times.
    assert [question.count("z") for question in hopeless.questions] == [4_000, 1_997, 995, 594] * 3
