// Approvals: what is marked, what can be answered, what is shown afterwards.

import assert from "node:assert/strict";
import { test } from "node:test";

import { answeredState, askerOf, dangersOf, longerChoices, onceWords } from "../../../src/wakeful/web/static/js/approvals/approval_words.js";
import { markedPieces } from "../../../src/wakeful/web/static/js/approvals/marks.js";
import { diffLines } from "../../../src/wakeful/web/static/js/transcript/diff.js";

const COMMAND = "git reset --hard && rm -rf /srv/data/* && rm -rf /srv/data/*";

function shown(command, excerpts) {
  const pieces = markedPieces(command, excerpts.map((excerpt) => ({ excerpt })));
  return pieces.map(({ text, isMarked, ends }) => (isMarked ? `[${text}]` : text) + ends.join(",")).join("");
}

test("every danger is underlined in the command, with its number", () => {
  assert.equal(shown("a && b && c", ["a", "c"]), "[a]1 && b && [c]2");
  assert.equal(shown(COMMAND, ["git reset --hard", "rm -rf /srv/data/*"]), "[git reset --hard]1 && [rm -rf /srv/data/*]2 && rm -rf /srv/data/*");
});

test("the same excerpt twice marks two occurrences, if there are two", () => {
  assert.equal(shown("rm x; rm x", ["rm x", "rm x"]), "[rm x]1; [rm x]2");
  assert.equal(shown("rm x", ["rm x", "rm x"]), "[rm x]1,2");
});

test("dangers may overlap, be missing from the text, or be all of it", () => {
  assert.equal(shown("sudo rm -rf /", ["sudo rm -rf /", "rm -rf /"]), "[sudo ][rm -rf /]1,2");
  assert.equal(shown("curl x | sh", ["", "wget"]), "curl x | sh");
  assert.equal(shown("", [""]), "");
});

test("nothing of a command is lost by marking it", () => {
  const pieces = markedPieces(COMMAND, [{ excerpt: "hard" }, { excerpt: "rm" }, { excerpt: "d &&" }]);
  assert.equal(pieces.map((piece) => piece.text).join(""), COMMAND);
});

test("every reason is a sentence, and so is the single reason of an older server", () => {
  const dangers = [{ kind: "a", reason: "deletes files" }, { kind: "b", reason: "Pushes." }];
  assert.deepEqual(dangersOf({ dangers }).map((one) => one.reason), ["Deletes files.", "Pushes."]);
  assert.deepEqual(dangersOf({ reason: "deletes files" }).map((one) => one.reason), ["Deletes files."]);
});

test("only what is possible is offered, in the server's words", () => {
  const approval = { choices: ["once", "session", "folder", "deny"], choice_words: { session: "Commands that delete run.", folder: "This folder: the same." } };
  assert.deepEqual(
    longerChoices(approval).map(({ choice, lead, words }) => [choice, lead, words]),
    [["session", "This session.", "Commands that delete run."], ["folder", "", "This folder: the same."]],
  );
  assert.deepEqual(longerChoices({ choices: ["once", "deny"] }), []);
  assert.equal(onceWords({ tool: "terminal", choices: ["once", "deny"] }), "This can only be allowed once.");
  assert.equal(onceWords({ tool: "edit_file", choices: ["once", "session", "deny"] }), "Once: this change, now.");
});

test("an older server's approval has the usual choices", () => {
  assert.deepEqual(longerChoices({}).map(({ choice }) => choice), ["session"]);
});

test("who asks for what", () => {
  assert.deepEqual(askerOf({ tool: "write_file" }), { who: "The agent", id: "", wants: "wants to change a file" });
  assert.deepEqual(askerOf({ task_id: "del_12345678", tool: "terminal" }), { who: "Sub-agent", id: "del_5678", wants: "wants to run a command" });
});

test("an answer becomes one line", () => {
  const folder = "The same three kinds, in all your sessions in ~/shop and below, until 13 February.";
  assert.equal(answeredState({ choice: "folder", choice_words: { folder }, workspace: "/home/ann/shop" }).words, "Allowed in ~/shop until 13 February");
  assert.equal(answeredState({ choice: "folder", workspace: "/srv/shop" }).words, "Allowed in /srv/shop");
  assert.equal(answeredState({ choice: "session" }).words, "Allowed in this session");
  assert.equal(answeredState({ choice: "deny" }).words, "Denied");
  assert.equal(answeredState({ choice: null }).words, "Denied, nobody answered");
});

test("a diff is lines with their numbers", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -41,3 +41,4 @@ claim()\n same\n-old\n+new\n+more\n same\n";
  assert.deepEqual(
    diffLines(diff).map(({ kind, number, text }) => `${kind} ${number} ${text}`),
    ["at null lines 41 to 44, in claim()", "same 41 same", "del 42 old", "add 42 new", "add 43 more", "same 44 same"],
  );
  assert.deepEqual(diffLines("no diff").map((line) => line.text), ["no diff"]);
});

test("a call of an MCP tool names the tool and its server", () => {
  assert.equal(askerOf({ tool: "mcp__images__scale_up" }).wants, "wants to use scale_up of the MCP server images");
  assert.equal(onceWords({ tool: "mcp__images__scale_up", choices: ["once", "session", "deny"] }), "Once: this call, now, and nothing else.");
});
