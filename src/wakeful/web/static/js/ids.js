// Ids of this browser, and short forms of the server's.

const TAB_KEY = "wakeful.tab";

// A random id. `crypto.randomUUID` is missing on pages that are not served over https.
export function newId(prefix) {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `${prefix}_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

// The id of this tab, which a reload keeps.
export function tabId() {
  if (!sessionStorage.getItem(TAB_KEY)) sessionStorage.setItem(TAB_KEY, newId("tab"));
  return sessionStorage.getItem(TAB_KEY);
}

// The last four characters are enough to distinguish the ids of one session.
export function shortId(id) {
  const [prefix, rest = ""] = id.split("_");
  return rest.length > 6 ? `${prefix}_${rest.slice(-4)}` : id;
}
