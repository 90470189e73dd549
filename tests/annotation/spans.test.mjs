import assert from "node:assert/strict";
import test from "node:test";

import { located, read, textOf, toggled, trimmed, written, wordsIn } from "../../static/js/annotation/spans.js";

const TEXT = "It was built in 1801, not in 1820.";

test("pieces are selected one after the other, in the order of the passage", () => {
  const cases = [
    [[], [16, 20], [[16, 20]]],
    [[[16, 20]], [29, 33], [[16, 20], [29, 33]]],
    [[[29, 33]], [16, 20], [[16, 20], [29, 33]]],
    [[[13, 15]], [16, 20], [[13, 20]]], // only a blank between them: one piece
    [[[13, 20]], [7, 15], [[7, 20]]], // they overlap
    [[[13, 20]], [13, 20], []], // once more: out
    [[[7, 20]], [13, 15], []], // inside it: out
  ];
  for (const [ranges, added, expected] of cases) assert.deepEqual(toggled(TEXT, ranges, added), expected);
});

test("the span names the pieces with dots between them", () => {
  assert.equal(textOf(TEXT, [[16, 20], [29, 33]]), "1801 … 1820");
});

test("blanks at the ends of a selection do not count", () => {
  assert.deepEqual(trimmed(TEXT, [15, 21]), [16, 21]);
  assert.equal(trimmed(TEXT, [2, 3]), null);
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

test("words are what blanks separate", () => {
  assert.deepEqual(wordsIn("It  was\n1801."), [[0, 2], [4, 7], [8, 13]]);
});
