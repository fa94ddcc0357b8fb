// Where in a session's log a reader stands: `N` is after the event N, `N.k` after the k-th of the frames that it makes.

// Whether the cursor lies beyond the other one.
export function isBeyond(cursor, other) {
  const [after, frames] = parse(cursor);
  const [otherAfter, otherFrames] = parse(other);
  return after === otherAfter ? frames > otherFrames : after > otherAfter;
}

export function lowest(cursors) {
  return cursors.reduce((low, cursor) => (isBeyond(low, cursor) ? cursor : low));
}

// `a:12,b:40.1`: the part of one session, null if it is not named.
export function cursorOf(id, session) {
  const part = id.split(",").find((one) => one.startsWith(`${session}:`));
  return part ? part.slice(session.length + 1) : null;
}

export function joinCursors(cursors) {
  return [...cursors].map(([session, cursor]) => `${session}:${cursor}`).join(",");
}

// [events seen whole, frames seen of the next one]
function parse(cursor) {
  const [number, frames] = String(cursor).split(".");
  return frames ? [Number(number) - 1, Number(frames)] : [Number(number), 0];
}
