// Schedules in words, what became of their runs, and what the form sends.

import assert from "node:assert/strict";
import { test } from "node:test";

process.env.TZ = "Europe/Berlin";
const { changesOf, blankValues, jobTitle, mergedValues, newJob, refusedField, valuesOf } = await import("../../../src/wakeful/web/static/js/schedules/job_values.js");
const { lastRunWords, missedWords, runEntries, runNote, runTitle } = await import("../../../src/wakeful/web/static/js/schedules/run_words.js");
const { scheduleWords } = await import("../../../src/wakeful/web/static/js/schedules/schedule_words.js");
const { momentWords, soonWords, weekdayDateIn } = await import("../../../src/wakeful/web/static/js/schedules/times.js");

// A Sunday evening in Berlin.
const NOW = new Date("2026-11-15T20:36:00Z");
const ZONE = "Europe/Berlin";
const RUN = { fire_at: "2026-11-13T06:30:00Z", started_at: "2026-11-13T06:30:01Z", late_seconds: 1, manual: false, status: "done", reason: null };
const JOB = { id: "cron_1", name: "Morning", prompt: "Say hello.", schedule: "30 7 * * 1-5", timezone: ZONE, deliver: null, model: "", fresh: false, catch_up_seconds: 3600 };

for (const [schedule, words] of [
  ["30 7 * * 1-5", "Monday to Friday at 07:30, Berlin"],
  ["30 7 * * mon-fri", "Monday to Friday at 07:30, Berlin"],
  ["0 30 7 * * 1-5", "Monday to Friday at 07:30, Berlin"],
  ["0 19 * * *", "Every day at 19:00, Berlin"],
  ["30 7,19 * * *", "Every day at 07:30 and 19:30, Berlin"],
  ["0 9 * * 1", "Every Monday at 09:00, Berlin"],
  ["0 9 * * 0,6", "Saturday and Sunday at 09:00, Berlin"],
  ["0 9 * * 5-7", "Friday to Sunday at 09:00, Berlin"],
  ["0 3 1 * *", "On the 1st of the month at 03:00, Berlin"],
  ["0 3 2,13,23 * *", "On the 2nd, 13th and 23rd of the month at 03:00, Berlin"],
  ["0 3 24 12 *", "On 24 December at 03:00, Berlin"],
  ["0 3 * jan-mar *", "Every day in January to March at 03:00, Berlin"],
  ["*/15 * * * *", "Every 15 minutes"],
  ["*/15 9-17 * * 1-5", "Every 15 minutes from 09:00 to 17:45, Monday to Friday, Berlin"],
  ["0 9-17 * * *", "Every hour from 09:00 to 17:00, Berlin"],
  ["5 * * * *", "Every hour at minute 5"],
  ["0 */2 * * *", "Every 2 hours from 00:00, Berlin"],
  ["@hourly", "Every hour"],
  ["@Daily", "Every day at 00:00, Berlin"],
  ["@weekly", "Every Sunday at 00:00, Berlin"],
  ["every 6h", "Every 6 hours"],
  ["every 1d", "Every day"],
  ["in 2h", "Once, 2 hours after it is saved"],
  ["at 2026-12-01T09:00:00+01:00", "Once, on 1 December at 09:00, Berlin"],
  ["at 2027-01-31T09:00:00Z", "Once, on 31 January 2027 at 10:00, Berlin"],
]) {
  test(`${schedule} has words`, () => assert.equal(scheduleWords(schedule, ZONE, NOW), words));
}

test("what has no short and exact words has none", () => {
  const unclear = ["*/7 * * * *", "0 */5 * * *", "0 9 1 * 1", "0 9 */2 * *", "0 9 L * *", "0 9 * * 1#2", "7-52/9 3 * * *", "15 30 7 * * *", "0 25 * * *", "0 9 * * 8", "every", "at noon", ""];
  for (const schedule of unclear) assert.equal(scheduleWords(schedule, ZONE, NOW), "", schedule);
});

test("a schedule that is saved says when its one time comes", () => {
  assert.equal(scheduleWords("in 2h", ZONE, NOW, "2026-11-15T22:36:05Z"), "Once, on 15 November at 23:36:05, Berlin");
});

test("near times are counted down, and others are named by their day", () => {
  assert.equal(soonWords(new Date("2026-11-16T06:30:00Z"), NOW), "in 9 h 54 min");
  assert.equal(soonWords(new Date("2026-11-16T18:00:00Z"), NOW), "tomorrow 19:00");
  assert.equal(soonWords(new Date("2026-11-19T06:30:00Z"), NOW), "Thu 07:30");
  assert.equal(soonWords(new Date("2027-03-01T06:30:00Z"), NOW), "1 Mar 2027 07:30");
  assert.equal(soonWords(NOW, NOW), "now");
  assert.equal(momentWords(new Date("2026-11-16T06:30:00Z"), NOW), "tomorrow at 07:30");
  assert.equal(weekdayDateIn(new Date("2026-11-15T20:36:00Z"), "Asia/Tokyo", NOW), "Mon 16 November");
});

test("a run says how it went, why, and how late it was", () => {
  const late = { ...RUN, started_at: "2026-11-13T06:53:00Z", late_seconds: 1380 };
  assert.equal(runTitle(RUN), "Answered");
  assert.equal(runTitle(late), "Answered, 23 min late");
  assert.equal(runNote(late, NOW), "due on Friday at 07:30");
  assert.equal(lastRunWords(late, NOW), "ran on Friday, 23 min late");
  const failed = { ...RUN, fire_at: "2026-11-15T16:48:00Z", started_at: null, late_seconds: null, status: "failed", reason: "the model was out of credit" };
  assert.equal(lastRunWords(failed, NOW), "failed at 17:48: the model was out of credit");
  assert.equal(runNote({ ...failed, manual: true, status: "skipped", reason: "still_running" }, NOW), "started by hand; the last run was still going");
});

test("the runs that one outage left out are one entry", () => {
  const missed = (day) => ({ ...RUN, fire_at: `2026-11-${day}T06:30:00Z`, status: "skipped", reason: "missed" });
  const entries = runEntries([RUN, missed("12"), missed("11"), missed("10"), { ...RUN, fire_at: "2026-11-09T06:30:00Z" }, missed("08")]);
  assert.deepEqual(entries.map((entry) => entry.missed ?? entry.run.status), ["done", 3, "done", 1]);
  assert.deepEqual(missedWords(entries[1], NOW), { title: "3 runs left out", note: "the server was off at these times", time: "Tue 07:30 to Thu 07:30" });
  assert.equal(missedWords(entries[3], NOW).title, "Left out");
});

test("a new job gets what was filled in, and a known one what was changed", () => {
  const values = { ...blankValues(ZONE), prompt: "Say hello.", schedule: "every 1h" };
  assert.deepEqual(newJob(values), { prompt: "Say hello.", schedule: "every 1h", timezone: ZONE, fresh: false });
  assert.deepEqual(changesOf(valuesOf(JOB), JOB), {});
  assert.deepEqual(changesOf({ ...valuesOf(JOB), name: "", catch_up_seconds: "0" }, JOB), { name: "", catch_up_seconds: 0 });
});

test("what another has changed arrives, except where the reader is changing it", () => {
  const before = valuesOf(JOB);
  const merged = mergedValues({ ...before, prompt: "Mine." }, before, { ...before, prompt: "Theirs.", name: "Evening" });
  assert.deepEqual([merged.prompt, merged.name], ["Mine.", "Evening"]);
});

test("a refusal belongs to the field that it names first", () => {
  assert.deepEqual(refusedField("schedule: 'x' cannot be read."), { field: "schedule", words: "'x' cannot be read." });
  assert.deepEqual(refusedField("name must be a printable text."), { field: "name", words: "Name must be a printable text." });
  assert.equal(refusedField("Only the operator may use schedules that deliver to a chat."), null);
});

test("a job without a name is called by its prompt", () => {
  assert.equal(jobTitle(JOB), "Morning");
  assert.equal(jobTitle({ name: "", prompt: "Say hello.\nThen leave." }), "Say hello.");
  assert.equal(jobTitle({ name: "", prompt: "x".repeat(80) }), `${"x".repeat(58)} …`);
});
