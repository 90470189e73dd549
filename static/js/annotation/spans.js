// The contradicted span of a passage as ranges of it: [start, end) in UTF-16 units of the text as shown. Pure.

const BETWEEN = " … ";
const ELLIPSIS = /\s*(?:\[?(?:\.\.\.|…)\]?|\n)\s*/;
const APART = /[\p{L}\p{N}\n]/u; // a word or a line break between them

/** The ranges after those `added` were selected: what touches becomes one, and selecting inside a range takes it out. */
export function toggled(passage, ranges, added) {
  const holders = added.map(([from, to]) => ranges.find(([start, end]) => start <= from && to <= end));
  if (holders.every(Boolean)) return ranges.filter((range) => !holders.includes(range));
  const joined = [];
  for (const [start, end] of [...ranges, ...added].sort((one, other) => one[0] - other[0])) {
    const last = joined.at(-1);
    if (last && !APART.test(passage.slice(last[1], start))) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

export function textOf(passage, ranges) {
  return ranges.map(([start, end]) => passage.slice(start, end)).join(BETWEEN);
}

/** What a range has on each line, without the blanks around it: a span is one line. */
export function lines(passage, [start, end]) {
  const found = [...passage.slice(start, end).matchAll(/\S(?:.*\S)?/g)];
  return found.map((line) => [start + line.index, start + line.index + line[0].length]);
}

/** Where the pieces of a span that was typed are; none where one is not there. */
export function located(passage, span) {
  const ranges = [];
  let at = 0;
  for (const piece of span.split(ELLIPSIS).filter(Boolean)) {
    const start = passage.indexOf(piece, at);
    if (start < 0) return [];
    at = start + piece.length;
    ranges.push([start, at]);
  }
  return ranges;
}

/** As the server keeps them, "12-18 40-52" in characters: an emoji is one there and two here. */
export function written(passage, ranges) {
  const characters = (units) => [...passage.slice(0, units)].length;
  return ranges.map((range) => range.map(characters).join("-")).join(" ");
}

/** Back from `written`; null where the ranges do not say what the span says. */
export function read(passage, place, span) {
  const letters = [...passage];
  const units = (characters) => letters.slice(0, characters).join("").length;
  const ranges = place.split(" ").filter(Boolean).map((pair) => pair.split("-").map((at) => units(Number(at))));
  return ranges.length && textOf(passage, ranges) === span ? ranges : null;
}
