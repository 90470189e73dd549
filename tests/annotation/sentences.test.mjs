// Where the sentence cursor stops.

import assert from "node:assert/strict";
import { test } from "node:test";

import { sentenceSpans } from "../../static/js/annotation/sentences.js";

const CASES = [
  ["One. Two! Three?", ["One.", "Two!", "Three?"]],
  ["  Blanks outside.  \n And a line. ", ["Blanks outside.", "And a line."]],
  ["It was described by R. Pellane, No. 3, in 1974. Then nothing.", ["It was described by R. Pellane, No. 3, in 1974.", "Then nothing."]],
  ["See Dr. Ashgrove. He knows.", ["See Dr. Ashgrove.", "He knows."]],
  ["yearlit: 1858", ["yearlit: 1858"]],
  ["It reads ΘΕΟΔΩΡΑ ΜΕ ΑΝΕΘΗΚΕΝ. The letter Ω is round.", ["It reads ΘΕΟΔΩΡΑ ΜΕ ΑΝΕΘΗΚΕΝ.", "The letter Ω is round."]],
  ["She lived in Washington D.", ["She lived in Washington D."]],
  ["The firm Yahoo! was founded in 1994. It grew.", ["The firm Yahoo! was founded in 1994.", "It grew."]],
  ["He asked “Why?” and left. “No!” she said.", ["He asked “Why?” and left.", "“No!” she said."]],
  ["", []],
];

for (const [text, expected] of CASES) {
  test(JSON.stringify(text), () => {
    assert.deepEqual(sentenceSpans(text).map(([start, end]) => text.slice(start, end)), expected);
  });
}
