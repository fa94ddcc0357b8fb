import assert from "node:assert/strict";
import { test } from "node:test";

import { AnsiParser } from "../../../src/wakeful/web/static/js/ansi/parser.js";

const ESC = "\u001b";

function runs(...texts) {
  const parser = new AnsiParser();
  return texts.flatMap((text) => [...parser.read(text)]);
}

function printed(...texts) {
  return runs(...texts)
    .map((run) => run.text ?? (run.newline ? "\n" : "\r"))
    .join("");
}

test("colours and weights become classes", () => {
  assert.deepEqual(runs(`${ESC}[1;31mred${ESC}[0m plain`), [
    { text: "red", classes: "ansi-red ansi-bold" },
    { text: " plain", classes: "" },
  ]);
});

test("a colour goes on over lines and texts until it is ended", () => {
  assert.deepEqual(
    runs(`${ESC}[32mone\n`, "two").map((run) => run.classes),
    ["ansi-green", undefined, "ansi-green"],
  );
});

test("colours of larger palettes become the nearest of the page's", () => {
  assert.equal(runs(`${ESC}[38;2;250;30;20mx`)[0].classes, "ansi-red");
  assert.equal(runs(`${ESC}[38;5;46mx`)[0].classes, "ansi-green");
  assert.equal(runs(`${ESC}[48;5;46mx`)[0].classes, "");
});

test("other control sequences are dropped", () => {
  assert.equal(printed(`a${ESC}]0;title\u0007b${ESC}[2Jc${ESC}[10;3Hd${ESC}]8;;http://x${ESC}\\e${ESC}(Bf\u0007\bg`), "abcdefg");
});

test("markup is text", () => {
  assert.equal(printed("<script>alert(1)</script>"), "<script>alert(1)</script>");
});

test("a sequence that is cut anywhere is joined again", () => {
  const whole = `a${ESC}[1;31mb${ESC}]0;t\u0007c${ESC}[0md`;
  for (let at = 0; at <= whole.length; at++) {
    assert.equal(printed(whole.slice(0, at), whole.slice(at)), "abcd", `cut at ${at}`);
  }
});

test("an escape that is no sequence does not swallow what follows", () => {
  assert.equal(printed(`${ESC}\u0001abc`), "abc");
});
