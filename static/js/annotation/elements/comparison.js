// Two versions of a draft, field by field; the form holds what is chosen. To begin with that is one's own where
// one has changed the field since `base`, and the other's where one has not: so saving at once loses nothing.

import { readEntries, sameValue, setValue } from "../entries.js";
import { button, made, turn } from "../../shared/dom.js";

/**
 * The panel: `cellOf(name)` finds a field, `tools` sets it, `settle()` saves what the form then holds. What a side has as
 * filled in stays so; what both have so is no choice: it follows from the others, by `follow()`.
 */
export function comparison(form, { base, theirs, theirFilled }, { cellOf, tools, filled, follow, settle }) {
  const mine = readEntries(form);
  const mineFilled = filled.names;
  for (const name of mineFilled) if (!theirFilled.includes(name) && sameValue(theirs[name], mine[name])) filled.mark(cellOf(name), false);
  const follows = (name) => mineFilled.includes(name) && theirFilled.includes(name);
  const read = (name) => cellOf(name).dataset.kind !== "place" && !follows(name); // a place is nothing to read
  const names = Object.keys(mine).filter((name) => read(name) && !sameValue(theirs[name], mine[name]));
  const fields = names.map((name) => {
    const versions = { mine: mine[name], theirs: theirs[name], keep: !sameValue(mine[name], base[name]) };
    const place = cellOf(`${name}_at`); // of a span: it goes with the side that is chosen
    const take = (value) => {
      const [side, sideFilled] = value === versions.mine ? [mine, mineFilled] : [theirs, theirFilled];
      filled.quietly(() => {
        setValue(cellOf(name), value, tools);
        if (place) setValue(place, side[`${name}_at`], tools);
      });
      filled.mark(cellOf(name), sideFilled.includes(name));
      follow();
    };
    return compared(cellOf(name), versions, take);
  });
  return made(
    "section",
    { class: "conflict callout callout-bad", "aria-labelledby": "conflict-heading", tabindex: "-1" },
    made("h2", { id: "conflict-heading" }, "This draft was also saved elsewhere"),
    made("p", {}, "Nothing was overwritten. For each field, keep yours or take the other; then save."),
    ...fields,
    made("p", {}, button("Save my choices", settle, { class: "button button-primary" })),
  );
}

/** One field's panel: `take(value)` puts the chosen side into the form. */
function compared(cell, { mine, theirs, keep }, take) {
  const choices = new Map();
  const choose = (value) => {
    take(value);
    for (const [each, held] of choices) each.setAttribute("aria-pressed", String(held === value));
  };
  const choice = (text, value) => {
    const pick = button(text, () => {
      choose(value);
      pick.focus();
    });
    choices.set(pick, value);
    return pick;
  };
  const side = (title, value, pick) => {
    const words = made("pre", { translate: "no" }, inWords(value));
    turn(words, words.textContent);
    return made("div", {}, made("h4", {}, title), words, pick);
  };
  const panel = made(
    "div",
    { class: "conflict-field" },
    made("h3", {}, labelOf(cell)),
    made(
      "div",
      { class: "split" },
      side("Yours, here", mine, choice("Keep mine", mine)),
      side("Saved elsewhere", theirs, choice("Take this", theirs)),
    ),
  );
  choose(keep ? mine : theirs);
  return panel;
}

const labelOf = (cell) =>
  cell.querySelector("label, legend")?.firstChild.textContent.trim() ?? cell.dataset.field;

/** A value as text: a list's items and a row's cells on lines of their own. */
function inWords(value) {
  if (!Array.isArray(value)) return value === null || value === undefined || value === "" ? "(empty)" : String(value);
  const items = value.map((item) => (typeof item === "string" ? item : rowInWords(item)));
  return items.join("\n").trim() || "(empty)";
}

const rowInWords = (row) => `${Object.values(row).filter((cell) => typeof cell === "string").join("\n")}\n`;
