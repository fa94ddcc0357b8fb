"""Agent frameworks: each with a server call, a call of the framework's tool and a further turn, on both APIs.

They are imported in the tests: each import takes a second or two, which no other test should wait for.
"""

from typing import Any

import pytest

from tests.api.server import ALICE, ApiServer, ModelEndpoint, script

OURS = script(
    calls=[{"name": "terminal", "arguments": {"command": "echo from the server"}}], text="The server said it."
)
OWN = script(calls=[{"name": "weather", "arguments": {"city": "Oslo"}}], text="Rain it is.")
# Both kinds of calls in one answer.
BOTH = script(
    calls=[
        {"name": "weather", "arguments": {"city": "Bergen"}},
        {"name": "terminal", "arguments": {"command": "echo once more"}},
    ],
    text="Both are done.",
)
TURNS = (OURS, OWN, BOTH, "Hello")
ANSWERS = ["The server said it.", "Rain it is.", "Both are done.", "token0 token1 token2 "]
RESPONSES, CHAT = "responses", "chat"

# The frameworks' warnings are not ours.
pytestmark = pytest.mark.filterwarnings("default")


class Weather:
    """The frameworks' tool, which records its calls."""

    def __init__(self) -> None:
        self.cities: list[str] = []

    def report(self, city: str) -> str:
        """The weather in a city."""
        self.cities.append(city)
        return f"rain in {city}"


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("api", [RESPONSES, CHAT])
async def test_the_agents_sdk(server: ApiServer, endpoint: ModelEndpoint, api: str, is_streamed: bool) -> None:
    import agents

    weather = Weather()
    model_class = agents.OpenAIResponsesModel if api == RESPONSES else agents.OpenAIChatCompletionsModel
    quiet = agents.RunConfig(tracing_disabled=True)
    answers: list[str] = []
    history: list[Any] = []
    async with server.async_client() as client:
        model = model_class(model="wakeful", openai_client=client)
        tools = [agents.function_tool(weather.report, name_override="weather")]
        agent: Any = agents.Agent(name="tester", model=model, tools=tools)
        for words in TURNS:
            asked: Any = [*history, {"role": "user", "content": words}]
            if is_streamed:
                ran: Any = agents.Runner.run_streamed(agent, asked, run_config=quiet)
                assert [event async for event in ran.stream_events()]
            else:
                ran = await agents.Runner.run(agent, asked, run_config=quiet)
            history = ran.to_input_list()
            answers.append(ran.final_output)

    check(endpoint, api, answers, weather)
    if api == RESPONSES:
        assert [item["type"] for item in history if "type" in item].count("mcp_call") == 2


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("api", [RESPONSES, CHAT])
def test_langchain(server: ApiServer, endpoint: ModelEndpoint, api: str, is_streamed: bool) -> None:
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_openai import ChatOpenAI

    weather = Weather()
    connection: Any = {"base_url": f"{server.root}/v1", "api_key": ALICE, "max_retries": 0}
    chat = ChatOpenAI(model="wakeful", use_responses_api=api == RESPONSES, streaming=is_streamed, **connection)
    tool = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}
    model = chat.bind_tools([tool])
    answers: list[str] = []
    history: list[Any] = []
    for words in TURNS:
        history.append(HumanMessage(words))
        history.append(model.invoke(history))
        while history[-1].tool_calls:
            calls = history[-1].tool_calls
            history += [ToolMessage(weather.report(**call["args"]), tool_call_id=call["id"]) for call in calls]
            history.append(model.invoke(history))
        answers.append(history[-1].text)

    check(endpoint, api, answers, weather)


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("api", [RESPONSES, CHAT])
async def test_pydantic_ai(server: ApiServer, endpoint: ModelEndpoint, api: str, is_streamed: bool) -> None:
    from pydantic_ai import Agent, Tool
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    weather = Weather()
    model_class = OpenAIResponsesModel if api == RESPONSES else OpenAIChatModel
    answers: list[str] = []
    history: Any = []
    async with server.async_client() as client:
        model = model_class("wakeful", provider=OpenAIProvider(openai_client=client))
        # It sends the server's calls back only together with ids, and without their results.
        sends_ids: Any = {"openai_send_reasoning_ids": True}
        agent: Any = Agent(model, tools=[Tool(weather.report, name="weather")], model_settings=sends_ids)
        for words in TURNS:
            if is_streamed:
                async with agent.run_stream(words, message_history=history) as ran:
                    answers.append(await ran.get_output())
            else:
                ran = await agent.run(words, message_history=history)
                answers.append(ran.output)
            history = ran.all_messages()

    check(endpoint, api, answers, weather)


def check(endpoint: ModelEndpoint, api: str, answers: list[str], weather: Weather) -> None:
    assert (answers, weather.cities) == (ANSWERS, ["Oslo", "Bergen"])
    messages = endpoint.requests()[-1]["messages"]
    calls = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    results = {message["tool_call_id"]: message["content"] for message in messages if message["role"] == "tool"}
    assert sorted(calls) == sorted(results)
    read = " ".join(results.values())
    assert ("rain in Oslo" in read, "rain in Bergen" in read) == (True, True)
    # A chat client does not see the server's calls, so it cannot send them back.
    assert [words in read for words in ("from the server", "once more")] == [api == RESPONSES] * 2
