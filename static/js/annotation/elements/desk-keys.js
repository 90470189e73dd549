// What the keys do on the annotate page. The sheet behind ? is made from this registry.

import { Hotkeys } from "../../keys/hotkeys.js";
import { leaveField } from "../../keys/leaving.js";
import { KeySheet } from "../../keys/sheet.js";
import { GuidelineDrawers } from "./guideline-drawers.js";
import { OptionKeys } from "./option-keys.js";
import { SentenceCursor } from "./sentence-cursor.js";

export class DeskKeys {
  constructor(desk, picker) {
    this.desk = desk;
    this.keys = new Hotkeys(desk.dataset.shortcuts === "on");
    this.sheet = new KeySheet(desk.querySelector("[data-part=sheet]"), this.keys);
    const cursor = new SentenceCursor(desk.querySelector(".desk-evidence"));
    const { panes, steps } = desk;
    this.guidelines = new GuidelineDrawers(desk.form);
    this.keys.add("j", "Select the next sentence of the article; with Shift, one more", (event) => cursor.move(1, event.shiftKey));
    this.keys.add("k", "Select the previous sentence; with Shift, one less", (event) => cursor.move(-1, event.shiftKey));
    for (const n of [1, 2]) this.keys.add(String(n), `Send the selection to passage ${n}`, () => steps.choose(String(n)) || picker.pick(n));
    this.keys.add("t", "The tagged block in the article", () => panes.findTag());
    this.keys.add("/", "Search in the article", () => panes.search());
    this.keys.add("]", "Next tab of the evidence", () => panes.turn(1));
    this.keys.add("[", "Previous tab of the evidence", () => panes.turn(-1));
    for (const [key, label] of choices(desk.form)) this.keys.add(key, `Choose “${label}” in its step`, () => steps.choose(key));
    this.keys.add("n", "Next step", () => steps.move(1));
    this.keys.add("p", "Previous step", () => steps.move(-1));
    this.keys.add("Alt+N", "Next step, from inside a text field too", () => steps.move(1));
    this.keys.add("Alt+P", "Previous step, from inside a text field too", () => steps.move(-1));
    this.keys.add("s", "The words selected in a passage of step 3 are its contradicted span; again takes them out", () => desk.spans.some((each) => each.take()));
    this.keys.add("g", "Open or close the guideline of this step", () => this.guidelines.toggle());
    this.keys.add("w", "Write the stand-alone text of passage 1, again of passage 2", () => this.writeStandalone());
    this.keys.add("Alt+S", "In an empty answer: the span of its passage", () => document.activeElement.closest("[data-field]")?.querySelector(".answer-offer button")?.click());
    this.keys.add("Alt+H", "Help on the field that has the focus", () => this.help());
    this.keys.add("x", "Skip, hand back or flag this tag", () => this.giveUp());
    if (this.keys.singleKeys) new OptionKeys(desk.form, () => steps.move(1));
    this.keys.note("a … z", "In a list of kinds: tick the option with that letter; Enter goes to the next list");
    this.keys.add("Ctrl+Enter", "Submit, from inside a text field too", () => desk.hand());
    this.keys.add("Escape", "Leave a text field, so that the single keys work", leaveField);
    this.keys.add("?", "Show these keys", () => this.sheet.open());
    this.listen();
  }

  listen() {
    // Each mark would be one more stop between two fields; Alt+H opens what it opens.
    for (const mark of this.desk.querySelectorAll(".help-mark")) mark.tabIndex = -1;
    document.addEventListener("keydown", (event) => {
      if (!this.sheet.isOpen && !this.guidelines.escaped(event)) this.keys.handle(event);
    });
    const help = this.desk.querySelector("#desk-keys");
    help.hidden = false;
    help.addEventListener("click", () => this.sheet.open());
  }

  /** The first that is empty, else the first; it needs its step to be open. */
  writeStandalone() {
    const { editors, steps } = this.desk;
    const step = editors[0].cell.closest("[data-step]");
    if (!steps.open.includes(step)) return;
    steps.mark(step.dataset.step);
    (editors.find(({ text }) => !text.trim()) ?? editors[0]).write();
  }

  help() {
    document.activeElement.closest("[data-field]")?.querySelector(".help-box")?.togglePopover();
  }

  giveUp() {
    const panel = this.desk.querySelector("#give-up");
    panel.showPopover();
    panel.querySelector("input").focus();
  }
}

/** The options with keys of their own; 1 and 2 are above, and choose too where they are options of the step. */
function choices(form) {
  const options = [...form.querySelectorAll("[data-key]")].filter(({ dataset }) => !["1", "2"].includes(dataset.key));
  return options.map((option) => [option.dataset.key, option.dataset.label]);
}
