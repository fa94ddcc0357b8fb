// What is being written, for each session, and in each message that is being edited: kept in the browser until it is
// sent.

const PREFIX = "wakeful.draft.";

// The name under which the words of an edited message are kept.
export function editOf(messageId) {
  return `edit.${messageId}`;
}

export function draftOf(sessionId) {
  return localStorage.getItem(PREFIX + (sessionId ?? "new")) ?? "";
}

export function keepDraft(sessionId, text) {
  const key = PREFIX + (sessionId ?? "new");
  try {
    if (text) localStorage.setItem(key, text);
    else localStorage.removeItem(key);
  } catch (error) {
    // The storage is full: what was kept before is a part of it, and the rest is in the box.
    console.info("the draft is not kept:", error.message);
  }
}
