// The browser's checks, by the table that drives the server's.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { check } from "../../static/js/annotation/checks.js";
import { answerKey, fold, words } from "../../static/js/annotation/folding.js";
import { withDigits } from "../../static/js/annotation/number-words.js";

const table = JSON.parse(readFileSync(new URL("check_cases.json", import.meta.url)));
const rules = JSON.parse(readFileSync(process.env.RULES));

function entriesOf(given) {
  if (given.only) return given.only;
  const entries = structuredClone(table.base);
  const [first] = entries.questions;
  entries.questions = Array.from({ length: given.times ?? 1 }, () => ({ ...first }));
  for (const [path, value] of Object.entries({ ...given.set, ...given.also })) {
    const way = path.split(".");
    const last = way.pop();
    const target = way.reduce((inner, part) => inner[part], entries);
    target[last] = value;
  }
  return entries;
}

for (const given of table.cases) {
  test(given.name, () => {
    const found = check(rules, entriesOf(given)).map((each) => [each.level, each.code, each.field].join(" "));
    assert.deepEqual(found.sort(), given.finds.map((each) => each.join(" ")).sort());
  });
}

test("number words are digits", () => {
  for (const [text, digits] of table.numbers) assert.equal(withDigits(text), digits);
});

for (const [text, folded, key, found] of rules.folded) {
  test(`folds ${JSON.stringify(text)} as the server does`, () => {
    assert.deepEqual([fold(text), answerKey(text), words(text)], [folded, key, found]);
  });
}
