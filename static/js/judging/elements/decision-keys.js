// <decision-keys>: the third person's form by keys. 1, 2, 3 choose the verdict, Ctrl+Enter decides.

import { Hotkeys, leaveField } from "../../keys/hotkeys.js";

class DecisionKeys extends HTMLElement {
  connectedCallback() {
    const keys = new Hotkeys(this.dataset.shortcuts === "on");
    const form = this.querySelector("form");
    form.querySelectorAll('input[name="verdict"]').forEach((choice, place) => {
      keys.add(String(place + 1), choice.value, () => {
        choice.click();
        choice.focus(); // the next Tab leads to the cause
      });
    });
    keys.add("Ctrl+Enter", "Decide", () => form.requestSubmit());
    keys.add("Escape", "Leave a text field", leaveField);
    document.addEventListener("keydown", (event) => keys.handle(event));
  }
}

customElements.define("decision-keys", DecisionKeys);
