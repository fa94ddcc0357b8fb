// Parses terminal output into runs of styled text. Colours and weights apply; all other control sequences (cursor
// moves, titles, links, clipboard) are dropped.

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const ESCAPE = "\u001b";
const MARK = /[\u001b\r\n]/g;
// CSI … final byte; OSC, DCS, APC, PM, SOS … up to their end; or a short sequence.
const SEQUENCE =
  /\u001b(?:\[([0-?]*)[ -/]*([@-~])|[\]PX^_](?:(?!\u0007|\u001b\\)[\s\S])*(?:\u0007|\u001b\\)|[ -/]*[0-OQ-WYZ\\`a-~])/y;
// A sequence that is cut off at the end of the text.
const BROKEN = /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][\s\S]{0,4096}|[ -/]*)$/y;
// Control characters that print nothing, except tab, newline and carriage return.
const SILENT = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f\u0080-\u009f]/g;

export class AnsiParser {
  #style = plain();
  // A cut-off sequence at the end of the last text, which the next one may complete.
  #rest = "";

  // Yields {text, classes} for printed text, {newline: true} and {carriage: true}.
  *read(text) {
    const all = this.#rest + text;
    this.#rest = "";
    let start = 0;
    for (let at = nextMark(all, 0); at !== -1; at = nextMark(all, start)) {
      yield* this.#printed(all.slice(start, at));
      if (all[at] !== ESCAPE) {
        yield all[at] === "\n" ? { newline: true } : { carriage: true };
        start = at + 1;
        continue;
      }
      const length = this.#obey(all, at);
      if (length === 0) {
        this.#rest = all.slice(at);
        return;
      }
      start = at + length;
    }
    yield* this.#printed(all.slice(start));
  }

  *#printed(text) {
    const shown = text.replace(SILENT, "");
    if (shown) yield { text: shown, classes: classesOf(this.#style) };
  }

  // Returns the length of the sequence, 0 when its end has not arrived.
  #obey(text, at) {
    SEQUENCE.lastIndex = at;
    const match = SEQUENCE.exec(text);
    if (match) {
      if (match[2] === "m") apply(this.#style, match[1]);
      return match[0].length;
    }
    BROKEN.lastIndex = at;
    return BROKEN.test(text) ? 0 : 1;
  }
}

function nextMark(text, from) {
  MARK.lastIndex = from;
  return MARK.exec(text)?.index ?? -1;
}

function plain() {
  return { colour: null, bold: false, dim: false, italic: false, underline: false };
}

function apply(style, parameters) {
  const codes = parameters.split(/[;:]/).map((code) => Number(code) || 0);
  while (codes.length) {
    const code = codes.shift();
    if (code === 38 || code === 48) {
      const colour = extended(codes);
      if (code === 38) style.colour = colour;
    } else {
      applyOne(style, code);
    }
  }
}

function applyOne(style, code) {
  if (code === 0) Object.assign(style, plain());
  else if (code === 1) style.bold = true;
  else if (code === 2) style.dim = true;
  else if (code === 3) style.italic = true;
  else if (code === 4) style.underline = true;
  else if (code === 22) style.bold = style.dim = false;
  else if (code === 23) style.italic = false;
  else if (code === 24) style.underline = false;
  else if (code === 39) style.colour = null;
  else if (code >= 30 && code <= 37) style.colour = COLOURS[code - 30];
  else if (code >= 90 && code <= 97) style.colour = COLOURS[code - 90];
}

// Maps extended colours to the nearest of the eight that are readable in both themes.
function extended(codes) {
  const kind = codes.shift();
  if (kind === 2) return nearest(codes.shift() ?? 0, codes.shift() ?? 0, codes.shift() ?? 0);
  if (kind !== 5) return null;
  const number = codes.shift() ?? 0;
  if (number < 16) return COLOURS[number % 8];
  if (number >= 232) return number < 244 ? "black" : "white";
  const cube = number - 16;
  return nearest(Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51);
}

function nearest(red, green, blue) {
  const most = Math.max(red, green, blue);
  if (most - Math.min(red, green, blue) < 40) return most < 110 ? "black" : "white";
  const bit = (value) => (value > most * 0.6 ? 1 : 0);
  return COLOURS[bit(red) + 2 * bit(green) + 4 * bit(blue)];
}

function classesOf(style) {
  const classes = [];
  if (style.colour && style.colour !== "white") classes.push(`ansi-${style.colour}`);
  for (const name of ["bold", "dim", "italic", "underline"]) {
    if (style[name]) classes.push(`ansi-${name}`);
  }
  return classes.join(" ");
}
