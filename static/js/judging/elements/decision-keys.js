// <decision-keys>: a form with verdicts by keys, the third person's and that of the warm-up. 1, 2, 3 choose the
// verdict; where it is a button, that is all, else Ctrl+Enter decides.

import { Hotkeys, leaveField } from "../../keys/hotkeys.js";

class DecisionKeys extends HTMLElement {
  connectedCallback() {
    const keys = new Hotkeys(this.dataset.shortcuts === "on");
    const form = this.querySelector("form");
    form.querySelectorAll('[name="verdict"]').forEach((choice, place) => {
      keys.add(String(place + 1), choice.value, () => {
        choice.click();
        choice.focus(); // the next Tab leads to the cause
      });
    });
    if (form.querySelector('input[name="verdict"]')) {
      keys.add("Ctrl+Enter", "Decide", () => form.requestSubmit());
    }
    keys.add("Escape", "Leave a text field", leaveField);
    document.addEventListener("keydown", (event) => keys.handle(event));
  }
}

customElements.define("decision-keys", DecisionKeys);
