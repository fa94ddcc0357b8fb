// Assigns jobs to lanes. Ended jobs come first, the earliest end on top, so an arrow that rises from below crosses
// nothing; running jobs are below them. A job keeps its lane.

const MOST_LANES = 4;

// `spans`: [{id, from, to, end, stems, isRunning}] in pixels, from the thread to where its arrow rises. `kept`: lanes
// by id from the last drawing, to which new ones are added. Sets the `lane` of each span, -1 for those without room:
// the newest get a lane first.
export function pack(spans, kept = new Map()) {
  let lanes = assigned(spans, kept);
  // Showing a new job matters more than keeping the lanes of the old ones.
  if (spans.some((span) => span.lane === -1 && !kept.has(span.id))) lanes = assigned(spans, new Map());
  for (const span of spans) kept.set(span.id, span.lane);
  return { lanes: lanes.findLastIndex((lane) => lane.length) + 1, hidden: spans.filter((one) => one.lane === -1).length };
}

function assigned(spans, kept) {
  const lanes = Array.from({ length: MOST_LANES }, () => []);
  for (const span of spans) take(lanes, span, kept.get(span.id) ?? -1);
  const free = fitting(spans.filter((span) => !kept.has(span.id)), lanes);
  for (const span of free.sort(byEnd)) take(lanes, span, laneFor(span, lanes));
  return lanes;
}

function take(lanes, span, lane) {
  span.lane = lane;
  if (lane !== -1) lanes[lane].push(span);
}

// The newest spans for which some lane has room, whatever crosses it.
function fitting(spans, taken) {
  const trial = taken.map((lane) => [...lane]);
  return [...spans]
    .sort((one, other) => other.from - one.from)
    .filter((span) => {
      const lane = trial.find((others) => isFree(span, others));
      lane?.push(span);
      return lane;
    });
}

function byEnd(one, other) {
  if (one.isRunning !== other.isRunning) return one.isRunning ? 1 : -1;
  return one.isRunning ? one.from - other.from : one.end - other.end;
}

// The first free lane without crossings, else the first free one.
function laneFor(span, lanes) {
  const free = lanes.flatMap((others, lane) => (isFree(span, others) ? [lane] : []));
  return free.find((lane) => isClear(span, lane, lanes)) ?? free[0] ?? -1;
}

function isFree(span, others) {
  return others.every((other) => span.to <= other.from || span.from >= other.to);
}

function isClear(span, lane, lanes) {
  const above = lanes.slice(0, lane).flat();
  const below = lanes.slice(lane + 1).flat();
  const rises = span.stems.every((stem) => above.every((other) => !covers(other, stem)));
  return rises && below.every((other) => other.stems.every((stem) => !covers(span, stem)));
}

// Spans that share a stem may touch it.
function covers(span, stem) {
  return span.from < stem && stem < span.to && !span.stems.includes(stem);
}
