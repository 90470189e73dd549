// Where sentences begin and end in a text. Pure.

const SEGMENTER = typeof Intl.Segmenter === "function" ? new Intl.Segmenter("en", { granularity: "sentence" }) : null;
// The rules of Unicode end a sentence after these when a capital follows, as in “J. R. Pellane” or “No. 3”.
const ENDS_EARLY = /(?:^|[\s(])(?:[A-Z]|[Cc]a?|[Nn]o|[Dd]r|Mr|Mrs|Ms|St|cf|vs|pp?|vol|ed)\.$/u;
// They end one at every ! and ?, as in “Yahoo! was founded”; none begins so.
const GOES_ON = /^\s*[\p{Ll},;:)]/u;

/** [start, end) of each sentence, without the blanks around it; one for the whole where the browser cannot tell. */
export function sentenceSpans(text) {
  const pieces = SEGMENTER ? [...SEGMENTER.segment(text)].map(({ segment }) => segment) : [text];
  const spans = [];
  let at = 0;
  let open = null;
  for (const [index, piece] of pieces.entries()) {
    const start = open ?? at;
    at += piece.length;
    const said = text.slice(start, at);
    const goesOn = GOES_ON.test(pieces[index + 1] ?? "");
    open = (goesOn || ENDS_EARLY.test(said.trimEnd())) && at < text.length ? start : null;
    if (open !== null || !said.trim()) continue;
    const lead = said.length - said.trimStart().length;
    spans.push([start + lead, start + said.trimEnd().length]);
  }
  return spans;
}
