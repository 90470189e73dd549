import assert from "node:assert/strict";
import test from "node:test";

import { difference, inPlace, names, pointers, rowSentence } from "../../static/js/annotation/standalone.js";

test("the difference is word by word, and both texts can be read from it", () => {
  const [copy, text] = ["It was built in 1801 by him.", "Kettle Mill was built in 1801 by Ann."];
  const parts = difference(copy, text);
  assert.deepEqual(parts.filter(([kind]) => kind !== "same").map(([kind, words]) => [kind, words.trim()]), [["gone", "It"], ["new", "Kettle Mill"], ["gone", "him"], ["new", "Ann"]]);
  assert.equal(parts.filter(([kind]) => kind !== "new").map(([, words]) => words).join(""), copy);
  assert.equal(parts.filter(([kind]) => kind !== "gone").map(([, words]) => words).join(""), text);
});

test("texts of thousands of words are not compared", () => {
  assert.equal(difference("word ".repeat(5000), "word"), null);
});

test("pronouns and “the …” of the first sentence point elsewhere", () => {
  const cases = [
    ["It was built in 1801. They left.", 21, ["It"]],
    ["Ann sold the old mill to her sister.", 36, ["the old", "her"]],
    ["Kettle Mill was built for the Crown.", 36, []], // a name says who
    ["Its wheel, these stones.", 24, ["Its", "these"]],
    ["Theirs is a lithe heron.", 24, ["Theirs"]],
  ];
  for (const [text, end, expected] of cases) assert.deepEqual(pointers(text, end).map(({ word }) => word), expected);
});

test("names are the titles without disambiguators, then the names in the passages", () => {
  assert.deepEqual(names(["Kettle Mill (Elbe)", "Kettle Mill"], ["The ferry Constance II stops. Today she is old."]), ["Kettle Mill", "Constance II"]);
  assert.deepEqual(names(["", ""], [""]), []);
});

test("a possessive is put in the place of a possessive", () => {
  const cases = [["its", "Kettle Mill", "Kettle Mill’s"], ["Their", "Farrow Isles", "Farrow Isles’"], ["It", "Kettle Mill", "Kettle Mill"], ["the mill", "Kettle Mill", "Kettle Mill"]];
  for (const [word, name, expected] of cases) assert.equal(inPlace(word, name), expected);
});

test("a row becomes a sentence to begin with", () => {
  const cases = [
    ["Metro", "Length of all lines: 14.7 km", "Metro. Length of all lines: 14.7 km."],
    ["Metro", "Line: A | Length: 3 km | Note:", "Metro. Line: A; Length: 3 km."],
    ["", "Line: A", "Line: A."],
    ["Metro", " ", ""],
  ];
  for (const [title, copied, expected] of cases) assert.equal(rowSentence(title, copied), expected);
});
