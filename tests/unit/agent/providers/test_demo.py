import orjson
import pytest

from wakeful.agent.providers.base import Finished, ModelRequest, TextPart
from wakeful.agent.providers.demo import DemoModel
from wakeful.model.message import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from wakeful.tools.base import ToolSpec

_TOOLS = [ToolSpec(name, "", {}) for name in ("read_file", "list_files", "write_file")]


async def _answer(*messages: Message, tools: list[ToolSpec] = _TOOLS) -> AssistantMessage:
    parts = [part async for part in DemoModel(seconds_per_word=0).stream(ModelRequest("wakeful", "", messages, tools))]
    last = parts.pop()
    assert isinstance(last, Finished)
    assert "".join(part.text for part in parts if isinstance(part, TextPart)) == last.message.text
    return last.message


async def test_it_says_that_it_is_no_real_model_and_how_to_configure_one() -> None:
    answer = await _answer(UserMessage("What is the meaning of life?"))

    assert "What is the meaning of life?" in answer.text
    assert "scripted demonstration model" in answer.text
    assert all(name in answer.text for name in ("WAKEFUL_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"))


async def test_it_speaks_word_by_word_and_always_the_same() -> None:
    request = ModelRequest("wakeful", "", [UserMessage("Hello")], _TOOLS)

    first = [part async for part in DemoModel(seconds_per_word=0).stream(request)]
    second = [part async for part in DemoModel(seconds_per_word=0).stream(request)]

    assert first == second
    assert len(first) > 20


@pytest.mark.parametrize(
    ("words", "tool", "arguments"),
    [
        ("read notes.txt", "read_file", {"path": "notes.txt"}),
        ("Please read the file notes.txt.", "read_file", {"path": "notes.txt"}),
        ("list files", "list_files", {}),
        ("List the files in docs", "list_files", {"path": "docs"}),
        ("write a.txt: two\nlines", "write_file", {"path": "a.txt", "content": "two\nlines"}),
    ],
)
async def test_plain_requests_call_tools(words: str, tool: str, arguments: dict[str, str]) -> None:
    answer = await _answer(UserMessage(words))

    assert [call.name for call in answer.calls] == [tool]
    assert orjson.loads(answer.calls[0].arguments) == arguments


async def test_a_tool_that_is_not_there_is_not_called() -> None:
    answer = await _answer(UserMessage("read notes.txt"), tools=[])

    assert answer.calls == ()
    assert "read_file" in answer.text


async def test_it_speaks_about_the_result_of_a_tool() -> None:
    calling = AssistantMessage("", calls=(ToolCall("demo_1", "read_file", "{}"),))

    answer = await _answer(UserMessage("read notes.txt"), calling, ToolMessage("demo_1", "buy milk"))

    assert "> buy milk" in answer.text
    assert answer.calls == ()


async def test_each_call_of_a_conversation_has_its_own_id() -> None:
    calling = AssistantMessage("", calls=(ToolCall("demo_1", "list_files", "{}"),))

    answer = await _answer(
        UserMessage("list files"), calling, ToolMessage("demo_1", ""), AssistantMessage("ok"), UserMessage("list files")
    )

    assert answer.calls[0].id == "demo_2"


async def test_it_speaks_of_a_notice_before_it_answers_the_user() -> None:
    answer = await _answer(UserMessage("[IMPORTANT: Background process 7 is done]"), UserMessage("list files"))

    assert "> [IMPORTANT: Background process 7 is done]" in answer.text
    assert answer.calls[0].name == "list_files"


async def test_it_speaks_of_a_notice_alone() -> None:
    answer = await _answer(UserMessage("Hi"), AssistantMessage("Hello"), UserMessage("[IMPORTANT: done]"))

    assert "> [IMPORTANT: done]" in answer.text


async def test_it_speaks_even_of_nothing() -> None:
    assert (await _answer()).text
