// What cannot be done, as the official JavaScript client's errors.

import assert from "node:assert/strict";
import { test } from "node:test";
import { APIError, AuthenticationError, BadRequestError, NotFoundError } from "openai";
import { alice, bob, clientOf } from "./server.mjs";

/** The asking fails with this kind of error; gives it back. */
async function refused(asking, kind) {
  const error = await asking.then(
    () => assert.fail("it was not refused"),
    (reason) => reason,
  );
  assert.ok(error instanceof kind, `${error.constructor.name}: ${error.message}`);
  return error;
}

test("a wrong key is not taken", async () => {
  const stranger = clientOf("wrong");

  const error = await refused(stranger.responses.create({ input: "Hello" }), AuthenticationError);

  assert.deepEqual([error.status, error.code, error.type], [401, "invalid_api_key", "invalid_request_error"]);
  await refused(stranger.models.list(), AuthenticationError);
});

test("what is not there is not found", async () => {
  const error = await refused(alice.responses.retrieve("resp_nobody"), NotFoundError);

  assert.ok(error.requestID);
  await refused(alice.conversations.retrieve("conv_nobody"), NotFoundError);
  await refused(alice.models.retrieve("nobody"), NotFoundError);
});

test("what another key has made is not found", async () => {
  const made = await alice.responses.create({ input: "Hello" });

  await refused(bob.responses.retrieve(made.id), NotFoundError);
  await refused(bob.responses.retrieve(made.id, { stream: true }), NotFoundError);
});

test("a request that cannot be understood is refused, by the name of what is wrong", async () => {
  const error = await refused(alice.responses.create({ input: "Hello", temperature: 3 }), BadRequestError);

  assert.deepEqual([error.status, error.param, error.type], [400, "temperature", "invalid_request_error"]);
  await refused(alice.chat.completions.create({ model: "wakeful", messages: [] }), BadRequestError);
});

test("a model that nobody has is refused by its name", async () => {
  const error = await refused(alice.responses.create({ model: "nobody:nothing", input: "Hello" }), APIError);

  assert.deepEqual([error.code, error.param], ["model_not_found", "model"]);
});

test("every answer has a request id", async () => {
  const made = await alice.responses.create({ input: "Hello" });

  assert.ok(made._request_id);
});
