// The guideline of the current step, in a drawer over the evidence. It stays open while one writes and goes along
// with the step; the focus stays where it is in the form.

import { composing } from "../../shared/dom.js";

export class GuidelineDrawers {
  constructor(form) {
    this.form = form;
    const steps = form.querySelector(".steps");
    new MutationObserver(() => this.follow()).observe(steps, { subtree: true, attributeFilter: ["data-current"] });
    steps.addEventListener("toggle", (event) => this.closed(event), true); // it does not bubble
  }

  get shown() {
    return this.form.querySelector("[data-guideline]:popover-open");
  }

  get ofStep() {
    return this.form.querySelector("[data-current] [data-guideline]");
  }

  toggle() {
    if (this.shown) this.shown.hidePopover();
    else this.ofStep?.showPopover();
  }

  /** Another step: its part in place of the one that is shown. */
  follow() {
    const { shown, ofStep } = this;
    if (!shown || shown === ofStep) return;
    shown.hidePopover();
    ofStep?.showPopover();
  }

  /** Escape closes the drawer first, and only then leaves a text field. */
  escaped(event) {
    if (event.key !== "Escape" || composing(event) || !this.shown) return false;
    event.preventDefault();
    this.shown.hidePopover();
    return true;
  }

  /** The focus, if it was in the drawer, goes back to its step. */
  closed({ target, newState }) {
    if (newState === "closed" && target.contains(document.activeElement)) target.closest("[data-step]").focus();
  }
}
