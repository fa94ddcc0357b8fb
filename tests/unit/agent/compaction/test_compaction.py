"""A context is summed up before it gets too long, when the endpoint says that it is, and when the user wants it."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.open_gate import OPEN_GATE
from tests.short_results import SHORT_RESULTS
from wakeful.agent.loop import Loop
from wakeful.agent.models.window import LearntWindows
from wakeful.agent.prompt import SUMMARY_INSTRUCTIONS
from wakeful.agent.providers.base import AnswerPart, AnswerText, Finished, ModelRequest
from wakeful.agent.settings import AgentSettings
from wakeful.errors import ConfigError, LimitReached, ModelError, TurnFailed
from wakeful.model.api.request import CHAT, COMPACT, TurnRequest
from wakeful.model.journal.entry import summary_entry, summary_of
from wakeful.model.journal.fact import (
    Answered,
    Brief,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    Fact,
    Measure,
    StepAbandoned,
    Wasted,
)
from wakeful.model.journal.message import (
    AssistantMessage,
    Message,
    SummaryMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.session import Address
from wakeful.model.spend import Spend
from wakeful.model.tasks.task import Host, Task, TaskKind
from wakeful.model.tools.todo import TodoItem, TodoStatus
from wakeful.model.turn import Door, Turn, TurnStatus
from wakeful.tools.base import OnlyReads, ToolContext, ToolResult, ToolSpec

DOOR = Door("web", async_delivery=True)
TURN = Turn("t9", "s1", None, DOOR, Address("web"), "user", False, "test:model", TurnStatus.RUNNING, "n", 1)
DOWN = ModelError("down", code="model_unavailable")
LONG = 3_000


def size_of(request: ModelRequest) -> int:
    """Four characters a token."""
    texts = [request.instructions, *(message.text for message in request.messages)]
    return sum(map(len, texts)) // 4


@dataclass
class SmallModel:
    """Refuses what is longer than its window, and names it. It sums up in a few words."""

    window: int = 4_000
    names_window: bool = True
    # What it does with the next requests for a summary; after that, it answers them.
    failures: list[Exception] = field(default_factory=list)
    # Which requests for a summary, counted from 1, get an empty answer.
    blank_summaries: Sequence[int] = ()
    calls: list[tuple[ToolCall, ...]] = field(default_factory=list)
    asked: list[ModelRequest] = field(default_factory=list)
    summaries: list[ModelRequest] = field(default_factory=list)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        is_summary = request.instructions == SUMMARY_INSTRUCTIONS
        # The loop goes on with the same list.
        seen = replace(request, messages=list(request.messages))
        (self.summaries if is_summary else self.asked).append(seen)
        if is_summary and self.failures:
            raise self.failures.pop(0)
        if size_of(request) > self.window:
            named = self.window if self.names_window else None
            raise ModelError("too long", code="context_overflow", window=named)
        text = f"Summary {len(self.summaries)}." if is_summary else "done"
        calls = self.calls.pop(0) if self.calls and not is_summary else ()
        if is_summary and len(self.summaries) in self.blank_summaries:
            text = ""
        yield AnswerText(text)
        yield Finished(AssistantMessage(text, calls=calls), Usage(size_of(request), 3))

    async def close(self) -> None: ...


@dataclass
class LogReader(OnlyReads):
    """A tool with long results, each of them another one."""

    size: int = LONG
    runs: int = 0
    spec: ToolSpec = field(default_factory=lambda: ToolSpec("read", "reads", {"type": "object"}))

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self.runs += 1
        return ToolResult(f"{self.runs} ".ljust(self.size, "x"))


class KnownWindows(LearntWindows):
    """Windows that the operator has set, beside those that endpoints have named."""

    def forget_window(self, model: str) -> bool:
        return False


def windows_with(window: int | None) -> LearntWindows:
    windows = KnownWindows()
    if window is not None:
        windows.learn_window(TURN.model, window)
    return windows


def loop_with(model: SmallModel, *, window: int | None = None, tool: LogReader | None = None, **settings: Any) -> Loop:
    tools = [] if tool is None else [tool]
    options = AgentSettings(**{"model_retry_seconds": 0.0} | settings)
    return Loop(lambda name: (model, name), tools, OPEN_GATE, options, SHORT_RESULTS, windows=windows_with(window))


def brief_with(messages: Sequence[Message], *, asked: TurnRequest | None = None, **details: Any) -> Brief:
    async def no_inputs(step: int, index: int) -> Sequence[Message]:
        return ()

    turn = TURN if asked is None else replace(TURN, request=asked.dump())
    return Brief(turn, messages, 0, (), False, False, 0, **{"take_inputs": no_inputs} | details)


def said(number: int, text: str) -> UserMessage:
    return UserMessage(text, origin=f"t{number}.0.0")


def talk(count: int, *, size: int = LONG) -> list[Message]:
    """So many exchanges of a short question and an answer of `size` characters, then one more question."""
    exchanges: list[Message] = []
    for number in range(count):
        answer = AssistantMessage("y" * size, origin=f"t{number}.1.0")
        exchanges += [said(number, f"question {number}"), answer]
    return [*exchanges, said(count, "the last question")]


async def facts_of(loop: Loop, brief: Brief) -> list[Fact]:
    return [fact async for fact in loop.run(brief)]


def names(facts: Sequence[Fact]) -> list[str]:
    return [type(fact).__name__ for fact in facts]


def summary_in(facts: Sequence[Fact]) -> Summary:
    [compacted] = [fact for fact in facts if isinstance(fact, Compacted)]
    return compacted.summary


async def failure_of(loop: Loop, brief: Brief) -> tuple[list[Fact], TurnFailed]:
    facts: list[Fact] = []
    try:
        async for fact in loop.run(brief):
            facts.append(fact)
    except TurnFailed as failure:
        return facts, failure
    pytest.fail("The turn has not failed.")


async def test_a_context_near_the_window_is_summed_up_before_the_model_is_asked() -> None:
    model = SmallModel()
    facts = await facts_of(loop_with(model, window=4_000), brief_with(talk(6)))

    assert names(facts) == ["CompactionStarted", "Compacted", "TextDelta", "Answered"]
    assert [fact.step for fact in facts if isinstance(fact, Compacted | Answered)] == [1, 2]
    [request] = model.asked
    first, *kept = request.messages
    assert isinstance(first, SummaryMessage)
    assert f"Summary {len(model.summaries)}." in first.text
    assert kept == talk(6)[-len(kept) :]
    summary = summary_in(facts)
    assert (summary.reason, summary.model, summary.keeps_from) == (CompactionReason.AUTO, TURN.model, kept[0].origin)
    assert summary.tokens_after < summary.tokens_before / 2


async def test_a_context_of_a_model_with_an_unknown_window_is_left_alone() -> None:
    model = SmallModel(window=100_000)
    assert names(await facts_of(loop_with(model), brief_with(talk(40)))) == ["TextDelta", "Answered"]


async def test_what_the_last_answer_has_counted_goes_before_an_estimate() -> None:
    messages = talk(2)
    counted = brief_with(messages, measure=Measure(3_900, len(messages) - 1))
    assert names(await facts_of(loop_with(SmallModel(), window=4_000), counted))[0] == "CompactionStarted"
    estimated = brief_with(messages)
    assert names(await facts_of(loop_with(SmallModel(), window=4_000), estimated)) == ["TextDelta", "Answered"]


@pytest.mark.parametrize("names_window", [True, False])
async def test_an_overflow_is_summed_up_and_the_step_asked_again(names_window: bool) -> None:
    model = SmallModel(names_window=names_window)
    loop = loop_with(model)
    facts = await facts_of(loop, brief_with(talk(8)))

    assert names(facts) == ["CompactionStarted", "Compacted", "TextDelta", "Answered"]
    assert summary_in(facts).reason is CompactionReason.OVERFLOW
    assert [fact.step for fact in facts if isinstance(fact, Compacted | Answered)] == [1, 2]
    # A window that was named is known from now on.
    again = await facts_of(loop, brief_with(talk(8)))
    reason = CompactionReason.AUTO if names_window else CompactionReason.OVERFLOW
    assert summary_in(again).reason is reason


async def test_words_of_an_answer_that_overflows_are_taken_back() -> None:
    class LateModel(SmallModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
            if request.instructions != SUMMARY_INSTRUCTIONS and not self.asked:
                yield AnswerText("half an")
            async for part in super().stream(request):
                yield part

    facts = await facts_of(loop_with(LateModel()), brief_with(talk(8)))
    assert names(facts)[:4] == ["TextDelta", "StepAbandoned", "CompactionStarted", "Compacted"]
    assert facts[1] == StepAbandoned(1)


async def test_a_long_turn_goes_on_in_a_small_window_and_keeps_the_users_words() -> None:
    """The tool's results would fill the window several times."""
    calls = [(ToolCall(f"c{number}", "read", "{}"),) for number in range(30)]
    model = SmallModel(calls=list(calls))
    goal = UserMessage("Count the errors of the log.", origin="t9.0.0")
    facts = await facts_of(loop_with(model, window=4_000, tool=LogReader()), brief_with([goal]))

    assert names(facts).count("Compacted") >= 3
    assert isinstance(facts[-1], Answered)
    assert max(map(size_of, model.asked)) <= 4_000
    for request in model.asked:
        assert any(goal.text in message.text for message in request.messages)
        made = {call.id for known in request.messages if isinstance(known, AssistantMessage) for call in known.calls}
        assert {known.call_id for known in request.messages if isinstance(known, ToolMessage)} == made


async def test_the_users_newest_words_the_todo_list_running_work_and_a_clients_instructions_stay() -> None:
    call = ("s1", "owner", "t1", 1, 1, Host("h", "b"))
    task = Task("proc_1", TaskKind.PROCESS, *call, "tail -f\nlog", DOOR, Address("web"), "m", will_notify=True)
    long = [replace(task, id=f"proc_{size}", command="x" * size) for size in (300, 301)]

    async def running() -> Sequence[Task]:
        return [task, *long]

    async def todo() -> Sequence[TodoItem]:
        return [TodoItem("a", "Find it", TodoStatus.DONE), TodoItem("b", "Mend it", TodoStatus.ACTIVE)]

    notice = UserMessage("[A process has ended.]", origin="t2.0.0", is_notice=True)
    older = SummaryMessage("older", words="What was before.", said=("the very first wish",))
    messages = [older, SystemMessage("Be brief.", origin="t0.0.1"), notice, *talk(6)]
    model = SmallModel()
    brief = brief_with(messages, running_work=running, todo=todo)
    summary = summary_in(await facts_of(loop_with(model, window=4_000), brief))

    assert summary.instructions == ("Be brief.",)
    assert summary.said[0] == "the very first wish"
    assert notice.text not in summary.said
    assert "- proc_1 (process): tail -f log\n" in summary.text
    assert f"- proc_300 (process): {'x' * 300}\n" in summary.text
    assert summary.text.endswith(f"- proc_301 (process): {'x' * 300} …")
    assert "- a (done): Find it\n- b (active): Mend it" in summary.text
    assert summary_of(summary_entry("t1", 1, summary)) == summary
    system, shown = model.asked[0].messages[:2]
    assert (system, shown.text) == (SystemMessage("Be brief."), summary.text)
    assert "What was before." in model.summaries[0].messages[0].text


async def test_the_users_words_are_repeated_up_to_their_newest_8000_characters() -> None:
    words: list[Message] = [said(number, str(number) * 1_000) for number in range(1, 10)]
    brief = brief_with([*words, *talk(20, size=9_000)])
    summary = summary_in(await facts_of(loop_with(SmallModel(window=40_000), window=40_000), brief))

    assert sum(map(len, summary.said)) <= 8_000
    assert summary.said[-1].startswith("question")
    assert "1" * 1_000 not in summary.said


async def test_messages_that_come_meanwhile_are_read_after_the_summary() -> None:
    async def arriving(step: int, index: int) -> Sequence[Message]:
        return [UserMessage("stop that", origin=f"t9.{step}.{index}")]

    model = SmallModel()
    await facts_of(loop_with(model, window=4_000), brief_with(talk(6), take_inputs=arriving))
    assert model.asked[0].messages[-1] == UserMessage("stop that")


async def test_a_conversation_that_is_too_long_for_the_summary_is_summed_up_in_parts() -> None:
    model = SmallModel()
    facts = await facts_of(loop_with(model, window=4_000), brief_with(talk(20)))

    assert len(model.summaries) > 4
    assert max(map(size_of, model.summaries)) <= 4_000
    assert "Summary 1." in model.summaries[1].messages[0].text
    assert summary_in(facts).words == f"Summary {len(model.summaries)}."
    assert summary_in(facts).usage.input_tokens == sum(map(size_of, model.summaries))


async def test_parts_get_smaller_where_the_window_of_the_summing_model_is_unknown() -> None:
    model = SmallModel(names_window=False)
    facts = await facts_of(loop_with(model), brief_with(talk(20)))
    assert summary_in(facts).model == TURN.model
    assert len(model.summaries) > 4


async def test_a_summary_that_fails_is_tried_three_times_and_then_made_without_a_model() -> None:
    model = SmallModel(failures=[DOWN] * 2)
    assert summary_in(await facts_of(loop_with(model, window=4_000), brief_with(talk(6)))).model == TURN.model

    model = SmallModel(failures=[DOWN] * 3)
    summary = summary_in(await facts_of(loop_with(model, window=4_000), brief_with(talk(6))))
    assert (summary.model, summary.usage, len(model.summaries)) == ("", Usage(), 3)
    assert "no model could write one" in summary.text
    assert "User: question 0" in summary.words
    assert "Agent: yyy" in summary.words


async def test_a_summary_that_fails_halfway_is_paid_for() -> None:
    model = SmallModel(blank_summaries=[2, 3])
    loop = Loop(
        lambda name: (model, name),
        [],
        OPEN_GATE,
        AgentSettings(model_retry_seconds=0.0),
        SHORT_RESULTS,
        windows=windows_with(4_000),
        cost_of=lambda name, usage: float(usage.output_tokens),
    )
    facts = await facts_of(loop, brief_with(talk(6)))

    [wasted] = [fact.spend for fact in facts if isinstance(fact, Wasted)]
    summary = summary_in(facts)
    failed, made = model.summaries[:3], model.summaries[3:]
    assert wasted == Spend(sum(map(size_of, failed)), 9, 9.0)
    assert summary.spend == Spend(sum(map(size_of, made)), 3 * len(made), 3.0 * len(made))
    assert len(made) >= 2


async def test_a_fallback_sums_up_where_the_turns_own_model_cannot() -> None:
    own, other = SmallModel(failures=[DOWN] * 3), SmallModel()
    models = {TURN.model: own, "test:other": other}
    settings = AgentSettings(fallback_models=("test:other",), model_retry_seconds=0.0)
    loop = Loop(lambda name: (models[name], name), [], OPEN_GATE, settings, SHORT_RESULTS, windows=windows_with(4_000))

    assert summary_in(await facts_of(loop, brief_with(talk(6)))).model == "test:other"


async def test_a_wish_that_is_longer_than_the_window_is_shortened() -> None:
    model = SmallModel()
    asked = TurnRequest(kind=COMPACT, instructions="keep the numbers " + "f" * 60_000)

    summary = summary_in(await facts_of(loop_with(model, window=4_000), brief_with(talk(6), asked=asked)))

    assert summary.model == TURN.model
    assert "keep the numbers" in model.summaries[-1].messages[0].text


@pytest.mark.parametrize("asked", [TurnRequest(kind=COMPACT), TurnRequest()])
async def test_no_summary_is_made_beyond_the_hard_cap(asked: TurnRequest) -> None:
    async def check_spend() -> None:
        raise LimitReached("Enough.", code="spend_limit")

    model = SmallModel()
    brief = brief_with(talk(6), asked=asked, check_spend=check_spend)
    facts, failure = await failure_of(loop_with(model, window=4_000), brief)

    assert (facts, failure.code, model.summaries) == ([], "spend_limit", [])


async def test_the_configured_model_sums_up_and_the_turns_own_if_that_fails() -> None:
    def find(models: Mapping[str, SmallModel]) -> Callable[[str], tuple[SmallModel, str]]:
        def found(name: str) -> tuple[SmallModel, str]:
            if name not in models:
                raise ConfigError("unknown")
            return models[name], name

        return found

    own, other = SmallModel(), SmallModel(failures=[DOWN] * 3)
    settings = AgentSettings(compact_model="test:other", model_retry_seconds=0.0)
    for models in ({TURN.model: own, "test:other": other}, {TURN.model: own}):
        loop = Loop(find(models), [], OPEN_GATE, settings, SHORT_RESULTS, windows=windows_with(4_000))
        assert summary_in(await facts_of(loop, brief_with(talk(6)))).model == TURN.model
    other.failures.clear()
    loop = Loop(
        find({TURN.model: own, "test:other": other}),
        [],
        OPEN_GATE,
        settings,
        SHORT_RESULTS,
        windows=windows_with(4_000),
    )
    assert summary_in(await facts_of(loop, brief_with(talk(6)))).model == "test:other"


async def test_a_message_that_alone_is_too_long_fails_and_the_next_one_is_answered() -> None:
    model = SmallModel()
    loop = loop_with(model, window=4_000)
    huge = said(0, "z" * 30_000)
    facts, failure = await failure_of(loop, brief_with([huge]))

    assert names(facts) == ["CompactionStarted", "CompactionFailed"]
    assert facts[1] == CompactionFailed(1, CompactionReason.AUTO, facts[0].context_tokens, str(failure))  # type: ignore[union-attr]
    assert failure.code == "context_overflow"
    assert "The last message alone has about 10,004 tokens" in str(failure)

    facts = await facts_of(loop, brief_with([huge, said(1, "Then another question.")]))
    assert isinstance(facts[-1], Answered)


async def test_an_endpoint_that_counts_far_too_little_is_not_believed() -> None:
    model = SmallModel(window=100_000)
    brief = brief_with(talk(20), measure=Measure(7, 40))

    assert "Compacted" in names(await facts_of(loop_with(model, window=4_000), brief))
    assert "Compacted" not in names(await facts_of(loop_with(model, window=40_000), brief))


async def test_a_window_that_has_grown_is_noticed_when_nothing_fits_the_old_one() -> None:
    windows = LearntWindows()
    windows.learn_window(TURN.model, 300)
    model = SmallModel(window=4_000)
    loop = Loop(lambda name: (model, name), [], OPEN_GATE, AgentSettings(), SHORT_RESULTS, windows=windows)

    facts = await facts_of(loop, brief_with([said(0, "x" * 3_000)]))

    assert names(facts) == ["TextDelta", "Answered"]
    assert windows.window_of(TURN.model) is None


async def test_an_endpoint_that_still_refuses_names_its_window_again() -> None:
    windows = LearntWindows()
    windows.learn_window(TURN.model, 300)
    model = SmallModel(window=300)
    loop = Loop(lambda name: (model, name), [], OPEN_GATE, AgentSettings(), SHORT_RESULTS, windows=windows)

    facts, failure = await failure_of(loop, brief_with([said(0, "x" * 3_000)]))

    assert names(facts) == ["CompactionStarted", "CompactionFailed"]
    assert (failure.code, windows.window_of(TURN.model)) == ("context_overflow", 300)


async def test_instructions_that_leave_no_room_fail_with_a_sentence() -> None:
    asked = TurnRequest(instructions="i" * 11_000)
    _, failure = await failure_of(loop_with(SmallModel(), window=4_000), brief_with(talk(1), asked=asked))
    assert failure.code == "context_overflow"
    assert "The instructions and tools alone have about" in str(failure)


async def test_two_summaries_in_vain_end_the_turn() -> None:
    facts, failure = await failure_of(loop_with(SmallModel(), window=4_000), brief_with(talk(8), vain_summaries=2))
    assert (names(facts), failure.code) == (["CompactionStarted", "CompactionFailed"], "context_overflow")
    assert "The conversation cannot be made shorter than about 8,107 tokens" in str(failure)


async def test_an_endpoint_that_refuses_everything_ends_the_turn() -> None:
    facts, failure = await failure_of(loop_with(SmallModel(window=10, names_window=False)), brief_with(talk(8)))
    assert (names(facts)[-1], failure.code) == ("CompactionFailed", "context_overflow")
    assert names(facts).count("Compacted") < 5


@pytest.mark.parametrize(
    ("asked", "compacts"),
    [
        (TurnRequest(kind=CHAT), False),
        (TurnRequest(kind="response"), False),
        (TurnRequest(kind="response", echo={"truncation": "auto"}), True),
        (TurnRequest(kind="response", echo={"conversation": {"id": "conv_1"}}), True),
        (TurnRequest(kind="run"), True),
    ],
)
async def test_a_client_that_keeps_the_conversation_itself_is_told_that_it_is_too_long(
    asked: TurnRequest, compacts: bool
) -> None:
    model = SmallModel()
    loop, brief = loop_with(model, window=4_000), brief_with(talk(8), asked=asked)
    if compacts:
        assert isinstance((await facts_of(loop, brief))[-1], Answered)
        return
    facts, failure = await failure_of(loop, brief)
    assert (facts, failure.code, model.summaries) == ([], "context_overflow", [])


async def test_a_user_has_the_conversation_summed_up_with_a_focus() -> None:
    model = SmallModel(window=100_000)
    brief = brief_with(talk(3), asked=TurnRequest(kind=COMPACT, instructions="the file names"))
    facts = await facts_of(loop_with(model), brief)

    assert names(facts) == ["CompactionStarted", "Compacted"]
    assert isinstance(facts[0], CompactionStarted)
    assert (facts[0].reason, summary_in(facts).reason) == (CompactionReason.MANUAL, CompactionReason.MANUAL)
    assert "the file names" in model.summaries[0].messages[0].text
    assert model.asked == []


async def test_a_short_conversation_can_be_summed_up_too() -> None:
    brief = brief_with(talk(2, size=10), asked=TurnRequest(kind=COMPACT))
    summary = summary_in(await facts_of(loop_with(SmallModel()), brief))
    assert summary.said == ("question 0", "question 1")


async def test_after_a_crash_a_recorded_summary_is_not_made_again() -> None:
    model = SmallModel()
    brief = brief_with(talk(3), asked=TurnRequest(kind=COMPACT), summaries=1)
    assert await facts_of(loop_with(model), brief) == []
    assert model.summaries == []


async def test_summaries_do_not_count_against_the_limit_of_answers() -> None:
    calls = [(ToolCall(f"c{number}", "read", "{}"),) for number in range(9)]
    loop = loop_with(SmallModel(calls=list(calls)), window=4_000, tool=LogReader(), step_limit=10)
    facts = await facts_of(loop, brief_with([said(0, "go")]))
    assert names(facts).count("Answered") == 10
    assert "Compacted" in names(facts)
