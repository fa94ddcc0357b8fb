// The position of a reader in a session. `N` is after fact N, `N.k` after the k-th of the frames that this fact makes.
// `N~b~p` is inside streamed text: after fact N, and after p pieces of the text that follows fact b. Other facts may
// arrive between pieces, at different points for different readers, so facts and text are compared separately.

// The last fact of which the reader has at least one frame.
export function factOf(cursor) {
  return Number.parseInt(cursor, 10);
}

// Whether a reader at `other` has yet to reach `cursor`.
export function isBeyond(cursor, other) {
  const [one, two] = [parse(cursor), parse(other)];
  const facts = compareFacts(one, two);
  if (facts !== 0) return facts > 0;
  return one.base === two.base ? one.pieces > two.pieces : one.base > two.base;
}

// The cursor of a reader after a frame; null when the reader already has that frame.
export function moveOn(at, { name, cursor }) {
  const [from, to] = [parse(at), parse(cursor)];
  if (startsOver(name, from, to)) return cursor;
  if (!isNew(from, to)) return null;
  return print(compareFacts(from, to) > 0 ? from : to, furtherText(from, to));
}

// The cursor from which a stream serves all of them.
export function lowest(cursors) {
  return cursors.reduce(lower);
}

// The facts of `cursor`, with the text position of `other` if that is further in the same text.
export function withTextOf(cursor, other) {
  const [one, two] = [parse(cursor), parse(other)];
  // A cursor without a text position is at the start of the text that follows its fact.
  const isSame = two.pieces > 0 && two.base === (one.base || one.after);
  return isSame && two.pieces > one.pieces ? print(one, two) : cursor;
}

// The part of one session in `a:12~9~37,b:40.1`, or null.
export function cursorOf(id, session) {
  const part = id.split(",").find((one) => one.startsWith(`${session}:`));
  return part ? part.slice(session.length + 1) : null;
}

export function joinCursors(cursors) {
  return [...cursors].map(([session, cursor]) => `${session}:${cursor}`).join(",");
}

function isNew(from, to) {
  if (from.base === to.base && to.pieces > from.pieces) return true;
  const facts = compareFacts(to, from);
  return facts > 0 || (facts === 0 && to.base > from.base);
}

// A reader with more text than the server has kept drops it and starts over at the first piece.
function startsOver(name, from, to) {
  const isSame = compareFacts(from, to) === 0 && from.base === to.base;
  return name === "step_abandoned" && isSame && to.pieces === 0 && from.pieces > 0;
}

// A fact does not say whether it ends the text, so the text position is kept until another text begins.
function furtherText(from, to) {
  if (from.base !== to.base) return from.base > to.base ? from : to;
  return from.pieces > to.pieces ? from : to;
}

function lower(cursor, other) {
  const [one, two] = isBeyond(cursor, other) ? [parse(other), parse(cursor)] : [parse(cursor), parse(other)];
  // A reader with more facts but an earlier text may have all of this text, or none of it.
  if (two.base < one.base) return print(one, NO_TEXT);
  return print(one, two.base === one.base && two.pieces < one.pieces ? two : one);
}

const NO_TEXT = { base: 0, pieces: 0 };

// The reader has all facts up to `after`, and this many `frames` of the next one.
function parse(cursor) {
  const [facts, base = 0, pieces = 0] = String(cursor).split("~");
  const [number, frames] = facts.split(".").map(Number);
  return { after: frames ? number - 1 : number, frames: frames ?? 0, base: Number(base), pieces: Number(pieces) };
}

function print({ after, frames }, { base, pieces }) {
  const facts = frames ? `${after + 1}.${frames}` : String(after);
  return base ? `${facts}~${base}~${pieces}` : facts;
}

function compareFacts(one, two) {
  return one.after - two.after || one.frames - two.frames;
}
