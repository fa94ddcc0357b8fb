"""What becomes of the results of calls before the model and the journal get them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.open_gate import OPEN_GATE
from tests.short_results import SHORT_RESULTS
from tests.unit.agent.test_loop import TURN, EchoTool, ScriptedModel, brief_with, call, facts_of
from wakeful.agent.loop import Loop
from wakeful.agent.settings import AgentSettings
from wakeful.model.api.request import COMPACT, TurnRequest
from wakeful.model.files.attachment import Attachment
from wakeful.model.journal.change import Change, ChangeKind
from wakeful.model.journal.fact import CallFinished
from wakeful.model.journal.message import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from wakeful.model.turn import Turn
from wakeful.tools.base import ToolContext, ToolPicture, ToolResult, Toolset, ToolSpec

SHOWN = Attachment("att_1", "chart.png", "image/png", 7)


@dataclass
class Writer(EchoTool):
    """It says whatever a test says."""

    result: ToolResult = field(default_factory=lambda: ToolResult("done"))

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        await super().run(arguments, context)
        return self.result


@dataclass
class Shortened:
    """Results of more than ten characters are too long."""

    seen: list[str] = field(default_factory=list)

    def limit_of(self, model: str) -> int:
        return 10 if model == TURN.model else 0

    async def shortened(self, result: ToolResult, context: ToolContext) -> str:
        self.seen.append(result.text)
        return f"{result.text[:5]}…"


def redact(text: str) -> str:
    return text.replace("hunter2", "***")


async def finished(result: ToolResult, made: ToolCall | None = None) -> tuple[CallFinished, list[str], ScriptedModel]:
    """Let a model call a tool with this result, and return the fact, what was shortened, and the model."""
    model, long = ScriptedModel([([], (made or call("echo"),)), (["done"], ())]), Shortened()
    tool = Writer(result=result)
    loop = Loop(lambda name: (model, name), [tool], OPEN_GATE, AgentSettings(), long, redact)
    facts = await facts_of(loop, brief_with())
    (fact,) = [fact for fact in facts if isinstance(fact, CallFinished)]
    return fact, long.seen, model


@pytest.mark.parametrize(
    ("text", "read", "seen"),
    [
        ("0123456789", "0123456789", []),
        ("0123456789x", "01234…", ["0123456789x"]),
        # Secrets are out before anything is measured or kept.
        ("is hunter2 so", "is *** so", []),
        ("longer hunter2x", "longe…", ["longer ***x"]),
    ],
)
async def test_a_result_that_is_too_long_is_shortened(text: str, read: str, seen: list[str]) -> None:
    fact, shortened, model = await finished(ToolResult(text))

    assert (fact.text, shortened) == (read, seen)
    assert model.requests[1][-1] == ToolMessage("c1", read)


async def test_what_a_call_has_changed_and_shows_goes_with_its_result_without_secrets() -> None:
    change = Change("a.py", ChangeKind.CHANGED, 1, 0, "+password = hunter2", undoable=True)
    picture = ToolPicture("a.gif", "image/gif", b"GIF")

    fact, _, model = await finished(
        ToolResult("done", ("k1",), is_error=True, changes=(change,), pictures=(picture,), shows=(SHOWN,))
    )

    assert fact.changes == (replace(change, diff="+password = ***"),)
    assert (fact.consumes, fact.is_error, fact.shows) == (("k1",), True, (SHOWN,))
    assert fact.images == ("data:image/gif;base64,R0lG",)
    assert model.requests[1][-1] == ToolMessage("c1", "done", is_error=True, images=fact.images)


async def test_arguments_that_are_an_empty_text_are_none() -> None:
    fact, _, _ = await finished(ToolResult("done"), call("echo", arguments=""))

    assert (fact.text, fact.is_error) == ("done", False)


class Owned(EchoTool):
    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, "of the turn alone", {"type": "object"}, other_names=("old_name",))


async def with_own_tools(
    asked: TurnRequest | None, *answers: tuple[list[str], tuple[ToolCall, ...]]
) -> tuple[ScriptedModel, Owned, list[Turn]]:
    model, own, turns = ScriptedModel(list(answers)), Owned("own"), list[Turn]()
    said: list[Message] = [UserMessage("one"), AssistantMessage("two"), UserMessage("three"), AssistantMessage("four")]

    async def toolset_of(turn: Turn) -> Toolset:
        turns.append(turn)
        return Toolset((own,), "The server notes does not answer.")

    loop = Loop(
        lambda name: (model, name), [EchoTool()], OPEN_GATE, AgentSettings(), SHORT_RESULTS, toolset_of=toolset_of
    )
    await facts_of(loop, brief_with([*said, UserMessage("five")], asked=asked))
    return model, own, turns


async def test_a_turn_may_have_tools_of_its_own_and_a_note_about_them() -> None:
    model, own, turns = await with_own_tools(None, ([], (call("own"),)), (["done"], ()))

    assert [tool.name for tool in model.asked[0].tools] == ["echo", "own"]
    assert "The server notes does not answer." in model.asked[0].instructions
    assert (len(own.runs), turns) == (1, [TURN])
    assert own.contexts[0].tools.names == {"echo", "own"}


async def test_a_turn_whose_client_wants_none_of_the_servers_tools_asks_for_no_own_ones() -> None:
    asked = TurnRequest("response", echo={"max_tool_calls": 0})
    model, _, turns = await with_own_tools(asked, (["done"], ()))

    assert (turns, list(model.asked[0].tools)) == ([], [])


async def test_a_summary_that_the_user_wants_needs_no_tools() -> None:
    model, _, turns = await with_own_tools(TurnRequest(kind=COMPACT, instructions="the names"), (["short"], ()))

    assert turns == []
    assert "the names" not in model.asked[0].instructions


async def test_a_tool_is_found_by_its_older_names_too() -> None:
    tool = Owned("own")
    model = ScriptedModel([([], (call("old_name"),)), (["done"], ())])
    loop = Loop(lambda name: (model, name), [tool], OPEN_GATE, AgentSettings(), SHORT_RESULTS)

    await facts_of(loop, brief_with())

    assert len(tool.runs) == 1


@pytest.mark.parametrize("calls_made", [0, 1])
async def test_a_tool_that_must_be_called_is_demanded_only_once(calls_made: int) -> None:
    model = ScriptedModel([([], (call("echo"),)), (["done"], ())])
    asked = TurnRequest("response", options={"tool_choice": "required", "seed": 1})
    loop = Loop(lambda name: (model, name), [EchoTool()], OPEN_GATE, AgentSettings(), SHORT_RESULTS)

    await facts_of(loop, brief_with(asked=asked, calls_made=calls_made))

    free: dict[str, object] = {"seed": 1}
    first = free if calls_made else {"tool_choice": "required", "seed": 1}
    assert [request.options for request in model.asked] == [first, free]
