// Measures the width of a text in the fonts of the timeline.

const FONTS = { sans: "11px SANS", mono: "11px MONO", bold: "600 11px SANS" };
const MOST_KEPT = 2_000;

const widths = new Map();
let pen = null;

export function measure(text, font) {
  const key = `${font} ${text}`;
  if (widths.size > MOST_KEPT) widths.clear();
  if (!widths.has(key)) widths.set(key, measured(text, font));
  return widths.get(key);
}

function measured(text, font) {
  pen ??= document.createElement("canvas").getContext("2d");
  const styles = getComputedStyle(document.documentElement);
  const families = { SANS: styles.getPropertyValue("--sans"), MONO: styles.getPropertyValue("--mono") };
  pen.font = FONTS[font].replace(/SANS|MONO/, (name) => families[name]);
  return pen.measureText(text).width;
}
