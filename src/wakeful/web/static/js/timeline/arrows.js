// Who woke whom: from the end of a job, or from where a watched line was printed, to the turn that read of it.

// Into the bar from below, so far from its left edge.
const INSIDE = 5;

// [{notice, job, bar, from, to, isJoined, isWatch}]. `bar` is null while the turn that will read it is not there yet:
// then it waits until now. A turn that is not drawn has no arrow.
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
