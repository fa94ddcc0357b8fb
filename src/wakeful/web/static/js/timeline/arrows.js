// Arrows from the end of a job, or from the moment of a watched line, to the turn that it woke or was reported in.

// How far from its left edge an arrow meets the bar.
const INSIDE = 5;

// [{notice, job, bar, from, to, isJoined, isWatch}]. `bar` is null while no turn has read the notice: then the arrow
// ends at now. A turn that is not drawn gets no arrow.
export function arrowsOf(notices, jobs, bars, axis, now) {
  const jobsById = new Map(jobs.map((job) => [job.task.id, job]));
  const barsById = new Map(bars.map((bar) => [bar.turn.turn_id, bar]));
  return notices.flatMap((notice) => {
    const job = jobsById.get(notice.task_id);
    const bar = barsById.get(notice.turn_id) ?? null;
    if (!job || (notice.turn_id && !bar)) return [];
    return [arrow(notice, job, bar, axis, now)];
  });
}

function arrow(notice, job, bar, axis, now) {
  const isWatch = notice.kind === "watch";
  const isJoined = notice.delivered === "joined";
  const to = bar ? head(notice, bar, axis, isJoined) : axis.x(now);
  const from = isWatch ? Math.max(job.x + 2, axis.x(notice.posted_at)) : job.end;
  return { notice, job, bar, isWatch, isJoined, from: Math.min(from, bar ? to - 1 : to), to };
}

function head(notice, bar, axis, isJoined) {
  const first = bar.x + Math.min(INSIDE, bar.width / 2);
  if (!isJoined) return first;
  return Math.max(Math.min(axis.x(notice.at), bar.x + bar.width - 3), first);
}
