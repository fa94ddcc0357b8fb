// Where in a command its dangers stand, as the server has found them.

// [{text, isMarked, ends}] in the order of the command: `ends` are the numbers, from 1, of the dangers that end there.
// Dangers may overlap, or stand nowhere in the text.
export function markedPieces(command, dangers) {
  const ranges = placed(command, dangers);
  const edges = [...new Set([0, command.length, ...ranges.flatMap(({ start, end }) => [start, end])])].sort((one, other) => one - other);
  return edges.slice(1).map((end, index) => {
    const start = edges[index];
    const isMarked = ranges.some((range) => range.start <= start && end <= range.end);
    return { text: command.slice(start, end), isMarked, ends: ranges.filter((range) => range.end === end).map((range) => range.number) };
  });
}

// A second danger with the same words is the next place where they stand, if there is one.
function placed(command, dangers) {
  const last = new Map();
  return dangers.flatMap(({ excerpt }, index) => {
    if (!excerpt) return [];
    const before = last.get(excerpt);
    const next = command.indexOf(excerpt, before === undefined ? 0 : before + excerpt.length);
    const start = next === -1 ? before : next;
    if (start === undefined) return [];
    last.set(excerpt, start);
    return [{ start, end: start + excerpt.length, number: index + 1 }];
  });
}
