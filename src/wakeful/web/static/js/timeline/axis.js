// Time to place. Long idle stretches become breaks of a fixed width, so that a night does not push the day off the page.

const IDLE_SECONDS = 900;
const BREAK_WIDTH = 64;
const TICK_STEPS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200];
const SLOWEST = 0.15;
const FASTEST = 30;

export class Axis {
  // `busy`: [start, end] pairs in seconds, in any order. `left`, `width`: where on the page.
  constructor(busy, { left, width }) {
    this.stretches = joined(busy);
    const seconds = this.stretches.reduce((sum, [start, end]) => sum + end - start, 0);
    const room = width - BREAK_WIDTH * (this.stretches.length - 1);
    this.scale = Math.min(FASTEST, Math.max(SLOWEST, room / Math.max(seconds, 1)));
    let x = left;
    this.places = this.stretches.map(([start, end]) => {
      const place = { start, end, x };
      x += (end - start) * this.scale + BREAK_WIDTH;
      return place;
    });
    this.right = x - BREAK_WIDTH;
  }

  x(moment) {
    let found = this.places[0];
    for (const place of this.places) if (place.start <= moment) found = place;
    const inside = Math.min(Math.max(moment, found.start), found.end);
    return found.x + (inside - found.start) * this.scale;
  }

  breaks() {
    return this.places.slice(1).map((place, index) => {
      const before = this.places[index];
      return { x: place.x - BREAK_WIDTH, width: BREAK_WIDTH, seconds: place.start - before.end };
    });
  }

  // Full minutes (or hours) of the reader's clock, at least `apart` from each other.
  ticks(apart) {
    const step = TICK_STEPS.find((seconds) => seconds * this.scale >= apart) ?? TICK_STEPS.at(-1);
    const shift = new Date(this.places[0].start * 1000).getTimezoneOffset() * 60;
    return this.places.flatMap(({ start, end }) => {
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
