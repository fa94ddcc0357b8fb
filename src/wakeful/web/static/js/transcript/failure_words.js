// A failed call in a few words: red when something went wrong, grey when it was held back or interrupted.

const FAILED = {
  invalid_arguments: "wrong arguments",
  unknown_tool: "no such tool",
  not_found: "not found",
  not_a_file: "not a file",
  not_a_folder: "not a folder",
  outside: "outside",
  binary: "not text",
  too_large: "too large",
  no_match: "no match",
  not_unique: "not unique",
  unchanged: "unchanged",
  timeout: "timed out",
  unreachable: "unreachable",
  blocked_address: "blocked",
  server_down: "not there",
};
const HELD_BACK = {
  denied: ["cross", "denied"],
  expired: ["clock", "not answered"],
  read_only: ["watch", "read only"],
  interrupted: ["lost", "cut off"],
  nobody_to_ask: ["cross", "not asked"],
};

export function failureState({ code, seconds = "" }) {
  const [icon, words] = HELD_BACK[code] ?? [];
  if (words) return { kind: "off", icon, words };
  return { kind: "fail", words: [FAILED[code] ?? "failed", seconds].filter(Boolean).join(" · ") };
}
