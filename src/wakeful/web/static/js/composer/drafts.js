// Drafts of each session, and of each message that is being edited: kept in the browser until they are sent.

const PREFIX = "wakeful.draft.";
const FILES = "wakeful.files.";

// The key of the draft of an edited message.
export function editOf(messageId) {
  return `edit.${messageId}`;
}

export function draftOf(sessionId) {
  return localStorage.getItem(PREFIX + (sessionId ?? "new")) ?? "";
}

// The uploaded files of a draft.
export function filesOf(sessionId) {
  try {
    return JSON.parse(localStorage.getItem(FILES + (sessionId ?? "new")) ?? "[]");
  } catch {
    return [];
  }
}

export function keepFiles(sessionId, files) {
  keep(FILES + (sessionId ?? "new"), files.length ? JSON.stringify(files) : "");
}

export function keepDraft(sessionId, text) {
  keep(PREFIX + (sessionId ?? "new"), text);
}

function keep(key, text) {
  try {
    if (text) localStorage.setItem(key, text);
    else localStorage.removeItem(key);
  } catch (error) {
    // The storage is full. It has an earlier version of the draft; the message box has all of it.
    console.info("could not keep the draft:", error.message);
  }
}
