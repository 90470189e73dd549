// What the app knows of the entries besides their text: which fields it filled in, and where the passages were copied
// from. A filled field is tinted until the person touches it or confirms its step. Both are hidden inputs of the form; they
// go with every save, and are in the copy that this browser keeps.

import { button, made } from "../../shared/dom.js";

export class Filled {
  constructor(form) {
    this.form = form;
    this.touched = new Set(); // in this visit
    this.filling = false;
    for (const kind of ["input", "change"]) form.addEventListener(kind, ({ target }) => this.changed(this.enteredBy(target)));
    for (const line of form.querySelectorAll("[data-filled-line]")) {
      const step = line.closest("[data-step]");
      line.append(" ", button("What was filled in is right", () => this.confirm(step), { class: "button confirm-filled" }));
    }
  }

  get names() {
    return [...this.form.querySelectorAll("[data-filled]")].map((cell) => cell.dataset.field);
  }

  carried() {
    return { provenance: this.form.elements.provenance.value, filled: this.names };
  }

  /** Bring back a copy's entries by `fill`, with what was known of them. */
  restore(carried, fill) {
    this.quietly(fill);
    if (!carried) return;
    this.form.elements.provenance.value = carried.provenance;
    for (const cell of this.form.querySelectorAll("[data-field]")) this.mark(cell, carried.filled.includes(cell.dataset.field));
  }

  /** What happens meanwhile is not the person's doing. */
  quietly(run) {
    const before = this.filling;
    this.filling = true;
    run();
    this.filling = before;
  }

  /** The field that the person changes by this control, if any. */
  enteredBy(control) {
    const isEntry = !this.filling && control.name !== "checked" && !control.closest(".definitions");
    return isEntry ? control.closest("[data-field]") : null;
  }

  changed(cell) {
    if (!cell) return;
    this.mark(cell, false);
    this.touched.add(cell.dataset.field);
  }

  mark(cell, isFilled) {
    if (isFilled === "filled" in cell.dataset) return;
    cell.toggleAttribute("data-filled", isFilled);
    cell.querySelector(".filled-mark")?.remove();
    const name = cell.dataset.field;
    this.form.querySelector(`input[name=filled][value="${name}"]`)?.remove();
    if (isFilled) {
      cell.querySelector("label, legend").append(made("span", { class: "filled-mark visually-hidden" }, " Filled in: check it"));
      this.form.append(made("input", { type: "hidden", name: "filled", value: name }));
    }
    this.showLine(cell.closest("[data-step]"));
  }

  /** The line of a step keeps its place once it was shown: nothing moves while one types. */
  showLine(step) {
    const line = step.querySelector("[data-filled-line]");
    const isAny = step.querySelector("[data-filled]") !== null;
    line.toggleAttribute("data-done", !isAny);
    if (isAny) line.hidden = false;
  }

  confirm(step) {
    const cells = [...step.querySelectorAll("[data-filled]")];
    for (const cell of cells) this.changed(cell);
    if (!cells.length) return;
    step.focus({ preventScroll: true }); // the button is gone
    this.quietly(() => cells[0].dispatchEvent(new Event("input", { bubbles: true }))); // to be saved
  }
}
