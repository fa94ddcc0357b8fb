// Functions of the client, handed back to it and continued, and tools of the server.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ResponsesToolRunner } from "openai/helpers/responses-tool-runner";
import { alice, lastAsked, script, THREE } from "./server.mjs";

const WEATHER = { type: "function", name: "weather", parameters: { type: "object" }, strict: false };
const CALL = { name: "weather", id: "call_7", arguments: { city: "Oslo" } };

test("a function of the client is handed to it and answered", async () => {
  const asked = await alice.responses.create({ input: script({ calls: [CALL] }), tools: [WEATHER] });
  const [call] = asked.output;
  assert.deepEqual([call.type, call.call_id, call.name], ["function_call", "call_7", "weather"]);
  assert.deepEqual(JSON.parse(call.arguments), { city: "Oslo" });

  const answered = await alice.responses.create({
    input: [{ type: "function_call_output", call_id: call.call_id, output: "rain" }],
    previous_response_id: asked.id,
    tools: [WEATHER],
  });

  assert.equal(answered.output_text, THREE);
  const result = (await lastAsked()).at(-1);
  assert.deepEqual([result.tool_call_id, result.content], ["call_7", "rain"]);
});

test("the stream helper hands over a function of the client", async () => {
  const stream = alice.responses.stream({ model: "wakeful", input: script({ calls: [CALL] }), tools: [WEATHER] });
  let written = "";
  stream.on("response.function_call_arguments.delta", (event) => (written += event.delta));

  const final = await stream.finalResponse();

  assert.deepEqual([final.output[0].name, final.output[0].arguments], ["weather", written]);
});

test("a call that failed tells why, and can be given back", async () => {
  const calls = [{ name: "no_such_tool", arguments: {} }];
  const made = await alice.responses.create({ input: script({ calls }) });
  const [call] = made.output;
  assert.deepEqual([call.status, call.output, call.error.type], ["failed", null, "mcp_tool_execution_error"]);
  assert.match(call.error.content[0].text, /no_such_tool/);

  await alice.responses.create({ input: [...made.output, { role: "user", content: "And?" }] });

  assert.match((await lastAsked()).at(-3).content, /unknown_tool/);
});

test("the stream helper accepts the items of the server's tools", async () => {
  const calls = [{ name: "terminal", arguments: { command: "echo from the server" } }];
  const stream = alice.responses.stream({ model: "wakeful", input: script({ calls }) });

  const final = await stream.finalResponse();

  assert.deepEqual(final.output.map((item) => item.type), ["mcp_call", "message"]);
  assert.match(final.output[0].output, /from the server/);
});

for (const stream of [false, true]) {
  test(`the tool runner calls a function and brings its result, stream: ${stream}`, async () => {
    const cities = [];
    const execute = ({ city }) => (cities.push(city), "rain");
    const runner = new ResponsesToolRunner({ functions: [{ tool: WEATHER, execute }] });

    const final = await runner.run(alice, { model: "wakeful", input: script({ calls: [CALL] }) }, { stream });

    assert.deepEqual([cities, final.output_text], [["Oslo"], THREE]);
    assert.equal((await lastAsked()).at(-1).content, "rain");
  });
}
