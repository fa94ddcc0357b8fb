// Drafts of each session, and of each message that is being edited: kept in the browser until they are sent.

const PREFIX = "wakeful.draft.";

// The key of the draft of an edited message.
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
    // The storage is full. It has an earlier version of the draft; the message box has all of it.
    console.info("could not keep the draft:", error.message);
  }
}
