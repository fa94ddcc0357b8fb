// Chat completions, as the official JavaScript client asks for them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { APIError, InternalServerError } from "openai";
import { alice, all, firstOf, lastAsked, script, seeingTheModelStopped, THREE } from "./server.mjs";

const CALL = { name: "weather", id: "call_7", arguments: { city: "Oslo" } };

function asking(text, how = {}) {
  return { model: "wakeful", messages: [{ role: "user", content: text }], ...how };
}

/** The client's own function, and where it notes its calls. */
function weather(cities) {
  const call = ({ city }) => (cities.push(city), "rain");
  const parameters = { type: "object", properties: { city: { type: "string" } } };
  return { type: "function", function: { name: "weather", parse: JSON.parse, function: call, parameters } };
}

test("a chat is answered", async () => {
  const answer = await alice.chat.completions.create(asking("Hello"));

  const [choice] = answer.choices;
  assert.deepEqual([choice.message.content, choice.finish_reason, answer.usage.total_tokens], [THREE, "stop", 10]);
});

test("a chat is streamed", async () => {
  const how = { stream: true, stream_options: { include_usage: true } };
  const chunks = await all(alice.chat.completions.create(asking("Hello", how)));

  assert.equal(chunks[0].choices[0].delta.role, "assistant");
  assert.equal(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join(""), THREE);
  assert.deepEqual([chunks.at(-1).choices, chunks.at(-1).usage.total_tokens], [[], 10]);
});

test("the stream helper follows a chat to its final completion", async () => {
  const stream = alice.chat.completions.stream(asking("Hello"));
  const heard = [];
  stream.on("content", (delta) => heard.push(delta));

  const final = await stream.finalChatCompletion();

  assert.deepEqual([heard.join(""), final.choices[0].message.content], [THREE, THREE]);
});

for (const stream of [false, true]) {
  test(`the tool runner calls a function of the client, stream: ${stream}`, async () => {
    const cities = [];
    const asked = asking(script({ calls: [CALL] }), { stream, tools: [weather(cities)] });

    const text = await alice.chat.completions.runTools(asked).finalContent();

    assert.deepEqual([cities, text], [["Oslo"], THREE]);
    const result = (await lastAsked()).at(-1);
    assert.deepEqual([result.role, result.tool_call_id, result.content], ["tool", "call_7", "rain"]);
  });
}

test("whoever leaves a stream stops the model", async () => {
  const stream = await alice.chat.completions.create(asking(script({ hang_after: 1 }), { stream: true }));

  await seeingTheModelStopped(() => firstOf(stream, 2));
});

test("a model that fails is a bad gateway, and breaks a stream", async () => {
  const failing = script({ status: 401 });

  await assert.rejects(alice.chat.completions.create(asking(failing)), (error) => {
    assert.ok(error instanceof InternalServerError);
    assert.equal(error.status, 502);
    return true;
  });
  await assert.rejects(all(alice.chat.completions.create(asking(failing, { stream: true }))), APIError);
});
