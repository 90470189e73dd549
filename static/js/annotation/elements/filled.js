// Fields that the app filled in: each is marked until the person touches it or confirms its step. The markup says which
// (data-filled); a hidden input names each in the form's post. What the person has entered is never filled over.

import { readEntries, setValue } from "../entries.js";
import { words } from "../folding.js";
import { held, readPieces } from "../pieces.js";
import { suggestions } from "../suggestions.js";
import { button, made } from "./dom.js";

const SOURCES = /^(?:article|modality|passage)_[12](?:_copied)?$/;

export class Filled {
  constructor(form, rules) {
    this.form = form;
    this.rules = rules;
    this.touched = new Set(); // in this visit
    this.filling = false;
    for (const kind of ["input", "change"]) form.addEventListener(kind, (event) => this.changed(event));
    for (const step of form.querySelectorAll("[data-step]")) this.addConfirmation(step);
  }

  get names() {
    return [...this.form.querySelectorAll("[data-filled]")].map((cell) => cell.dataset.field);
  }

  cell(name) {
    return this.form.querySelector(`[data-field="${name}"]`);
  }

  /** Fill in what follows from where the passages came; empty fields too after a piece was `sent`. */
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
    const mayFill = now.length ? "filled" in cell.dataset : isBlankFilled && !this.touched.has(name);
    if (!mayFill || String(now) === String(value)) return;
    this.quietly(() => {
      setValue(cell, value, { write: enter });
      this.mark(cell, value.length > 0);
      cell.dispatchEvent(new Event("input", { bubbles: true })); // an edit of the draft, as any other
    });
  }

  /** Whether the passage holds only what was filled in, and this has words of it alone, or all of them: as a row with headers. */
  isReplacedBy(n, text) {
    const cell = this.cell(`passage_${n}_copied`);
    const now = readEntries(this.form)[cell.dataset.field];
    const [old, sent] = [now, text].map((each) => new Set(words(each)));
    return "filled" in cell.dataset && (isWithin(sent, old) || isWithin(old, sent));
  }

  /** What happens meanwhile is not the person's doing. */
  quietly(run) {
    const before = this.filling;
    this.filling = true;
    run();
    this.filling = before;
  }

  changed({ target }) {
    const cell = target.closest("[data-field]");
    if (this.filling || !cell || target.name === "checked" || target.closest(".definitions")) return;
    const name = cell.dataset.field;
    this.mark(cell, false);
    this.touched.add(name);
    if (SOURCES.test(name)) this.propose();
  }

  mark(cell, isFilled) {
    if (isFilled === "filled" in cell.dataset) return;
    cell.toggleAttribute("data-filled", isFilled);
    cell.querySelector(".filled-mark")?.remove();
    const name = cell.dataset.field;
    this.form.querySelector(`input[name=filled][value="${name}"]`)?.remove();
    if (isFilled) {
      cell.querySelector("label, legend").append(made("span", { class: "filled-mark small muted" }, " Filled in: check it"));
      this.form.append(made("input", { type: "hidden", name: "filled", value: name }));
    }
    this.showConfirmation(cell.closest("[data-step]"));
  }

  /** As a copy of the draft in this browser, or another tab, has them. */
  restore(names) {
    for (const cell of this.form.querySelectorAll("[data-field]")) this.mark(cell, names.includes(cell.dataset.field));
  }

  addConfirmation(step) {
    const confirm = button("What was filled in is right", () => this.confirm(step), { class: "button button-quiet confirm-filled" });
    step.append(confirm);
    this.showConfirmation(step);
  }

  showConfirmation(step) {
    const confirm = step?.querySelector(".confirm-filled");
    if (confirm) confirm.hidden = !step.querySelector("[data-filled]");
  }

  confirm(step) {
    const cells = [...step.querySelectorAll("[data-filled]")];
    for (const cell of cells) {
      this.mark(cell, false);
      this.touched.add(cell.dataset.field);
    }
    if (!cells.length) return;
    step.focus({ preventScroll: true }); // the button is gone
    this.quietly(() => cells[0].dispatchEvent(new Event("input", { bubbles: true }))); // to be saved
  }
}

const isWithin = (few, many) => [...few].every((word) => many.has(word));

/** Not as if typed: Ctrl+Z takes back what the person did, and this follows it. */
function enter(box, text) {
  box.value = text;
}
