// Reads cut results. The result of a command is JSON, but of a long one the server sends only the start and the end.

const OUTPUT = /^\{"output":"/;
const TAIL = /","exit_code":(-?\d+|null),"error":(null|"(?:[^"\\]|\\.)*")[^]*\}$/;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([^]))/g;
const LETTERS = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

// A failure begins with its error.
const FAILURE = /^\{"error":\s*("(?:[^"\\]|\\.)*"),\s*"code":\s*("[a-z_]*")/;

// {error, code} of a failed call, or null for anything else.
export function readCutFailure(text) {
  const found = FAILURE.exec(text);
  return found && { error: JSON.parse(found[1]), code: JSON.parse(found[2]) };
}

// {output, exit_code, error} of a command, or null for anything else.
export function readCutJson(text) {
  const tail = TAIL.exec(text);
  if (!OUTPUT.test(text) || !tail) return null;
  const inside = text.slice(text.match(OUTPUT)[0].length, tail.index);
  const output = inside.replace(ESCAPE, (_, code, letter) =>
    code ? String.fromCharCode(parseInt(code, 16)) : (LETTERS[letter] ?? letter),
  );
  return { output, exit_code: JSON.parse(tail[1]), error: JSON.parse(tail[2]) };
}
