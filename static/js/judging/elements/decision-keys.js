// <decision-keys>: a form with verdicts by keys: the third person's, that of the warm-up, and that of a discussion.
// 1, 2, 3, … choose the verdict; where it is a button, that is all, else Ctrl+Enter decides. y signs, c writes.

import { Hotkeys, leaveField } from "../../keys/hotkeys.js";

class DecisionKeys extends HTMLElement {
  connectedCallback() {
    const keys = new Hotkeys(this.dataset.shortcuts === "on");
    const form = this.querySelector('[name="verdict"]')?.form;
    form?.querySelectorAll('[name="verdict"]').forEach((choice, place) => {
      keys.add(String(place + 1), choice.value, () => {
        choice.click();
        choice.focus(); // the next Tab leads to the cause
      });
    });
    if (form?.querySelector('input[name="verdict"]')) {
      keys.add("Ctrl+Enter", "Decide", ({ target }) =>
        this.#submit(target.form ?? form, target.closest("[data-ctrl-enter]")),
      );
    }
    for (const button of this.querySelectorAll("[data-hotkey]:not([name='verdict'])")) {
      keys.add(button.dataset.hotkey, button.textContent, () => button.click());
    }
    const remark = this.querySelector('[name="remark"]');
    if (remark) keys.add("c", "Write to the other judge", () => remark.focus());
    keys.add("Escape", "Leave a text field", leaveField);
    document.addEventListener("keydown", (event) => keys.handle(event));
  }

  /** By its button, which says what to do; in a part that has its own, by that. */
  #submit(form, part) {
    form.requestSubmit((part ?? form).querySelector("button[name]"));
  }
}

customElements.define("decision-keys", DecisionKeys);
