import asyncio
from typing import Any

import orjson
import pytest

from wakeful.agent.prompt import SUMMARY_INSTRUCTIONS, TITLE_INSTRUCTIONS
from wakeful.agent.providers.base import AnswerText, Finished, ModelRequest
from wakeful.agent.providers.demo.model import DemoModel
from wakeful.model.journal.message import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from wakeful.tools.base import ToolSpec

_NAMES = """
    read_file list_files write_file edit_file show_file search_files web_fetch todo terminal process delegate_task
"""
_TOOLS = [ToolSpec(name, "", {}) for name in _NAMES.split()]


async def _answer(*messages: Message, tools: list[ToolSpec] = _TOOLS, instructions: str = "") -> AssistantMessage:
    request = ModelRequest("wakeful", instructions, messages, tools)
    parts = [part async for part in DemoModel(seconds_per_word=0).stream(request)]
    last = parts.pop()
    assert isinstance(last, Finished)
    assert "".join(part.text for part in parts if isinstance(part, AnswerText)) == last.message.text
    return last.message


async def test_it_says_that_it_is_no_real_model_and_how_to_configure_one() -> None:
    answer = await _answer(UserMessage("What is the meaning of life?"))

    assert "What is the meaning of life?" in answer.text
    assert "scripted demonstration model" in answer.text
    assert all(name in answer.text for name in ("WAKEFUL_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"))


@pytest.mark.parametrize(
    ("conversation", "goal", "state"),
    [
        ("User: build it\n\nAssistant: done\n\nUser: test it", "build it", "2 messages, the last of them: test it"),
        ("Assistant: done", "(nothing)", "1 messages, the last of them: (nothing)"),
    ],
)
async def test_it_sums_a_conversation_up(conversation: str, goal: str, state: str) -> None:
    answer = await _answer(UserMessage(conversation), instructions=SUMMARY_INSTRUCTIONS)

    assert answer.text == f"Goal: {goal}\n\nState: the user has written {state}"


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
        ("edit a.txt: one -> two", "edit_file", {"path": "a.txt", "old_text": "one", "new_text": "two"}),
        ("show me chart.png.", "show_file", {"path": "chart.png"}),
        ("write a.txt: two\nlines", "write_file", {"path": "a.txt", "content": "two\nlines"}),
        ("run make -j2", "terminal", {"command": "make -j2"}),
        (
            "run sleep 5; echo done in the background",
            "terminal",
            {"command": "sleep 5; echo done", "background": True, "notify_on_complete": True},
        ),
        (
            "watch tail -f log for ERROR",
            "terminal",
            {"command": "tail -f log", "background": True, "watch_patterns": ["ERROR"]},
        ),
        (
            "Run `make; sleep 1` in the background and tell me when it ends.",
            "terminal",
            {"command": "make; sleep 1", "background": True, "notify_on_complete": True},
        ),
        (
            "Watch `for i in 1 2; do echo $i; done` for ERROR and tell me what it printed.",
            "terminal",
            {"command": "for i in 1 2; do echo $i; done", "background": True, "watch_patterns": ["ERROR"]},
        ),
        ("run echo `date`", "terminal", {"command": "echo `date`"}),
        ("search the files for two words.", "search_files", {"pattern": "two words"}),
        ("fetch http://localhost/a.", "web_fetch", {"url": "http://localhost/a"}),
        (
            "plan: * look; mend it;",
            "todo",
            {
                "items": [
                    {"id": "1", "text": "look", "status": "done"},
                    {"id": "2", "text": "mend it", "status": "pending"},
                ]
            },
        ),
        ("list processes", "process", {"action": "list"}),
        ("Kill proc_1.", "process", {"action": "kill", "session_id": "proc_1"}),
        ("wait for proc_1", "process", {"action": "wait", "session_id": "proc_1"}),
        ("delegate run ls; read a", "delegate_task", {"tasks": [{"goal": "run ls"}, {"goal": "read a"}]}),
        ("delegate read a in the background", "delegate_task", {"tasks": [{"goal": "read a"}], "background": True}),
    ],
)
async def test_plain_requests_call_tools(words: str, tool: str, arguments: dict[str, Any]) -> None:
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

    assert answer.text == (
        "News arrived in the meantime:\n\n> [IMPORTANT: done]\n\n(Scripted demonstration model, not a real one.)"
    )


async def test_a_notice_that_comes_after_a_wish_does_not_hide_it() -> None:
    answer = await _answer(UserMessage("list files"), UserMessage("[IMPORTANT: done]"))

    assert [call.name for call in answer.calls] == ["list_files"]


async def test_it_speaks_even_of_nothing() -> None:
    assert (await _answer()).text


async def test_it_speaks_of_the_end_of_a_background_process_in_its_own_words() -> None:
    notice = "[IMPORTANT: Background process proc_1 completed (exit code 3).\nCommand: make\nOutput:\nno rule]"

    answer = await _answer(UserMessage("Hi"), AssistantMessage("Hello"), UserMessage(notice))

    assert "`make` has failed with exit code 3" in answer.text
    assert "> no rule" in answer.text


@pytest.mark.parametrize(
    ("notice", "says"),
    [
        (
            "[IMPORTANT: Background process proc_1 completed (exit code 0).\nCommand: make\nOutput:\nall]",
            "`make` has ended well. Its output:\n\n> all\n",
        ),
        (
            '[IMPORTANT: Background process proc_1 matched watch pattern "ERROR".\n'
            "Command: ./serve\nMatched output:\nERROR 7]",
            "`./serve` has printed “ERROR”:\n\n> ERROR 7\n",
        ),
        (
            "[IMPORTANT: Background delegation del_1 completed.\nGoal: list files\nResult:\na.txt]",
            "“list files” reports:\n\n> a.txt\n",
        ),
        (
            "[IMPORTANT: Background delegation del_1 failed.\nGoal: list files\nResult:\n"
            "no luck\n\n(Scripted demonstration model, not a real one.)]",
            "“list files” has failed:\n\n> no luck\n\n(Scripted",
        ),
    ],
)
@pytest.mark.parametrize("fence", ["", "\n[Between the first line and here, a program's own words: information.]"])
async def test_it_speaks_of_every_kind_of_news_in_words(notice: str, says: str, fence: str) -> None:
    answer = await _answer(UserMessage("Hi"), AssistantMessage("Hello"), UserMessage(notice + fence))

    assert says in answer.text


@pytest.mark.parametrize(
    ("result", "says"),
    [
        ({"session_id": "proc_1", "pid": 7, "error": None, "notify_on_complete": True}, "I will speak up"),
        (
            {"session_id": "proc_1", "pid": 7, "notify_on_complete": False, "notify_unsupported": "Poll it yourself."},
            "Poll it yourself.",
        ),
        ({"session_id": "proc_1", "output": "Linux\n", "exit_code": 0}, "has ended well. It printed:\n\n> Linux"),
        ({"status": "dispatched", "delegation_id": "del_1"}, "I will speak up"),
        ({"status": "dispatched", "delegation_id": "del_1", "delegations": [{}, {}]}, "2 sub-agents are at work."),
        ({"output": "", "exit_code": 1, "error": "no"}, "The call failed: no"),
        ({"error": "A person has denied it.", "code": "denied", "output": ""}, "so it did not run"),
        ({"output": "Linux\n", "exit_code": 0, "error": None}, "has ended well. It printed:\n\n> Linux"),
        ({"output": "", "exit_code": 2, "error": None}, "has failed with exit code 2.\n\n(Scripted"),
        (
            {"session_id": "proc_1", "pid": 7, "watch_patterns": ["ERROR"]},
            "as proc_1. I will speak up when there is news.",
        ),
        ({"session_id": "proc_1", "pid": 7}, "as proc_1. You will not be notified when it ends."),
        ({"status": "dispatched", "delegation_id": "del_1", "delegations": [{}]}, "A sub-agent is at work as del_1."),
        ({"error": "Nobody has answered.", "code": "expired"}, "so it did not run"),
        ({"output": "Linux", "exit_code": "0"}, 'The tool answered:\n\n> {"output"'),
        ({"output": None, "exit_code": 0}, 'The tool answered:\n\n> {"output"'),
    ],
)
async def test_it_says_what_a_tool_has_done_and_promises_nothing_else(result: dict[str, Any], says: str) -> None:
    calling = AssistantMessage("", calls=(ToolCall("demo_1", "terminal", "{}"),))

    answer = await _answer(UserMessage("run it"), calling, ToolMessage("demo_1", orjson.dumps(result).decode()))

    assert says in answer.text


async def test_it_counts_for_those_who_want_to_see_a_long_answer() -> None:
    assert (await _answer(UserMessage("count to 5"))).text == "1 2 3 4 5"
    assert (await _answer(UserMessage("Please count to 3!"))).text == "1 2 3"
    assert (await _answer(UserMessage("count to 999999999"))).text.endswith(" 9999 10000")


@pytest.mark.parametrize(
    ("shown", "title"),
    [
        ("User: please count the *sheep* of the farm now\n\nAssistant: Yes", "Please count the sheep of the"),
        ("User: WHY?!\n\nAssistant: So", "Why"),
        ("User: ...\n\nAssistant: What?", "A conversation"),
    ],
)
async def test_a_title_is_the_users_first_words(shown: str, title: str) -> None:
    assert (await _answer(UserMessage(shown), instructions=TITLE_INSTRUCTIONS)).text == title


async def test_words_count_as_tokens() -> None:
    request = ModelRequest("wakeful", "Be kind.", [UserMessage("count to 3")], _TOOLS)

    *_, last = [part async for part in DemoModel(seconds_per_word=0).stream(request)]

    assert isinstance(last, Finished)
    assert (last.usage.input_tokens, last.usage.output_tokens) == (5, 3)


@pytest.mark.parametrize(
    ("result", "quote"),
    [
        ("", "> \n"),
        ("two\nlines", "> two\n> lines\n"),
        ("x" * 2_000, f"> {'x' * 2_000}\n"),
        ("x" * 2_001, f"> {'x' * 2_000}…\n"),
        ("[1]", "> [1]\n"),
    ],
)
async def test_other_results_are_quoted_up_to_a_limit(result: str, quote: str) -> None:
    calling = AssistantMessage("", calls=(ToolCall("demo_1", "terminal", "{}"),))

    answer = await _answer(UserMessage("run it"), calling, ToolMessage("demo_1", result))

    assert f"The tool answered:\n\n{quote}" in answer.text


async def test_of_several_messages_the_last_one_is_answered() -> None:
    assert (await _answer(UserMessage("count to 2"), UserMessage("count to 3"))).text == "1 2 3"


async def test_others_go_on_while_it_speaks() -> None:
    speaking = asyncio.create_task(_answer(UserMessage("count to 100")))
    turns = 0
    while not speaking.done():
        turns += 1
        await asyncio.sleep(0)

    assert turns >= 100
