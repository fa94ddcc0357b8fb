// Files that are dropped onto the session, or pasted into the message box.

import { el, icon } from "../dom.js";

export function takeDrops(area, onFiles) {
  const veil = el(
    "div",
    { class: "dropping", hidden: true },
    icon("drop"),
    el("b", { text: "Drop to attach" }),
    el("span", { text: "Up to 10 files. Pictures are shown to the model." }),
  );
  area.append(veil);
  // Every element that the pointer crosses fires a pair of events.
  let depth = 0;
  const show = (change) => {
    depth = Math.max(0, depth + change);
    veil.hidden = depth === 0;
  };
  area.addEventListener("dragenter", (event) => hasFiles(event) && show(1));
  area.addEventListener("dragleave", (event) => hasFiles(event) && show(-1));
  area.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  area.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    show(-depth);
    onFiles([...event.dataTransfer.files]);
  });
}

export function takePasted(box, onFiles) {
  box.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    // Some programs copy a text with a picture of it: then the text is meant.
    if (!files.length || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    onFiles(files);
  });
}

function hasFiles(event) {
  return event.dataTransfer?.types.includes("Files");
}
