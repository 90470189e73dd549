// What the keys do on the annotate page. The sheet behind ? is made from this registry.

import { Hotkeys } from "../../keys/hotkeys.js";
import { leaveField } from "../../keys/leaving.js";
import { KeySheet } from "../../keys/sheet.js";
import { OptionKeys } from "./option-keys.js";
import { SentenceCursor } from "./sentence-cursor.js";

export class DeskKeys {
  constructor(desk, picker) {
    this.desk = desk;
    this.keys = new Hotkeys(desk.dataset.shortcuts === "on");
    this.sheet = new KeySheet(desk.querySelector("[data-part=sheet]"), this.keys);
    const cursor = new SentenceCursor(desk.querySelector(".desk-evidence"));
    this.keys.add("j", "Select the next sentence of the article; with Shift, one more", (event) => cursor.move(1, event.shiftKey));
    this.keys.add("k", "Select the previous sentence; with Shift, one less", (event) => cursor.move(-1, event.shiftKey));
    for (const n of [1, 2]) this.keys.add(String(n), `Send the selection to passage ${n}`, () => picker.pick(n));
    this.keys.add("n", "Next step", () => this.step(1));
    this.keys.add("p", "Previous step", () => this.step(-1));
    this.keys.add("g", "Open or close the guideline of this step", () => this.guideline());
    this.keys.add("t", "The tagged block in the article", () => desk.findTag());
    this.keys.add("s", "Skip, hand back or flag this tag", () => this.giveUp());
    if (this.keys.singleKeys) new OptionKeys(desk.form);
    this.keys.note("a … z", "In a list of kinds: tick the option with that letter");
    this.keys.add("Ctrl+Enter", "Submit, from inside a text field too", () => desk.hand());
    this.keys.add("Escape", "Leave a text field, so that the single keys work", leaveField);
    this.keys.add("?", "Show these keys", () => this.sheet.open());
    this.listen();
  }

  listen() {
    document.addEventListener("keydown", (event) => {
      if (!this.sheet.isOpen) this.keys.handle(event);
    });
    const help = this.desk.querySelector("#desk-keys");
    help.hidden = false;
    help.addEventListener("click", () => this.sheet.open());
  }

  get current() {
    return this.desk.querySelector(`#step-${CSS.escape(this.desk.form.elements.step.value)}`);
  }

  step(by) {
    const open = [...this.desk.querySelectorAll("[data-step]")].filter((step) => step.checkVisibility());
    const next = open[open.indexOf(this.current) + by];
    if (!next) return;
    this.desk.markStep(next.dataset.step);
    next.scrollIntoView();
    next.focus({ preventScroll: true }); // the step itself: in a text field the next key would be typed
  }

  guideline() {
    this.current?.querySelector(".guideline")?.toggleAttribute("open");
  }

  giveUp() {
    const panel = this.desk.querySelector(".give-up");
    panel.open = true;
    panel.querySelector("input").focus();
  }
}
