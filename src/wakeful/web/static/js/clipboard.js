import { emit } from "./bus.js";

// A page that was not served over https, and not from this machine, has no clipboard.
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    emit("said", "Copied");
    return true;
  } catch {
    emit("toast", { kind: "fail", title: "Not copied", text: "The browser allows it on https and on localhost only." });
    return false;
  }
}
