// Maps times to pixels. Long idle stretches become breaks of a fixed width, so a night does not push the day off the
// page.

const IDLE_SECONDS = 900;
const BREAK_WIDTH = 64;
const TICK_STEPS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200];
const SLOWEST = 0.15;
const FASTEST = 30;

export class Axis {
  // `busy`: [start, end] pairs in seconds, in any order. `left`, `width`: in pixels.
  constructor(busy, { left, width }) {
    const stretches = joined(busy);
    const seconds = stretches.reduce((sum, [start, end]) => sum + end - start, 0);
    const room = width - BREAK_WIDTH * (stretches.length - 1);
    this.scale = Math.min(FASTEST, Math.max(SLOWEST, room / Math.max(seconds, 1)));
    let x = left;
    this.stretches = stretches.map(([start, end]) => {
      const stretch = { start, end, x };
      x += (end - start) * this.scale + BREAK_WIDTH;
      return stretch;
    });
    this.right = x - BREAK_WIDTH;
  }

  x(moment) {
    let found = this.stretches[0];
    for (const stretch of this.stretches) if (stretch.start <= moment) found = stretch;
    const inside = Math.min(Math.max(moment, found.start), found.end);
    return found.x + (inside - found.start) * this.scale;
  }

  breaks() {
    return this.stretches.slice(1).map((stretch, index) => {
      const before = this.stretches[index];
      return { x: stretch.x - BREAK_WIDTH, width: BREAK_WIDTH, seconds: stretch.start - before.end };
    });
  }

  // Full minutes (or hours) in the reader's time zone, at least `apart` pixels from each other.
  ticks(apart) {
    const step = TICK_STEPS.find((seconds) => seconds * this.scale >= apart) ?? TICK_STEPS.at(-1);
    const shift = new Date(this.stretches[0].start * 1000).getTimezoneOffset() * 60;
    return this.stretches.flatMap(({ start, end }) => {
      const first = Math.ceil((start - shift) / step) * step + shift;
      const count = Math.max(0, Math.floor((end - first) / step) + 1);
      return Array.from({ length: count }, (_, index) => first + index * step);
    });
  }
}

function joined(busy) {
  const sorted = [...busy].sort((one, other) => one[0] - other[0]);
  const stretches = [[...sorted[0]]];
  for (const [start, end] of sorted.slice(1)) {
    const last = stretches.at(-1);
    if (start - last[1] > IDLE_SECONDS) stretches.push([start, end]);
    else last[1] = Math.max(last[1], end);
  }
  return stretches;
}
