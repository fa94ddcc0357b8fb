// Idempotency-Key: the same request again is the same response, whatever has happened to it meanwhile.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { APIConnectionTimeoutError, BadRequestError, ConflictError } from "openai";
import { alice, all, firstOf, persistent, script, stats, textOf } from "./server.mjs";

/** Request options with a key of this test's own. */
function withKey() {
  return { headers: { "Idempotency-Key": randomUUID() } };
}

async function modelCalls() {
  return (await stats()).requests;
}

test("the same request with the same key is one response", async () => {
  const key = withKey();
  const before = await modelCalls();

  const first = await alice.responses.create({ input: "Hello" }, key);
  const second = await alice.responses.create({ input: "Hello" }, key);

  assert.deepEqual(second, first);
  assert.equal(await modelCalls(), before + 1);
});

test("a finished stream is played again", async () => {
  const key = withKey();
  const first = await all(alice.responses.create({ input: "Hello", stream: true }, key));

  assert.deepEqual(await all(alice.responses.create({ input: "Hello", stream: true }, key)), first);
});

test("whoever asks again after a timeout gets the answer that was under way", async () => {
  const key = withKey();
  const before = await modelCalls();
  const asked = { input: script({ tokens: 20, rate: 25 }) };
  await assert.rejects(alice.responses.create(asked, { ...key, timeout: 300 }), APIConnectionTimeoutError);

  const made = await alice.responses.create(asked, key);

  assert.ok(made.output_text.endsWith("token19 "));
  assert.equal(await modelCalls(), before + 1);
});

test("the retries of the client itself are one response", async () => {
  const before = await modelCalls();
  const asked = { input: script({ tokens: 20, rate: 20 }) };

  const made = await persistent.responses.create(asked, { ...withKey(), timeout: 700 });

  assert.ok(made.output_text.endsWith("token19 "));
  assert.equal(await modelCalls(), before + 1);
});

test("the stream helper may join a stream that is running", async () => {
  const key = withKey();
  const asked = { model: "wakeful", input: script({ tokens: 20, rate: 40 }), stream: true };
  const seen = await firstOf(await alice.responses.create(asked, key), 6);

  const stream = alice.responses.stream(asked, key);
  const events = await all(stream);

  const final = await stream.finalResponse();
  assert.deepEqual([final.id, final.output_text], [seen[0].response.id, textOf(events)]);
  assert.deepEqual(events, await all(alice.responses.retrieve(final.id, { stream: true })));
});

test("another request with the same key is a conflict", async () => {
  const key = withKey();
  await alice.responses.create({ input: "Hello" }, key);

  await assert.rejects(alice.responses.create({ input: "other" }, key), (error) => {
    assert.ok(error instanceof ConflictError);
    assert.deepEqual([error.status, error.code], [409, "idempotency_key_conflict"]);
    return true;
  });
});

test("a key needs a stored response", async () => {
  await assert.rejects(alice.responses.create({ input: "Hello", store: false }, withKey()), BadRequestError);
});
