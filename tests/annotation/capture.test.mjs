// What is copied out of an article, and what is proposed from it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { cellText, columnNames, grid, rowText, tidy } from "../../static/js/annotation/passages.js";
import { addPiece, held, readPieces } from "../../static/js/annotation/pieces.js";
import { suggestions } from "../../static/js/annotation/suggestions.js";

for (const [raw, clean] of [
  ["built in 1801.[3][note 2] It[a] stands.", "built in 1801. It stands."],
  ["\n\n one \n\n\n two \n", "one\ntwo"],
  ["a[citation needed] [sic]", "a [sic]"],
  ["👩‍🚀 שלום\u00a0 עולם <b>", "👩‍🚀 שלום עולם <b>"],
]) {
  test(`copied: ${JSON.stringify(raw)}`, () => assert.equal(tidy(raw), clean));
}

for (const [raw, clean] of [
  ["14.7 km\n(9.1 mi)", "14.7 km (9.1 mi)"],
  ["\n Paris \n\n France\n", "Paris, France"],
  ["one,\ntwo", "one, two"],
  ["", ""],
]) {
  test(`a cell: ${JSON.stringify(raw)}`, () => assert.equal(cellText(raw), clean));
}

for (const [cells, text] of [
  [[["Length of all lines", "14.7 km"]], "Length of all lines: 14.7 km"],
  [[["Line", "1"], ["Opened", ""], ["Length", "3 km"]], "Line: 1 | Opened: | Length: 3 km"],
  [[["", "a"], ["", ""], ["", "b"]], "a | | b"],
  [[["Opened:", "1974"]], "Opened: 1974"],
  [[["Population, Population, 2001", "7"]], "Population, 2001: 7"],
]) {
  test(`a row: ${text}`, () => {
    const given = cells.map(([names, value]) => ({ headers: names.split(", "), text: value }));
    assert.equal(rowText(given), text);
  });
}

const cell = (text, colspan = 1, rowspan = 1) => ({ text, colspan, rowspan, isHeader: false });
const header = (...given) => ({ ...cell(...given), isHeader: true });

function named(rows) {
  const laid = grid(rows);
  const names = columnNames(laid);
  return laid.map((row, at) => row.map(({ cell: { text }, column, isOwn }) => [(names[at][column] ?? []).map((each) => each.text).join(" / "), text, isOwn]));
}

test("a cell over several rows is in each of them, and columns stay in their place", () => {
  const rows = named([
    [header("Year"), header("Line"), header("Length")],
    [cell("1974", 1, 2), cell("U1"), cell("3 km")],
    [cell("U2"), cell("4 km")],
    [cell("1975"), cell("none", 2)],
  ]);
  assert.deepEqual(rows.slice(1), [
    [["Year", "1974", true], ["Line", "U1", true], ["Length", "3 km", true]],
    [["Year", "1974", false], ["Line", "U2", true], ["Length", "4 km", true]],
    [["Year", "1975", true], ["Line", "none", true]],
  ]);
});

test("two rows of headers name a column together; a title over the whole table names none", () => {
  const rows = named([
    [header("Town", 1, 2), header("People", 2)],
    [header("2001"), header("2011")],
    [header("The north", 3)],
    [header("Ay"), cell("7"), cell("8")],
  ]);
  assert.deepEqual(rows[3], [["Town", "Ay", true], ["People / 2001", "7", true], ["People / 2011", "8", true]]);
});

test("a table without headers names nothing", () => {
  assert.deepEqual(named([[cell("a"), cell("b")]]), [[["", "a", true], ["", "b", true]]]);
});

test("a broken list of pieces is none, and undone ones stay until there are too many", () => {
  const form = { elements: { provenance: { value: "{" } } };
  assert.deepEqual(readPieces(form), { 1: [], 2: [] });
  for (let n = 0; n < 60; n += 1) addPiece(form, 2, { text: `piece ${n}` });
  const kept = readPieces(form)[2];
  assert.deepEqual([kept.length, kept.at(-1).text], [40, "piece 59"]);
  assert.deepEqual(held(kept, "a piece\n 59 here"), [{ text: "piece 59" }]);
});

const table = JSON.parse(readFileSync(new URL("suggestion_cases.json", import.meta.url)));
const rules = JSON.parse(readFileSync(process.env.RULES));

for (const { name, entries, pieces, proposes } of table.cases) {
  test(`proposes: ${name}`, () => assert.deepEqual(suggestions({ ...table.base, ...entries }, pieces, rules), proposes));
}
