import { emit } from "./bus.js";

// Returns whether it worked: browsers offer the clipboard on https and localhost only.
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    emit("said", "Copied");
    return true;
  } catch {
    emit("toast", { kind: "fail", title: "Not copied", text: "Browsers allow copying on https and localhost only." });
    return false;
  }
}
