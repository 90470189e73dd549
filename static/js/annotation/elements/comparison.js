// Two versions of a draft, field by field; the form holds what is chosen.

import { readEntries, sameValue, setValue } from "../entries.js";
import { button, made } from "./dom.js";

/** The panel: `cellOf(name)` finds a field, `tools` sets it, `settle()` saves what the form then holds. */
export function comparison(form, theirs, { cellOf, tools, settle }) {
  const mine = readEntries(form);
  const names = Object.keys(mine).filter((name) => !sameValue(theirs[name], mine[name]));
  return made(
    "section",
    { class: "conflict callout callout-bad", "aria-labelledby": "conflict-heading", tabindex: "-1" },
    made("h2", { id: "conflict-heading" }, "This draft was also saved elsewhere"),
    made("p", {}, "Nothing was overwritten. For each field, keep yours or take the other; then save."),
    ...names.map((name) => compared(cellOf(name), mine[name], theirs[name], tools)),
    made("p", {}, button("Save what the form holds now", settle, { class: "button button-primary" })),
  );
}

function compared(cell, mine, theirs, tools) {
  const choices = [];
  const choose = (text, value) => {
    const choice = button(text, () => {
      setValue(cell, value, tools);
      for (const each of choices) each.setAttribute("aria-pressed", String(each === choice));
      choice.focus();
    });
    choices.push(choice);
    return choice;
  };
  const side = (title, value, choice) => made("div", {}, made("h4", {}, title), made("pre", {}, inWords(value)), choice);
  return made(
    "div",
    { class: "conflict-field" },
    made("h3", {}, labelOf(cell)),
    made(
      "div",
      { class: "split" },
      side("Yours, here", mine, choose("Keep mine", mine)),
      side("Saved elsewhere", theirs, choose("Take this", theirs)),
    ),
  );
}

const labelOf = (cell) =>
  cell.querySelector("label, legend")?.firstChild.textContent.trim() ?? cell.dataset.field;

/** A value as text: a list's items and a row's cells on lines of their own. */
function inWords(value) {
  if (!Array.isArray(value)) return value === null || value === undefined || value === "" ? "(empty)" : String(value);
  const items = value.map((item) => (typeof item === "string" ? item : rowInWords(item)));
  return items.join("\n") || "(empty)";
}

const rowInWords = (row) => `${Object.values(row).filter((cell) => typeof cell === "string").join("\n")}\n`;
