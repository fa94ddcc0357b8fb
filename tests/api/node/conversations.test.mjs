// Conversations and their items, as the official JavaScript client keeps them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConflictError, NotFoundError } from "openai";
import { alice, all, lastAsked, persistent, script } from "./server.mjs";

function said(content, role = "user") {
  return { type: "message", role, content };
}

async function texts(conversation) {
  const items = await all(alice.conversations.items.list(conversation.id, { order: "asc", limit: 2 }));
  return items.map((item) => item.content[0].text);
}

test("a conversation is made, found, changed and deleted", async () => {
  const made = await alice.conversations.create({ metadata: { a: "b" } });
  assert.deepEqual(await alice.conversations.retrieve(made.id), made);

  const changed = await alice.conversations.update(made.id, { metadata: { c: "d" } });
  assert.deepEqual([changed.id, changed.metadata], [made.id, { c: "d" }]);

  const deleted = await alice.conversations.delete(made.id);
  assert.deepEqual([deleted.id, deleted.deleted], [made.id, true]);
  await assert.rejects(alice.conversations.retrieve(made.id), NotFoundError);
});

test("a conversation is the list of what was said in it", async () => {
  const conversation = await alice.conversations.create({ items: [said("Be brief.", "developer")] });
  const one = script({ text: "one" });

  const made = await alice.responses.create({ input: one, conversation: conversation.id });
  await alice.conversations.items.create(conversation.id, { items: [said("aside")] });

  assert.deepEqual(made.conversation, { id: conversation.id });
  assert.deepEqual(await texts(conversation), ["Be brief.", one, "one", "aside"]);
  await alice.responses.create({ input: "And?", conversation: conversation.id });
  const asked = (await lastAsked()).slice(1).map((message) => message.content);
  assert.deepEqual(asked, ["Be brief.", one, "one", "aside", "And?"]);
});

test("one item is found by its id", async () => {
  const conversation = await alice.conversations.create({ items: [said("Hello")] });
  const [listed] = await all(alice.conversations.items.list(conversation.id));

  const found = await alice.conversations.items.retrieve(listed.id, { conversation_id: conversation.id });

  assert.deepEqual(found, listed);
});

test("a conversation is busy while a response runs in it, and the client does not insist", async () => {
  const { id } = await alice.conversations.create();
  const running = await alice.responses.create({ input: script({ hang_after: 1 }), background: true, conversation: id });

  await assert.rejects(persistent.responses.create({ input: "And?", conversation: id }), (error) => {
    assert.ok(error instanceof ConflictError);
    assert.deepEqual([error.status, error.code], [409, "conversation_response_not_completed"]);
    assert.equal(error.headers.get("x-should-retry"), "false");
    return true;
  });
  await alice.responses.cancel(running.id);
  assert.equal((await alice.responses.create({ input: "And?", conversation: id })).status, "completed");
});
