// From the turn that started a job down to the job. Those of one turn are staggered, the deeper lane further left, so
// that none runs through another one's job.

const APART = 5;
// Jobs that start further apart than this have threads that do not meet.
const NEAR = 60;

// Sets `thread` of each job, in pixels.
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
