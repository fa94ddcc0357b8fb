// Where a reader of a session stands. `N` is after the fact N, `N.k` after the k-th of the frames that it makes.
// `N~b~p` is in the middle of words: after the fact N, and after p pieces of the words that follow the fact b. Other
// facts may come between words, not in the same place for every reader: so facts and words are compared apart.

// The last fact of which the reader has something.
export function factOf(cursor) {
  return Number.parseInt(cursor, 10);
}

// Whether a line that stands at the other cursor has yet to reach this one.
export function isBeyond(cursor, other) {
  const [one, two] = [parse(cursor), parse(other)];
  const facts = compareFacts(one, two);
  if (facts !== 0) return facts > 0;
  return one.base === two.base ? one.place > two.place : one.base > two.base;
}

// Where a reader stands after a frame; null when it has had that frame.
export function moveOn(at, { name, cursor }) {
  const [from, to] = [parse(at), parse(cursor)];
  if (takesBack(name, from, to)) return cursor;
  if (!isNew(from, to)) return null;
  return print(compareFacts(from, to) > 0 ? from : to, furtherWords(from, to));
}

// From where a line serves them all.
export function lowest(cursors) {
  return cursors.reduce(lower);
}

// The facts of one cursor, with the words of the other if it is further in the same ones.
export function withWordsOf(cursor, other) {
  const [one, two] = [parse(cursor), parse(other)];
  // Without a place in words, they are those that follow the fact.
  const isSame = two.place > 0 && two.base === (one.base || one.after);
  return isSame && two.place > one.place ? print(one, two) : cursor;
}

// `a:12~9~37,b:40.1`: the part of one session, null if it is not named.
export function cursorOf(id, session) {
  const part = id.split(",").find((one) => one.startsWith(`${session}:`));
  return part ? part.slice(session.length + 1) : null;
}

export function joinCursors(cursors) {
  return [...cursors].map(([session, cursor]) => `${session}:${cursor}`).join(",");
}

function isNew(from, to) {
  if (from.base === to.base && to.place > from.place) return true;
  const facts = compareFacts(to, from);
  return facts > 0 || (facts === 0 && to.base > from.base);
}

// A reader that has more words than the server has kept drops them, and gets those: it stands before the first again.
function takesBack(name, from, to) {
  const isSame = compareFacts(from, to) === 0 && from.base === to.base;
  return name === "step_abandoned" && isSame && to.place === 0 && from.place > 0;
}

// A fact that comes does not tell whether it ends the words: a place in them is kept until there are others.
function furtherWords(from, to) {
  if (from.base !== to.base) return from.base > to.base ? from : to;
  return from.place > to.place ? from : to;
}

function lower(cursor, other) {
  const [one, two] = isBeyond(cursor, other) ? [parse(other), parse(cursor)] : [parse(cursor), parse(other)];
  // One that has more facts and does not name these words may have none of them, or all.
  if (two.base < one.base) return print(one, NO_WORDS);
  return print(one, two.base === one.base && two.place < one.place ? two : one);
}

const NO_WORDS = { base: 0, place: 0 };

// Of facts those up to `after` were seen whole, and of the next one so many frames.
function parse(cursor) {
  const [facts, base = 0, place = 0] = String(cursor).split("~");
  const [number, frames] = facts.split(".").map(Number);
  return { after: frames ? number - 1 : number, frames: frames ?? 0, base: Number(base), place: Number(place) };
}

function print({ after, frames }, { base, place }) {
  const facts = frames ? `${after + 1}.${frames}` : String(after);
  return base ? `${facts}~${base}~${place}` : facts;
}

function compareFacts(one, two) {
  return one.after - two.after || one.frames - two.frames;
}
