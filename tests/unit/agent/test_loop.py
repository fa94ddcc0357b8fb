"""The agent loop, with a model that follows a script and real tool calls."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.open_gate import OPEN_GATE
from tests.short_results import SHORT_RESULTS
from tests.unit.tools.kit import Person, gate_of
from wakeful.agent import model_tries
from wakeful.agent.loop import Loop
from wakeful.agent.providers.base import AnswerPart, AnswerText, Finished, ModelRequest, SpoiltAnswer
from wakeful.agent.settings import AgentSettings
from wakeful.errors import ConfigError, LimitReached, ModelError
from wakeful.model.api.request import ClientTool, TurnRequest
from wakeful.model.journal.fact import Answered, Brief, CallFinished, Fact, OpenCall, StepAbandoned, TextDelta, Wasted
from wakeful.model.journal.message import AssistantMessage, Message, ToolCall, ToolMessage, Usage, UserMessage
from wakeful.model.journal.transcript import INTERRUPTED
from wakeful.model.session import Address
from wakeful.model.spend import Spend
from wakeful.model.turn import Door, Turn, TurnStatus
from wakeful.tools.base import Intent, ToolContext, ToolResult, ToolSpec, TurnTools

TURN = Turn(
    "turn_1", "ses_1", None, Door("web", True), Address("web"), "user", False, "test:model", TurnStatus.RUNNING, "n", 1
)
BROKEN = ModelError("broken", code="model_stream_broken", passing=True)


def call(name: str, call_id: str = "c1", arguments: str = "{}") -> ToolCall:
    return ToolCall(call_id, name, arguments)


@dataclass
class ScriptedModel:
    """Each answer is a list of texts, then calls or an error."""

    answers: list[tuple[list[str], tuple[ToolCall, ...] | Exception]]
    requests: list[list[Message]] = field(default_factory=list)
    asked: list[ModelRequest] = field(default_factory=list)
    is_cut: bool = False
    is_closed: bool = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        self.requests.append(list(request.messages))
        self.asked.append(request)
        texts, end = self.answers.pop(0)
        try:
            for text in texts:
                yield AnswerText(text)
            if isinstance(end, Exception):
                raise end
            yield Finished(AssistantMessage("".join(texts), calls=end), Usage(10, 5), self.is_cut)
        finally:
            self.is_closed = True

    async def close(self) -> None: ...


@dataclass
class EchoTool:
    name: str = "echo"
    is_harmless: bool = False
    runs: list[Mapping[str, Any]] = field(default_factory=list)
    contexts: list[ToolContext] = field(default_factory=list)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    waits_for: asyncio.Event | None = None

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, "says it again", {"type": "object"})

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent:
        return Intent()

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        return self.is_harmless

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self.runs.append(arguments)
        self.contexts.append(context)
        self.started.set()
        if self.waits_for is not None:
            await self.waits_for.wait()
        if arguments.get("breaks"):
            raise ZeroDivisionError
        return ToolResult(f"echo {arguments.get('text', '')}", consumes=("task",))


@dataclass
class TidyTool(EchoTool):
    """It has something to do when it is stopped."""

    has_tidied: bool = False

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        try:
            return await super().run(arguments, context)
        finally:
            for _ in range(50):
                await asyncio.sleep(0)
            self.has_tidied = True


def loop_with(model: ScriptedModel, *tools: EchoTool, **settings: Any) -> Loop:
    return Loop(lambda name: (model, name), tools, OPEN_GATE, AgentSettings(**settings), SHORT_RESULTS)


def brief_with(
    messages: Sequence[Message] = (UserMessage("hello"),),
    *,
    last_step: int = 0,
    open_calls: Sequence[OpenCall] = (),
    waits_for_client: bool = False,
    is_answered: bool = False,
    arriving: Sequence[Message] = (),
    asked: TurnRequest | None = None,
    calls_made: int = 0,
) -> Brief:
    async def take_inputs(step: int, index: int) -> Sequence[Message]:
        return arriving

    turn = TURN if asked is None else replace(TURN, request=asked.dump())
    return Brief(turn, messages, last_step, open_calls, waits_for_client, is_answered, 0, take_inputs, calls_made)


def answered_with(*calls: ToolCall) -> list[Message]:
    """A conversation whose last answer makes these calls."""
    return [UserMessage("hello"), AssistantMessage("", calls=calls)]


async def facts_of(loop: Loop, brief: Brief) -> list[Fact]:
    return [fact async for fact in loop.run(brief)]


async def test_an_answer_without_calls_ends_the_turn() -> None:
    model = ScriptedModel([(["he", "llo"], ())])
    facts = await facts_of(loop_with(model), brief_with())
    assert facts == [
        TextDelta(1, "he"),
        TextDelta(1, "llo"),
        Answered(1, AssistantMessage("hello"), Usage(10, 5), model="test:model"),
    ]


async def test_calls_are_run_and_their_results_and_what_arrived_reach_the_next_request() -> None:
    model = ScriptedModel([([], (call("echo", arguments='{"text": "a"}'),)), (["done"], ())])
    loop = loop_with(model, EchoTool())
    facts = await facts_of(loop, brief_with(arriving=[UserMessage("left!")]))
    assert [type(fact).__name__ for fact in facts] == ["Answered", "CallFinished", "TextDelta", "Answered"]
    assert model.requests[1][-2:] == [ToolMessage("c1", "echo a"), UserMessage("left!")]
    assert isinstance(facts[1], CallFinished)
    assert facts[1].consumes == ("task",)


async def test_a_call_knows_its_step_and_index_and_works_in_the_folder_of_its_session() -> None:
    tool = EchoTool()
    brief = replace(brief_with(), turn=replace(TURN, workspace="/srv/project"))
    await facts_of(loop_with(ScriptedModel([([], (call("echo"),)), (["done"], ())]), tool), brief)
    assert tool.contexts == [ToolContext(brief.turn, 1, 1, "c1", tools=TurnTools(frozenset({"echo"})))]
    assert tool.contexts[0].workspace == Path("/srv/project")


async def test_the_calls_of_one_answer_run_at_the_same_time_and_are_read_in_order() -> None:
    second = EchoTool("second")
    first = EchoTool("first", waits_for=second.started)
    model = ScriptedModel([([], (call("first", "a"), call("second", "b"))), (["done"], ())])
    async with asyncio.timeout(5):
        facts = await facts_of(loop_with(model, first, second), brief_with())
    assert [fact.index for fact in facts if isinstance(fact, CallFinished)] == [2, 1]
    assert model.requests[1][-2:] == [ToolMessage("a", "echo "), ToolMessage("b", "echo ")]


@pytest.mark.parametrize(
    ("bad_call", "text"),
    [
        (call("nothing"), "There is no tool 'nothing'; the tools are: another, echo."),
        (call("echo", arguments="{"), "are not a JSON object"),
        (call("echo", arguments="[1]"), "are not a JSON object"),
        (call("echo", arguments='{"breaks": true}'), "echo broke: ZeroDivisionError"),
    ],
)
async def test_a_failed_call_is_reported_to_the_model(bad_call: ToolCall, text: str) -> None:
    model = ScriptedModel([([], (bad_call,)), (["sorry"], ())])
    await facts_of(loop_with(model, EchoTool(), EchoTool("another")), brief_with())
    answer = model.requests[1][-1]
    assert isinstance(answer, ToolMessage)
    assert text in answer.text


@pytest.fixture
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the next try of a model begin at once; test_model_tries.py tells how long it waits."""
    monkeypatch.setattr(model_tries, "_backoff", lambda attempt: 0.0)


@pytest.mark.usefixtures("no_waits")
async def test_a_stream_that_breaks_half_way_is_abandoned_and_asked_for_again() -> None:
    model = ScriptedModel([(["half"], BROKEN), (["whole"], ())])
    facts = await facts_of(loop_with(model), brief_with())
    assert facts[:3] == [TextDelta(1, "half"), StepAbandoned(1), TextDelta(1, "whole")]


@pytest.mark.usefixtures("no_waits")
async def test_a_model_that_fails_for_good_is_asked_three_times_and_each_failure_is_counted() -> None:
    model, counted = ScriptedModel([([], BROKEN)] * 5), list[str]()
    loop = Loop(lambda name: (model, name), (), OPEN_GATE, AgentSettings(), SHORT_RESULTS, count_error=counted.append)
    with pytest.raises(ModelError, match="broken"):
        await facts_of(loop, brief_with())
    assert (len(model.requests), counted) == (3, ["model_stream_broken"] * 3)


@pytest.mark.usefixtures("no_waits")
async def test_the_next_try_begins_when_the_endpoint_wants_it() -> None:
    busy = ModelError("later", code="model_rate_limited", passing=True, retry_after=0.05)
    begun = time.monotonic()
    await facts_of(loop_with(ScriptedModel([([], busy), (["done"], ())])), brief_with())
    assert time.monotonic() - begun >= 0.04


async def test_a_failure_that_cannot_pass_is_not_tried_again() -> None:
    model = ScriptedModel([([], ModelError("no credit", code="model_credit"))] * 2)
    with pytest.raises(ModelError, match="no credit"):
        await facts_of(loop_with(model), brief_with())
    assert len(model.requests) == 1


async def test_no_try_begins_after_the_time_for_tries_is_over() -> None:
    late = ModelError("later", code="model_rate_limited", passing=True, retry_after=60)
    model = ScriptedModel([([], late)] * 2)
    with pytest.raises(ModelError, match="later"):
        await facts_of(loop_with(model, model_retry_seconds=1.0), brief_with())
    assert len(model.requests) == 1


async def test_a_turn_for_an_unknown_model_says_so() -> None:
    def find_nothing(name: str) -> Any:
        raise ConfigError(f"There is no provider for {name}.")

    with pytest.raises(ModelError, match="no provider for test:model") as failure:
        await facts_of(Loop(find_nothing, [], OPEN_GATE, AgentSettings(), SHORT_RESULTS), brief_with())
    assert (failure.value.code, failure.value.passing) == ("model_not_found", False)


async def test_the_number_of_answers_is_limited() -> None:
    model = ScriptedModel([([], (call("echo"),))] * 3)
    with pytest.raises(LimitReached) as limit:
        await facts_of(loop_with(model, EchoTool(), step_limit=2), brief_with())
    assert limit.value.code == "step_limit"
    assert len(model.requests) == 2


@pytest.mark.parametrize(("token_limit", "answers"), [(9, 2), (10, 3)])
async def test_the_number_of_tokens_is_limited(token_limit: int, answers: int) -> None:
    model = ScriptedModel([([], (call("echo"),))] * 3)
    with pytest.raises(LimitReached) as limit:
        await facts_of(loop_with(model, EchoTool(), token_limit=token_limit), brief_with())
    assert (limit.value.code, len(model.requests)) == ("token_limit", answers)


async def test_calls_with_missing_or_repeated_ids_get_their_own() -> None:
    model = ScriptedModel([([], (call("echo", ""), call("echo", "c"), call("echo", "c"))), (["done"], ())])
    facts = await facts_of(loop_with(model, EchoTool()), brief_with())
    assert isinstance(facts[0], Answered)
    ids = [made.id for made in facts[0].message.calls]
    assert (ids[1], len(set(ids)), all(ids)) == ("c", 3, True)


async def test_a_turn_that_was_answered_before_a_crash_does_nothing_more() -> None:
    assert await facts_of(loop_with(ScriptedModel([])), brief_with(is_answered=True)) == []


async def test_after_a_crash_a_call_of_unknown_outcome_is_reported_and_not_run_again() -> None:
    tool = EchoTool()
    model = ScriptedModel([(["I will check"], ())])
    said, calls = answered_with(call("echo")), [OpenCall(1, call("echo"))]
    brief = brief_with(said, last_step=1, open_calls=calls, arriving=[UserMessage("too early")])
    facts = await facts_of(loop_with(model, tool), brief)
    assert facts[0] == CallFinished(1, 1, call("echo"), INTERRUPTED, 0.0, is_error=True)
    assert tool.runs == []
    assert model.requests[0][-1] == ToolMessage("c1", INTERRUPTED, is_error=True)


async def test_after_a_crash_a_call_whose_question_is_open_has_done_nothing_and_is_run_again() -> None:
    tool, model = EchoTool(), ScriptedModel([(["done"], ())])
    gate = gate_of(Person(None, is_still_asked=True))
    loop = Loop(lambda name: (model, name), [tool], gate, AgentSettings(), SHORT_RESULTS)

    calls = [OpenCall(1, call("echo"))]
    await facts_of(loop, brief_with(answered_with(call("echo")), last_step=1, open_calls=calls))

    assert len(tool.runs) == 1


async def test_after_a_crash_a_harmless_call_is_run_again() -> None:
    tool = EchoTool(is_harmless=True)
    brief = brief_with(answered_with(call("echo")), last_step=1, open_calls=[OpenCall(1, call("echo"))])
    facts = await facts_of(loop_with(ScriptedModel([(["done"], ())]), tool), brief)
    assert isinstance(facts[0], CallFinished)
    assert facts[0].text == "echo "
    assert len(tool.runs) == 1


async def test_closing_the_loop_stops_the_model() -> None:
    model = ScriptedModel([(["a", "b"], ())])
    async with aclosing(loop_with(model).run(brief_with())) as facts:
        await anext(facts)
    assert model.is_closed


async def test_closing_the_loop_stops_the_tools_and_waits_until_they_have_tidied_up() -> None:
    quick, slow = EchoTool("quick"), TidyTool("slow", waits_for=asyncio.Event())
    model = ScriptedModel([([], (call("slow", "a"), call("quick", "b")))])
    before = asyncio.all_tasks()
    async with aclosing(loop_with(model, quick, slow).run(brief_with())) as facts:
        assert isinstance(await anext(facts), Answered)
        assert isinstance(await anext(facts), CallFinished)
    assert slow.has_tidied
    assert asyncio.all_tasks() == before


async def test_known_secrets_are_taken_out_of_every_result() -> None:
    model = ScriptedModel([([], (call("echo", arguments='{"text": "hunter2"}'),)), (["done"], ())])

    def redact(text: str) -> str:
        return text.replace("hunter2", "***")

    loop = Loop(lambda name: (model, name), [EchoTool()], OPEN_GATE, AgentSettings(), SHORT_RESULTS, redact)
    facts = await facts_of(loop, brief_with())
    assert [fact.text for fact in facts if isinstance(fact, CallFinished)] == ["echo ***"]
    assert model.requests[1][-1] == ToolMessage("c1", "echo ***")


# A client that brings a tool.
WITH_LOOK = TurnRequest("response", "Be brief.", (ClientTool("look", "sees", {"type": "object"}),), {"temperature": 0})


async def test_a_call_for_the_client_ends_the_turn() -> None:
    model = ScriptedModel([(["I look"], (call("look"),))])
    facts = await facts_of(loop_with(model, EchoTool()), brief_with(asked=WITH_LOOK))
    assert isinstance(facts[-1], Answered)
    assert facts[-1].client_calls == {1}
    assert len(model.requests) == 1


async def test_our_own_calls_run_before_a_turn_ends_with_calls_for_the_client() -> None:
    tool = EchoTool()
    model = ScriptedModel([([], (call("look", "a"), call("echo", "b"), call("look", "c")))])
    facts = await facts_of(loop_with(model, tool), brief_with(asked=WITH_LOOK, arriving=[UserMessage("too early")]))
    assert [type(fact).__name__ for fact in facts] == ["Answered", "CallFinished"]
    assert isinstance(facts[0], Answered)
    assert isinstance(facts[1], CallFinished)
    assert (facts[0].client_calls, facts[1].index, facts[1].call.id) == (frozenset({1, 3}), 2, "b")
    assert (len(tool.runs), len(model.requests)) == (1, 1)


async def test_the_model_reads_what_the_client_asks_for() -> None:
    model = ScriptedModel([(["done"], ())])
    await facts_of(loop_with(model, EchoTool()), brief_with(asked=WITH_LOOK))
    asked = model.asked[0]
    assert asked.instructions.endswith("Be brief.")
    assert asked.options == {"temperature": 0}
    assert [tool.name for tool in asked.tools] == ["echo", "look"]


async def test_a_tool_of_the_client_replaces_ours_with_the_same_name() -> None:
    tool = EchoTool()
    model = ScriptedModel([([], (call("echo"),))])
    asked = TurnRequest("response", tools=(ClientTool("echo", "another one"),))
    facts = await facts_of(loop_with(model, tool), brief_with(asked=asked))
    assert [spec.description for spec in model.asked[0].tools] == ["another one"]
    assert isinstance(facts[-1], Answered)
    assert (facts[-1].client_calls, tool.runs) == (frozenset({1}), [])


async def test_after_a_crash_our_open_calls_run_and_the_turn_then_waits_for_its_client() -> None:
    tool, model = EchoTool(is_harmless=True), ScriptedModel([])
    said, calls = answered_with(call("look"), call("echo", "b")), [OpenCall(2, call("echo", "b"))]
    brief = brief_with(said, last_step=1, open_calls=calls, waits_for_client=True, asked=WITH_LOOK)
    facts = await facts_of(loop_with(model, tool), brief)
    assert [(type(fact).__name__, getattr(fact, "index", None)) for fact in facts] == [("CallFinished", 2)]
    assert model.requests == []


async def test_after_a_crash_a_turn_with_only_calls_for_the_client_does_nothing_more() -> None:
    brief = brief_with(last_step=1, waits_for_client=True, is_answered=True, asked=WITH_LOOK)
    assert await facts_of(loop_with(ScriptedModel([])), brief) == []


async def test_an_answer_that_reached_the_output_limit_is_marked_as_cut() -> None:
    model = ScriptedModel([(["so m"], ())], is_cut=True)
    facts = await facts_of(loop_with(model), brief_with())
    assert isinstance(facts[-1], Answered)
    assert facts[-1].is_cut


NO_TOOLS = TurnRequest("response", tools=WITH_LOOK.tools, allowed_tools=())
NO_CALLS = TurnRequest("response", tools=WITH_LOOK.tools, echo={"max_tool_calls": 0})
ONLY_LOOK = TurnRequest("response", tools=WITH_LOOK.tools, allowed_tools=("look",))


@pytest.mark.parametrize(("asked", "offered"), [(NO_TOOLS, []), (NO_CALLS, ["look"]), (ONLY_LOOK, ["look"])])
async def test_the_model_gets_only_the_tools_that_the_client_allows(asked: TurnRequest, offered: list[str]) -> None:
    model = ScriptedModel([(["done"], ())])
    await facts_of(loop_with(model, EchoTool()), brief_with(asked=asked))
    assert [tool.name for tool in model.asked[0].tools] == offered


@pytest.mark.parametrize(
    ("asked", "name", "code"),
    [
        (NO_TOOLS, "echo", "tool_not_allowed"),
        (NO_TOOLS, "look", "tool_not_allowed"),
        (NO_CALLS, "echo", "too_many_calls"),
        (ONLY_LOOK, "echo", "tool_not_allowed"),
    ],
)
async def test_a_call_that_the_client_does_not_allow_is_not_run_and_the_model_reads_why(
    asked: TurnRequest, name: str, code: str
) -> None:
    tool, model = EchoTool(), ScriptedModel([([], (call(name),)), (["without it"], ())])
    facts = await facts_of(loop_with(model, tool), brief_with(asked=asked))
    assert isinstance(facts[1], CallFinished)
    assert facts[1].is_error
    assert f'"code":"{code}"' in model.requests[1][-1].text
    assert tool.runs == []
    assert facts[-1] == Answered(2, AssistantMessage("without it"), Usage(10, 5), model="test:model")


@pytest.mark.parametrize("asked", [NO_CALLS, ONLY_LOOK])
async def test_a_function_of_the_client_is_handed_to_it_where_only_the_servers_tools_are_not_allowed(
    asked: TurnRequest,
) -> None:
    model = ScriptedModel([([], (call("look"),))])
    facts = await facts_of(loop_with(model, EchoTool()), brief_with(asked=asked))
    assert isinstance(facts[-1], Answered)
    assert facts[-1].client_calls == {1}


async def test_after_a_crash_a_call_beyond_the_clients_limit_is_refused_and_not_run() -> None:
    calls = [call("echo", name) for name in ("a", "b", "c")]
    tool, model = EchoTool(is_harmless=True), ScriptedModel([(["done"], ())])
    asked = TurnRequest("response", echo={"max_tool_calls": 2})
    still_open = [OpenCall(2, calls[1]), OpenCall(3, calls[2])]
    brief = brief_with(answered_with(*calls), last_step=1, open_calls=still_open, asked=asked, calls_made=3)
    facts = await facts_of(loop_with(model, tool), brief)
    ends = {fact.index: fact.is_error for fact in facts if isinstance(fact, CallFinished)}
    assert (ends, len(tool.runs)) == ({2: False, 3: True}, 1)


@pytest.mark.parametrize("blank", [[], [" ", "\n"]])
async def test_an_empty_answer_is_asked_for_once_more(blank: list[str]) -> None:
    model = ScriptedModel([(blank, ()), (["words"], ())])
    facts = await facts_of(loop_with(model, model_tries=1), brief_with())
    assert facts[-1] == Answered(1, AssistantMessage("words"), Usage(10, 5), model="test:model")
    assert [fact for fact in facts if isinstance(fact, StepAbandoned)] == ([StepAbandoned(1)] if blank else [])


async def test_failed_answers_are_paid_for_as_far_as_they_were_counted() -> None:
    class Filtering(ScriptedModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
            yield SpoiltAnswer(Usage(10, 5))
            raise ModelError("filtered", code="content_filter")

    model = Filtering([])
    loop = Loop(
        lambda name: (model, name), (), OPEN_GATE, AgentSettings(), SHORT_RESULTS, cost_of=lambda name, usage: 0.5
    )
    run = loop.run(brief_with())

    assert await anext(run) == Wasted(1, Spend(10, 5, 0.5))
    with pytest.raises(ModelError, match="filtered"):
        await anext(run)


async def test_empty_answers_are_paid_for() -> None:
    model = ScriptedModel([([" "], ()), (["hello"], ())])
    loop = Loop(
        lambda name: (model, name), (), OPEN_GATE, AgentSettings(), SHORT_RESULTS, cost_of=lambda name, usage: 0.5
    )

    facts = await facts_of(loop, brief_with())

    assert [fact.spend for fact in facts if isinstance(fact, Wasted)] == [Spend(10, 5, 0.5)]


async def test_a_second_empty_answer_is_a_failure() -> None:
    model = ScriptedModel([([], ()), ([], ()), (["too late"], ())])
    with pytest.raises(ModelError) as failure:
        await facts_of(loop_with(model), brief_with())
    assert (failure.value.code, len(model.requests)) == ("empty_answer", 2)


async def test_the_same_call_with_the_same_result_is_refused_after_three_runs() -> None:
    again: list[tuple[list[str], tuple[ToolCall, ...]]] = [([], (call("echo", f"c{n}"),)) for n in range(4)]
    model, tool = ScriptedModel([*again, (["done"], ())]), EchoTool()
    facts = await facts_of(loop_with(model, tool), brief_with())
    assert len(tool.runs) == 3
    last = model.requests[-1][-1]
    assert isinstance(last, ToolMessage)
    assert '"code":"repeated_call"' in last.text
    assert "Try something else" in last.text
    assert isinstance(facts[-1], Answered)


async def test_a_model_that_goes_on_repeating_a_refused_call_ends_the_turn() -> None:
    model, tool = ScriptedModel([([], (call("echo", f"c{n}"),)) for n in range(9)]), EchoTool()
    with pytest.raises(LimitReached, match="same call of echo again and again") as raised:
        await facts_of(loop_with(model, tool), brief_with())
    assert raised.value.code == "repeated_calls"
    assert len(tool.runs) == 3


async def test_a_call_between_two_equal_ones_makes_them_no_repetition() -> None:
    other = '{"text": "b"}'
    calls = [call("echo", f"c{n}", other if n % 3 == 2 else "{}") for n in range(9)]
    model, tool = ScriptedModel([*(([], (made,)) for made in calls), (["done"], ())]), EchoTool()
    await facts_of(loop_with(model, tool), brief_with())
    assert len(tool.runs) == 9


async def test_a_call_whose_result_changes_is_no_repetition() -> None:
    class CountingTool(EchoTool):
        async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
            await super().run(arguments, context)
            return ToolResult(f"run {len(self.runs)}")

    model = ScriptedModel([*(([], (call("echo", f"c{n}"),)) for n in range(6)), (["done"], ())])
    tool = CountingTool()
    await facts_of(loop_with(model, tool), brief_with())
    assert len(tool.runs) == 6


async def test_the_spend_is_checked_before_each_answer_and_a_step_that_has_begun_is_finished() -> None:
    tool, checks = EchoTool(), 0
    model = ScriptedModel([([], (call("echo"),)), (["never"], ())])

    async def check() -> None:
        nonlocal checks
        checks += 1
        if checks == 2:
            raise LimitReached("Too much.", code="spend_limit")

    with pytest.raises(LimitReached):
        await facts_of(loop_with(model, tool), replace(brief_with(), check_spend=check))
    assert (len(model.requests), len(tool.runs)) == (1, 1)


async def test_a_sub_agent_is_offered_the_tools_of_its_delegation_and_cannot_call_or_hand_on_others() -> None:
    echo, other = EchoTool(is_harmless=True), EchoTool("other")
    calls = (ToolCall("call_1", "echo", "{}"), ToolCall("call_2", "other", "{}"))
    model = ScriptedModel([([], calls), (["done"], ())])
    facts = await facts_of(loop_with(model, echo, other), replace(brief_with(), tools=("echo", "gone")))
    assert [[spec.name for spec in asked.tools] for asked in model.asked] == [["echo"]] * 2
    assert (len(echo.runs), other.runs) == (1, [])
    refused = next(fact for fact in facts if isinstance(fact, CallFinished) and fact.call.name == "other")
    assert refused.is_error
    assert "only these tools: echo, gone." in refused.text
    assert echo.contexts[0].tools == TurnTools(frozenset({"echo"}), is_limited=True)


async def test_a_turn_hands_on_no_tool_that_its_client_hides_or_does_not_allow() -> None:
    hidden = TurnRequest(tools=(ClientTool("other"),))
    for asked in (hidden, TurnRequest(allowed_tools=("echo",))):
        echo = EchoTool()
        model = ScriptedModel([([], (ToolCall("call_1", "echo", "{}"),)), (["done"], ())])
        brief = brief_with()
        await facts_of(
            loop_with(model, echo, EchoTool("other")), replace(brief, turn=replace(brief.turn, request=asked.dump()))
        )
        assert echo.contexts[0].tools == TurnTools(frozenset({"echo"}), is_limited=True)
