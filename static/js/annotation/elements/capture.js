// What the app knows of the entries besides their text: where each passage was copied from, and which fields the app
// filled in. Both are hidden inputs of the form; they go with every save, and are in the copy that this browser keeps.

import { Filled } from "./filled.js";
import { PickBar } from "./pick-bar.js";

export class Capture {
  constructor(pane, form) {
    this.form = form;
    this.filled = new Filled(form, JSON.parse(document.getElementById("form-rules").textContent));
    this.picker = new PickBar(pane, form, this.filled);
  }

  carried() {
    return { provenance: this.form.elements.provenance.value, filled: this.filled.names };
  }

  /** Bring back a copy's entries by `fill`, with what was known of them. */
  restore(carried, fill) {
    this.filled.quietly(fill);
    if (!carried) return;
    this.form.elements.provenance.value = carried.provenance;
    this.filled.restore(carried.filled);
  }
}
