// Which line of the timeline a task is drawn on: packed from the newest back, so that the newest are always there.

const MOST_LANES = 4;

// `spans`: [{from, to, …}] in pixels, oldest first. Gives each a `lane`, or -1 when there is no room for it.
export function pack(spans) {
  const lanes = [];
  for (const span of [...spans].reverse()) {
    let lane = lanes.findIndex((taken) => taken.every((other) => span.to <= other.from || span.from >= other.to));
    if (lane === -1 && lanes.length < MOST_LANES) lane = lanes.push([]) - 1;
    if (lane !== -1) lanes[lane].push(span);
    span.lane = lane;
  }
  return { spans, lanes: lanes.length, hidden: spans.filter((span) => span.lane === -1).length };
}
