// Fills in what follows from where the passages came. What the person has entered is never filled over.

import { readEntries, setValue } from "../entries.js";
import { held, readPieces } from "../pieces.js";
import { suggestions } from "../suggestions.js";

const SOURCES = /^(?:article|modality|passage)_[12](?:_copied)?$/;

export class Proposals {
  constructor(form, filled, rules) {
    this.form = form;
    this.filled = filled;
    this.rules = rules;
    for (const kind of ["input", "change"]) {
      form.addEventListener(kind, ({ target }) => {
        if (SOURCES.test(filled.enteredBy(target)?.dataset.field)) this.propose();
      });
    }
  }

  cell(name) {
    return this.form.querySelector(`[data-field="${name}"]`);
  }

  /** Fill in; empty fields too after a piece was `sent`. */
  propose({ sent } = {}) {
    const first = this.proposals();
    for (const name of Object.keys(first).filter((each) => /^(?:article|modality)/.test(each))) this.fill(name, first[name], sent);
    for (const [name, value] of Object.entries(this.proposals())) this.fill(name, value, sent || name.startsWith("type_"));
  }

  proposals() {
    const entries = readEntries(this.form);
    const pieces = Object.fromEntries(Object.entries(readPieces(this.form)).map(([n, all]) => [n, held(all, entries[`passage_${n}_copied`])]));
    return suggestions(entries, pieces, this.rules);
  }

  fill(name, value, isBlankFilled) {
    const cell = this.cell(name);
    const now = readEntries(this.form)[name];
    const mayFill = now.length ? "filled" in cell.dataset : isBlankFilled && !this.filled.touched.has(name);
    if (!mayFill || String(now) === String(value)) return;
    this.filled.quietly(() => {
      setValue(cell, value, { write: enter });
      this.filled.mark(cell, value.length > 0);
      cell.dispatchEvent(new Event("input", { bubbles: true })); // an edit of the draft, as any other
    });
  }
}

/** Not as if typed: Ctrl+Z takes back what the person did, and this follows it. */
function enter(box, text) {
  box.value = text;
}
