import assert from "node:assert/strict";
import { test } from "node:test";

import { contextWords, meterLabel, meterWords, usageRows } from "../../../src/wakeful/web/static/js/header/usage_words.js";
import { dayRows, dayWords, limitRows, spentWords, todayWords, unpricedWords, waitWords } from "../../../src/wakeful/web/static/js/spending.js";
import { fallbackWords } from "../../../src/wakeful/web/static/js/transcript/fallback_words.js";
import { itemsOf } from "../../../src/wakeful/web/static/js/transcript/items.js";
import { runningSize, summarySize, summaryTitle } from "../../../src/wakeful/web/static/js/transcript/summary_words.js";

const usage = {
  input_tokens: 180_000,
  output_tokens: 4_000,
  cost_usd: 1.844,
  unpriced_tokens: 0,
  context_tokens: 74_000,
  context_window: 200_000,
  compact_at_tokens: 160_000,
};
const unpriced = { ...usage, cost_usd: null, unpriced_tokens: 184_000 };

test("the meter says how full the context is and what the session cost", () => {
  assert.equal(meterWords(usage), "74k of 200k · $1.84");
  assert.equal(meterWords(unpriced), "74k of 200k, no price");
  assert.equal(meterWords({ ...usage, context_window: null, cost_usd: 0.002 }), "184k tokens · under $0.01");
  assert.equal(meterWords({ ...usage, input_tokens: 0, output_tokens: 0 }), "");
  assert.equal(
    meterLabel(usage),
    "Context: 74,000 of 200,000 tokens; summed up at 160,000. This session cost $1.84",
  );
});

test("behind the meter an unknown price is a word, never 0", () => {
  assert.deepEqual(contextWords(usage), ["74k of 200k tokens", "sums up at 160k"]);
  assert.deepEqual(contextWords({ ...usage, context_window: null, compact_at_tokens: null }), ["74k tokens, window unknown", ""]);
  const others = [{ model: "local:qwen3", tokens: 184_000, cost_usd: null }];
  assert.deepEqual(usageRows(unpriced, { ...costs, others }), [
    ["qwen3, no price", "184,000", "unknown"],
    ["This session", "184,000", "unknown"],
  ]);
});

const nothing = { tokens: 0, cost_usd: 0 };
const costs = { input: nothing, cached: nothing, output: nothing, others: [] };

test("behind the meter each kind of tokens has its cost, once that is known", () => {
  assert.deepEqual(usageRows(usage, null), [
    ["Read", "180,000", ""],
    ["Written", "4,000", ""],
    ["This session", "184,000", "$1.84"],
  ]);
  const paid = {
    input: { tokens: 60_000, cost_usd: 1.2 },
    cached: { tokens: 119_000, cost_usd: 0.23 },
    output: { tokens: 3_000, cost_usd: 0.4 },
    others: [{ model: "", tokens: 1_000, cost_usd: null }, { model: "a:b", tokens: 1_000, cost_usd: 0.01 }],
  };
  assert.deepEqual(usageRows(usage, paid), [
    ["Read", "60,000", "$1.20"],
    ["From the cache", "119,000", "$0.23"],
    ["Written", "3,000", "$0.40"],
    ["Older answers, no price", "1,000", "unknown"],
    ["b", "1,000", "$0.01"],
    ["This session", "184,000", "$1.84"],
  ]);
});

test("behind the meter the rows sum up to the session, also where a title was paid for", () => {
  const paid = { ...costs, input: { tokens: 179_000, cost_usd: 1.2 }, output: { tokens: 4_000, cost_usd: 0.6 } };
  assert.deepEqual(usageRows(usage, paid).at(-2), ["Title, broken answers", "1,000", "$0.04"]);
  assert.deepEqual(usageRows({ ...usage, unpriced_tokens: 1_000 }, paid).at(-2), ["Title, broken answers", "1,000", "unknown"]);
  assert.equal(usageRows(usage, { ...paid, isOld: true }).length, 3);
});

test("the day's spend says which limit comes next, or which is reached", () => {
  const today = { spent_today_usd: 2.1, cap_usd: 5, hard_cap_usd: 20, state: "ok", days: [dayOf("2026-11-16", 2.1)] };
  assert.equal(
    todayWords(today),
    "Today $2.10, in all sessions. At $5.00 nothing wakes by itself. At $20.00 no model is asked.",
  );
  assert.equal(todayWords({ ...today, cap_usd: null, hard_cap_usd: null }), "Today $2.10, in all sessions.");
  assert.match(todayWords({ ...today, days: [dayOf("2026-11-16", null)] }), /^What today has cost is unknown: .* At \$5\.00/);
  assert.match(todayWords({ ...today, state: "wakes_wait" }), /^Today’s \$5\.00 are spent\. Nothing wakes/);
  assert.match(todayWords({ ...today, state: "stopped" }), /^Today’s \$20\.00 are spent\. No model/);
});

test("the settings say what today has cost and from which amounts on agents stop", () => {
  const usage = { spent_today_usd: 0.001, cap_usd: 5, hard_cap_usd: null, days: [{ ...dayOf("2026-11-16", 0.001), unpriced_tokens: 412_000 }] };
  assert.equal(spentWords(usage), "Under $0.01 today, and 412k tokens without a price");
  const [wakes, all] = limitRows(usage, "/home/ann/config.toml");
  assert.equal(wakes[0], "From $5.00 on, nothing wakes by itself");
  assert.match(wakes[1], /^Reports wait for midnight UTC .* daily_spend_usd in \/home\/ann\/config\.toml changes it\.$/);
  assert.deepEqual(all, ["No amount from which on nothing runs at all", "daily_spend_hard_usd in /home/ann/config.toml sets it."]);
  assert.equal(limitRows(usage, null)[1][1], "");
});

test("jobs that wait for the day's limit say how they go on, and the operator how to raise it", () => {
  const today = { cap_usd: 5, hard_cap_usd: 20, state: "wakes_wait" };
  const file = "/home/ann/.wakeful/config.toml";
  assert.equal(waitWords(today, true, null), "Today’s $5.00 are spent. It goes on at midnight UTC, or with your next message.");
  assert.match(waitWords(today, false, file), / They go on .* set daily_spend_usd in \/home\/ann\/\.wakeful\/config\.toml and start the server again\.$/);
  // Then a message does not help either.
  const stopped = waitWords({ ...today, state: "stopped" }, true, file);
  assert.match(stopped, /^Today’s \$20\.00 are spent\. It goes on at midnight UTC; until then no model is asked\./);
  assert.match(stopped, /daily_spend_hard_usd/);
});

const dayOf = (date, cost_usd, tokens = 100) => ({
  date,
  cost_usd,
  input_tokens: tokens,
  output_tokens: 0,
  unpriced_tokens: cost_usd === null ? tokens : 0,
});

test("home says what today has cost, and behind it the last days from the first with an answer on", () => {
  const days = [dayOf("2026-11-13", 0, 0), dayOf("2026-11-14", 1.1), dayOf("2026-11-15", null), dayOf("2026-11-16", 3.12)];
  const usage = { days, spent_today_usd: 3.12, cap_usd: null, hard_cap_usd: null };
  assert.equal(dayWords(usage), "$3.12 today");
  assert.equal(dayWords({ ...usage, cap_usd: 5 }), "$3.12 of $5.00 today");
  assert.deepEqual(dayRows(usage), [
    ["Saturday", "100", "$1.10"],
    ["Yesterday", "100", "unknown"],
    ["Today", "100", "$3.12"],
    ["4 days", "300", "$4.22"],
  ]);
  assert.equal(unpricedWords(usage), "100 tokens of these have no known price and count nothing.");
  assert.equal(dayWords({ ...usage, days: days.slice(0, 3), cap_usd: 5 }), "no price today");
  const idle = { ...usage, days: [days[0]], spent_today_usd: 0 };
  assert.equal(dayWords(idle), "");
  assert.equal(dayWords({ ...idle, days: [dayOf("2026-11-16", 0)] }), "");
  assert.deepEqual(dayRows({ days: [days[2]] }).at(-1), ["1 day", "100", "unknown"]);
});

test("a summary says what it freed, and when no model could write it", () => {
  const summary = { tokens_before: 162_000, tokens_after: 38_000, model: "a:one" };
  assert.equal(runningSize({ summary }, 8), "162k tokens, 8 s");
  assert.equal(summaryTitle({ summary, isOpen: true }), "Summing up older messages");
  assert.equal(summarySize({ summary }), "162k → 38k tokens");
  const alone = { summary: { ...summary, model: null } };
  assert.equal(summaryTitle(alone), "Older messages summed up without a model");
  assert.match(summarySize(alone), /first words of each are kept/);
});

const change = { step: 1, from: "claude:opus", to: "local:qwen3", code: "model_unavailable", message: "It is overloaded (529)." };
const said = (words) => words.map((word) => word.name ?? word).join("");

test("a fallback says who answered, why, and what the next turn does", () => {
  assert.equal(
    said(fallbackWords({ changes: [change], isFirst: true })),
    "Answered by qwen3 (local), because opus was overloaded. The next turn begins with opus again.",
  );
  const credit = { ...change, step: 3, code: "model_credit" };
  assert.equal(
    said(fallbackWords({ changes: [credit], isFirst: false })),
    "Went on with qwen3 (local) from step 3, because opus is out of credit. opus is passed over for 10 min.",
  );
  const next = { ...change, from: "local:qwen3", to: "openai:gpt-5", code: "model_timeout", isOpen: true };
  assert.match(
    said(fallbackWords({ changes: [change, next], isFirst: true })),
    /^Now asking gpt-5 \(openai\), because opus was overloaded and qwen3 did not respond in time\./,
  );
});

test("the remark stands before the step that another model answered, between calls as well", () => {
  const call = (id) => ({ id, role: "tool", tool: { call_id: id } });
  const messages = [{ id: "t.0.0", role: "user" }, call("t.1.1"), call("t.2.1"), { id: "t.3.0", role: "assistant" }];
  const kinds = (changes) => itemsOf(messages, [], changes).map(({ kind, isFirst }) => (kind === "remark" ? [kind, isFirst] : kind));
  assert.deepEqual(kinds([]), ["said", "tools", "answer"]);
  assert.deepEqual(kinds([{ ...change, step: 2 }]), ["said", "tools", ["remark", false], "tools", "answer"]);
  assert.deepEqual(kinds([change]), ["said", ["remark", true], "tools", "answer"]);
  assert.deepEqual(kinds([{ ...change, step: 4 }]), ["said", "tools", "answer", ["remark", false]]);
});
