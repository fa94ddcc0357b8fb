// What the form of a schedule holds, what of it has changed, and which field a refusal is about.

const FIELDS = ["name", "prompt", "schedule", "timezone", "deliver", "model", "fresh", "catch_up_seconds"];
// An empty text takes these away from a job; a new job does not get them.
const OPTIONAL = new Set(["name", "timezone", "deliver", "model", "catch_up_seconds"]);
const MOST_WORDS = 60;

// `catch_up_seconds` is empty where the server decides.
export function blankValues(zone) {
  return { name: "", prompt: "", schedule: "", timezone: zone, deliver: "", model: "", fresh: false, catch_up_seconds: "" };
}

export function valuesOf(job) {
  return { ...Object.fromEntries(FIELDS.map((name) => [name, job[name]])), deliver: job.deliver ?? "", catch_up_seconds: String(job.catch_up_seconds) };
}

// The body of a request that makes a job with these values.
export function newJob(values) {
  return body(FIELDS.filter((name) => !OPTIONAL.has(name) || values[name] !== ""), values);
}

// The body of a request that changes a job; empty when there is nothing to change.
export function changesOf(values, job) {
  const known = valuesOf(job);
  return body(FIELDS.filter((name) => values[name] !== known[name]), values);
}

// What the reader has changed since `before` stays; all else becomes what it is `after`.
export function mergedValues(current, before, after) {
  return Object.fromEntries(FIELDS.map((name) => [name, current[name] === before[name] ? after[name] : current[name]]));
}

// A refusal begins with the name of the field: {field, words}; null if it is about none.
export function refusedField(message) {
  const field = FIELDS.find((name) => new RegExp(`^${name}\\b`).test(message));
  if (!field) return null;
  const words = message.replace(new RegExp(`^${field}:\\s*`), "");
  return { field, words: words.charAt(0).toUpperCase() + words.slice(1) };
}

// What a schedule is called: its name, or the first words of what it asks.
export function jobTitle({ name, prompt }) {
  if (name) return name;
  const line = prompt.trim().split("\n")[0];
  return line.length > MOST_WORDS ? `${line.slice(0, MOST_WORDS - 2).trimEnd()} …` : line;
}

function body(names, values) {
  const given = Object.fromEntries(names.map((name) => [name, values[name]]));
  return "catch_up_seconds" in given ? { ...given, catch_up_seconds: Number(given.catch_up_seconds) } : given;
}
