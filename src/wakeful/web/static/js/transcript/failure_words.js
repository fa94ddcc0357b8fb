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
// The result speaks to the model; these say the same to the reader.
const FOR_READER = {
  denied: "You said no.",
  expired: "Nobody answered in time.",
  interrupted: "The server stopped while this ran; nobody knows whether it ended.",
  no_match: "The text to replace is not in the file. Nothing was changed.",
};

// `isChat`: the session belongs to a chat, where others answer, too.
export function failureSentence({ code, error, isChat = false }) {
  if (code === "denied" && isChat) return "It was denied.";
  if (code === "read_only") return readOnlySentence(error);
  // The names of all tools follow.
  if (code === "unknown_tool") return error.replace(/;.*/s, ".");
  return FOR_READER[code] ?? error;
}

function readOnlySentence(error) {
  const isAllowedElsewhere = error.includes("accept_edits allows it");
  return `This session may only read.${isAllowedElsewhere ? " Accept edits would allow it." : ""}`;
}

export function failureState({ code, seconds = "" }) {
  const [icon, words] = HELD_BACK[code] ?? [];
  if (words) return { kind: "off", icon, words };
  return { kind: "fail", words: [FAILED[code] ?? "failed", seconds].filter(Boolean).join(" · ") };
}
