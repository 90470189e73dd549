import assert from "node:assert/strict";
import test from "node:test";

import { lines, located, read, textOf, toggled, written } from "../../static/js/annotation/spans.js";
import { wholeWords, wordsIn } from "../../static/js/annotation/words.js";

const TEXT = "It was built in 1801, not in 1820.";

test("pieces are selected one after the other, in the order of the passage", () => {
  const cases = [
    [[], [16, 20], [[16, 20]]],
    [[[16, 20]], [29, 33], [[16, 20], [29, 33]]],
    [[[29, 33]], [16, 20], [[16, 20], [29, 33]]],
    [[[13, 15]], [16, 20], [[13, 20]]], // only a blank between them: one piece
    [[[16, 20]], [22, 25], [[16, 25]]], // only a comma
    [[[13, 20]], [7, 15], [[7, 20]]], // they overlap
    [[[13, 20]], [13, 20], []], // once more: out
    [[[7, 20]], [13, 15], []], // inside it: out
  ];
  for (const [ranges, added, expected] of cases) assert.deepEqual(toggled(TEXT, ranges, [added]), expected);
});

test("the span names the pieces with dots between them", () => {
  assert.equal(textOf(TEXT, [[16, 20], [29, 33]]), "1801 … 1820");
});

test("what touches keeps the text between: a hyphen of a number", () => {
  const text = "on the twenty-ninth of May\nor later";
  assert.equal(textOf(text, toggled(text, [[7, 13]], [[14, 19]])), "twenty-ninth");
  assert.equal(textOf(text, toggled(text, [[23, 26]], [[27, 29]])), "May … or"); // a span is one line
});

test("what is selected over two lines is two pieces, added and taken out together", () => {
  const text = "It was built.\n It grew.";
  const both = lines(text, [7, 21]);
  assert.deepEqual(both, [[7, 13], [15, 21]]);
  const ranges = toggled(text, [[7, 12]], both);
  assert.equal(textOf(text, ranges), "built. … It gre");
  assert.deepEqual(toggled(text, ranges, both), []);
});

test("blanks at the ends of a selection do not count", () => {
  assert.deepEqual(lines(TEXT, [15, 21]), [[16, 21]]);
  assert.deepEqual(lines(TEXT, [2, 3]), []);
});

test("a typed span is looked for piece by piece", () => {
  const cases = [["in 1801", [[13, 20]]], ["built … 1820", [[7, 12], [29, 33]]], ["1820 … built", []], ["nowhere", []], ["", []]];
  for (const [span, expected] of cases) assert.deepEqual(located(TEXT, span), expected);
});

test("places count characters, of which an emoji is one", () => {
  const text = "A 🏭 built in 1801.";
  const place = written(text, [[14, 18]]);
  assert.equal(place, "13-17");
  assert.deepEqual(read(text, place, "1801"), [[14, 18]]);
});

test("a place that does not give the span is none", () => {
  for (const [place, span] of [["16-20", "1820"], ["", "1801"], ["16-20", ""], ["900-904", "1801"], ["x", "1801"]]) {
    assert.equal(read(TEXT, place, span), null);
  }
});

test("words are those of the language, with or without blanks", () => {
  const cases = [
    ["It  was\n1801.", "en", "It was 1801"],
    ["the 24th, 12m, 1,195 or 14.7 don’t", "", "the 24th 12m 1,195 or 14.7 don’t"],
    ["我住在北京大学附近", "zh", "我 住在 北京 大学 附近"],
    ["กรุงเทพมหานครอยู่ที่นี่", "th", "กรุงเทพมหานคร อยู่ ที่ นี่"],
    ["", "en", ""],
  ];
  for (const [text, language, words] of cases) {
    assert.equal(wordsIn(text, language).map(([start, end]) => text.slice(start, end)).join(" "), words);
  }
});

test("a selection has the whole of the words at its ends", () => {
  const cases = [
    ["on the 24th of May", "e 24", "the 24th"],
    ["on the 24th of May", "24th", "24th"],
    ["on the 24th of May", " of ", " of "],
    ["12m", "2", "12m"],
    ["我住在北京大学附近", "京大", "北京大学"],
    ["שלום עולם", "ום ע", "שלום עולם"],
  ];
  for (const [text, selected, whole] of cases) {
    const at = text.indexOf(selected);
    assert.equal(text.slice(...wholeWords(text, [at, at + selected.length])), whole);
  }
});
