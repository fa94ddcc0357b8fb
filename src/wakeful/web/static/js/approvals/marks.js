// Locates the dangers that the server reported in the text of a command.

// [{text, isMarked, ends}] in the order of the command; `ends` lists the dangers, numbered from 1, that end there.
// Dangers may overlap, or not occur in the text.
export function markedPieces(command, dangers) {
  const ranges = located(command, dangers);
  const edges = [...new Set([0, command.length, ...ranges.flatMap(({ start, end }) => [start, end])])].sort((one, other) => one - other);
  return edges.slice(1).map((end, index) => {
    const start = edges[index];
    const isMarked = ranges.some((range) => range.start <= start && end <= range.end);
    return { text: command.slice(start, end), isMarked, ends: ranges.filter((range) => range.end === end).map((range) => range.number) };
  });
}

// A second danger with the same excerpt marks its next occurrence, if there is one.
function located(command, dangers) {
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
