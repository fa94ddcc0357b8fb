// Lines from a turn down to the jobs that it started. The threads of a turn are staggered, deeper lanes further left,
// so none crosses another job.

const APART = 5;
// Threads of jobs that start further apart than this do not meet.
const NEAR = 60;

// Sets the `thread` of each job: its x in pixels.
export function thread(jobs, bars) {
  const left = new Map(bars.map((bar) => [bar.turn.turn_id, bar.x + 1.5]));
  for (const turnId of new Set(jobs.map((job) => job.task.turn_id))) {
    const own = jobs.filter((job) => job.task.turn_id === turnId).sort((one, other) => one.lane - other.lane);
    stagger(own, left.get(turnId) ?? 0);
  }
}

function stagger(jobs, left) {
  const before = [];
  for (const job of jobs) {
    const wanted = job.x - 3;
    const near = before.filter((x) => Math.abs(wanted - x) < NEAR);
    job.thread = Math.max(Math.min(wanted, ...near.map((x) => x - APART)), Math.min(left, wanted));
    before.push(job.thread);
  }
}
