// The contradicted span of a passage as ranges of it: [start, end) in UTF-16 units of the text as shown. Pure.

const BETWEEN = " … ";
const ELLIPSIS = /\s*(?:\[?(?:\.\.\.|…)\]?|\n)\s*/;

/** The ranges after `added` was selected: neighbours become one, and selecting inside a range takes it out. */
export function toggled(passage, ranges, added) {
  const holder = ranges.find(([start, end]) => start <= added[0] && added[1] <= end);
  if (holder) return ranges.filter((range) => range !== holder);
  const joined = [];
  for (const [start, end] of [...ranges, added].sort((one, other) => one[0] - other[0])) {
    const last = joined.at(-1);
    if (last && !passage.slice(last[1], start).trim()) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

export function textOf(passage, ranges) {
  return ranges.map(([start, end]) => passage.slice(start, end)).join(BETWEEN);
}

/** Without the blanks at both ends; null where nothing is left. */
export function trimmed(passage, [start, end]) {
  const text = passage.slice(start, end);
  const from = start + text.length - text.trimStart().length;
  const to = start + text.trimEnd().length;
  return from < to ? [from, to] : null;
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

/** [start, end) of each word. */
export function wordsIn(passage) {
  return [...passage.matchAll(/\S+/g)].map((word) => [word.index, word.index + word[0].length]);
}
