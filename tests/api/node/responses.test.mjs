// Responses, as the official JavaScript client makes, follows, resumes, cancels and deletes them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { NotFoundError, OpenAIError } from "openai";
import { alice, all, firstOf, script, seeingTheModelStopped, textOf, THREE, until } from "./server.mjs";

test("a response is made and found again", async () => {
  const made = await alice.responses.create({ model: "wakeful", input: "Hello", metadata: { a: "b" } });

  assert.deepEqual([made.status, made.output_text, made.usage.total_tokens], ["completed", THREE, 10]);
  assert.deepEqual(made.metadata, { a: "b" });
  assert.deepEqual(await alice.responses.retrieve(made.id), made);
});

test("a stream is numbered from nought without a gap", async () => {
  const events = await all(alice.responses.create({ input: "Hello", stream: true }));

  assert.deepEqual(events.map((event) => event.sequence_number), [...events.keys()]);
  assert.deepEqual([events[0].type, events.at(-1).type], ["response.created", "response.completed"]);
  assert.equal(textOf(events), THREE);
});

test("the stream helper follows a stream to its final response", async () => {
  const stream = alice.responses.stream({ model: "wakeful", input: script({ tokens: 5, rate: 50 }) });
  const heard = [];
  stream.on("response.output_text.delta", (event) => heard.push(event.delta));

  const final = await stream.finalResponse();

  assert.equal(heard.join(""), "token0 token1 token2 token3 token4 ");
  assert.deepEqual([final.output_text, final.status], [heard.join(""), "completed"]);
});

test("the stream helper follows a model that thinks first", async () => {
  const stream = alice.responses.stream({ model: "wakeful", input: script({ tokens: 3, reasoning_tokens: 2 }) });

  const final = await stream.finalResponse();

  assert.deepEqual(final.output.map((item) => item.type), ["reasoning", "message"]);
});

test("the stream helper takes up a response again", async () => {
  const made = await alice.responses.create({ input: "Hello" });
  const stream = alice.responses.stream({ response_id: made.id, starting_after: 2 });

  const events = await all(stream);

  assert.equal(events[0].sequence_number, 3);
  assert.equal((await stream.finalResponse()).output_text, THREE);
});

test("a stream taken up anywhere gives exactly the rest", async () => {
  const whole = await all(alice.responses.create({ input: "Hello", stream: true }));
  const { id } = whole[0].response;

  for (const cut of whole.keys()) {
    const rest = await all(alice.responses.retrieve(id, { stream: true, starting_after: cut }));
    assert.deepEqual(rest, whole.slice(cut + 1));
  }
  assert.deepEqual(await all(alice.responses.retrieve(id, { stream: true })), whole);
});

test("a client that leaves may come back while it runs", async () => {
  const seen = await firstOf(await alice.responses.create({ input: script({ tokens: 20, rate: 40 }), stream: true }), 6);
  const { id } = seen[0].response;

  const running = await alice.responses.retrieve(id);
  const rest = await all(alice.responses.retrieve(id, { stream: true, starting_after: seen.at(-1).sequence_number }));

  assert.deepEqual([running.status, running.usage], ["in_progress", null]);
  assert.deepEqual([...seen, ...rest].map((event) => event.sequence_number), [...Array(seen.length + rest.length).keys()]);
  assert.equal(textOf([...seen, ...rest]), (await alice.responses.retrieve(id)).output_text);
});

test("a background response is there at once and polled", async () => {
  const made = await alice.responses.create({ input: script({ tokens: 10, rate: 40 }), background: true });
  assert.ok(["queued", "in_progress"].includes(made.status), made.status);

  await until(async () => (await alice.responses.retrieve(made.id)).status === "completed");

  assert.ok((await alice.responses.retrieve(made.id)).output_text.endsWith("token9 "));
});

test("cancelling stops the model", async () => {
  const made = await alice.responses.create({ input: script({ tokens: 9, hang_after: 2 }), background: true });
  await until(async () => (await alice.responses.retrieve(made.id)).output_text === "token0 token1 ");

  await seeingTheModelStopped(() => alice.responses.cancel(made.id));

  const cancelled = await alice.responses.retrieve(made.id);
  assert.deepEqual([cancelled.status, cancelled.output_text], ["cancelled", "token0 token1 "]);
  assert.deepEqual((await alice.responses.cancel(made.id)).output, cancelled.output);
});

test("a cancelled stream ends with the event that says so", async () => {
  const types = [];
  for await (const event of await alice.responses.create({ input: script({ hang_after: 1 }), stream: true })) {
    if (event.type === "response.created") await alice.responses.cancel(event.response.id);
    types.push(event.type);
  }

  assert.equal(types.at(-1), "response.cancelled");
});

test("the stream helper does not pass a cancelled answer for a whole one", async () => {
  const stream = alice.responses.stream({ model: "wakeful", input: script({ hang_after: 1 }) });
  stream.on("response.created", (event) => alice.responses.cancel(event.response.id));

  await assert.rejects(stream.finalResponse(), OpenAIError);
});

test("hanging up a response that is not stored stops the model", async () => {
  const stream = await alice.responses.create({ input: script({ hang_after: 1 }), stream: true, store: false });

  await seeingTheModelStopped(() => firstOf(stream, 5));
});

test("a deleted response is gone", async () => {
  const made = await alice.responses.create({ input: "Hello" });

  await alice.responses.delete(made.id);

  await assert.rejects(alice.responses.retrieve(made.id), NotFoundError);
  await assert.rejects(alice.responses.inputItems.list(made.id), NotFoundError);
  await assert.rejects(alice.responses.delete(made.id), NotFoundError);
});

test("the input of a response is listed page by page", async () => {
  const words = [0, 1, 2, 3, 4].map((number) => ({ role: "user", content: `word ${number}` }));
  const made = await alice.responses.create({ input: words });

  const page = await alice.responses.inputItems.list(made.id, { order: "asc", limit: 2 });

  assert.deepEqual([page.data.length, page.hasNextPage()], [2, true]);
  const items = await all(page);
  assert.deepEqual(items.map((item) => item.content[0].text), words.map((word) => word.content));
});

test("a response goes on from the one before", async () => {
  const first = await alice.responses.create({ input: script({ text: "one" }) });

  const second = await alice.responses.create({ input: script({ text: "two" }), previous_response_id: first.id });

  assert.deepEqual([second.previous_response_id, second.output_text], [first.id, "two"]);
});

test("the models are listed", async () => {
  const models = await all(alice.models.list());

  assert.equal(models[0].id, "wakeful");
  assert.deepEqual(await alice.models.retrieve("wakeful"), models[0]);
});
