// How a job ended, in words that toasts, cards, the drawer and the home page share.
// A job has the fields of the API: {kind, status, exit_code}, and for a watch {source: "watch_match", pattern}.

// What shells and the system mean by an exit code. Every other code is a failure with a number.
const MEANINGS = new Map([
  [0, "ended well"],
  [124, "ran out of time"],
  [126, "cannot be run"],
  [127, "was not found"],
  [130, "was interrupted"],
  [137, "was killed"],
  [139, "crashed"],
  [143, "was asked to end"],
]);
const SIGNAL_BASE = 128;

// Finishes the sentence "`make` …": "ended well", "failed with exit code 2".
export function exitWords(code) {
  if (code === null || code === undefined) return "ended";
  const meaning = MEANINGS.get(shellCode(code));
  if (meaning === undefined) return `failed with exit code ${code}`;
  return shellCode(code) === 137 ? `${meaning} (exit code ${code}), most often for want of memory` : meaning;
}

// The same for a job. Stopped and lost jobs have no meaningful exit code.
export function endWords(job) {
  if (job.status === "lost") return "was lost when the machine restarted";
  return job.status === "killed" || isSubAgent(job) ? outcomeWords(job) : exitWords(job.exit_code);
}

// The shortest form, for titles that show the exit code separately: "failed", "ended well", "was killed".
export function outcomeWords(job) {
  if (job.status === "lost") return "was lost";
  if (job.status === "killed") return "was stopped";
  if (isSubAgent(job)) return endedWell(job) ? "reported" : "failed";
  if (job.exit_code === null || job.exit_code === undefined) return "ended";
  return MEANINGS.get(shellCode(job.exit_code)) ?? "failed";
}

// "exit code 2"; "no exit code" for a lost job; "" where a code means nothing.
export function codeWords(job) {
  if (job.status === "lost") return "no exit code";
  if (job.status === "killed" || isSubAgent(job)) return "";
  return job.exit_code === null || job.exit_code === undefined ? "" : `exit code ${job.exit_code}`;
}

// "failed · exit code 2", "was stopped"
export function endLine(job) {
  return [outcomeWords(job), codeWords(job)].filter(Boolean).join(" · ");
}

export function endedWell(job) {
  return job.status === "exited" && (job.exit_code ?? 0) === 0;
}

// What a running job will wake: "wakes this session", "watched for “ERROR”", "wakes nobody".
export function promiseWords({ will_notify: isPromised, watched_for: texts = [] }) {
  const watched = texts.length > 0 && `watched for ${texts.map((text) => `“${text}”`).join(", ")}`;
  return [isPromised && "wakes this session", watched].filter(Boolean).join(", ") || "wakes nobody";
}

function isSubAgent(job) {
  return job.kind === "delegation" || job.source === "delegation_wakeup";
}

// A process killed by signal N has the exit code -N; shells report it as 128 + N.
function shellCode(code) {
  return code < 0 ? SIGNAL_BASE - code : code;
}
