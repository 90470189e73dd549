// What the keys do on the annotate page. The sheet that ? opens is made from this registry. Keys for what has not come yet
// (see aids.js) wait for it, one after the other.

import { Hotkeys, KeySheet, leaveField, namesOf } from "../../keys/hotkeys.js";
import { composing, made } from "../../shared/dom.js";

const KEPT = "gx"; // they act in a list of kinds as they do elsewhere on the page

export class DeskKeys {
  constructor(desk) {
    this.desk = desk;
    this.keys = new Hotkeys(desk.dataset.shortcuts === "on");
    this.sheet = new KeySheet(desk.querySelector("[data-part=sheet]"), this.keys);
    const { panes, steps } = desk;
    const aided = (act) => (event) => (desk.aids ? act(desk.aids, event) : desk.aided.then((aids) => act(aids, event)));
    const written = (act) => aided(async ({ writing }) => act((await writing) ?? {}));
    const undo = () => desk.querySelector("[data-said] button, [data-undo]:enabled");
    const send = (key) => (event) => steps.choose(String(key)) || aided(({ picker }) => picker.pick(key))(event);
    const table = [
      ["j", "Select the next sentence of the article; with Shift, one more", aided(({ cursor }, event) => cursor.move(1, event.shiftKey))],
      ["k", "Select the previous sentence; with Shift, one less", aided(({ cursor }, event) => cursor.move(-1, event.shiftKey))],
      ...[1, 2, 3, 4].map((key) => [String(key), key > 2 ? `Add the selection to passage ${key - 2}` : `Send the selection to passage ${key}, in place of what it holds`, send(key)]),
      ["t", "The tagged block in the article", () => panes.findTag()],
      ["/", "Search in the article; the arrows go from one match to the next, Enter selects its sentence", () => panes.search()],
      ["]", "Next tab of the evidence", () => panes.turn(1)],
      ["[", "Previous tab of the evidence", () => panes.turn(-1)],
      ...choices(desk.form).map(([key, label]) => [key, `Choose “${label}” in its step`, () => steps.choose(key)]),
      ["n", "Next step", () => steps.move(1)],
      ["p", "Previous step", () => steps.move(-1)],
      ["Alt+N", "Next step, from inside a text field too", () => steps.move(1)],
      ["Alt+P", "Previous step, from inside a text field too", () => steps.move(-1)],
      ["s", "The words selected in a passage of step 3 are its contradicted span; again takes them out", written(({ spans }) => spans && (spans.some((each) => each.take()) || spans[0].ask()))],
      ["g", "Open or close the guideline of this step", aided(({ guidelines }) => guidelines.toggle())],
      ["w", "Write the stand-alone text of a passage, again of the other", written(({ editors }) => editors && this.writeStandalone(editors))],
      ["Alt+S", "The span of its passage is the answer: here, or in the next answer of this question that is empty", () => offerAt(document.activeElement)?.click()],
      ["Alt+H", "Help on the field that has the focus", () => fieldWithFocus()?.querySelector(".help-box")?.togglePopover()],
      ["u", () => (undo() ? "Undo what was just sent, or the last submission" : ""), () => undo()?.click()],
      ["x", "Skip, hand back or flag this tag", () => this.giveUp()],
      ["a … z, 1 … 9", "In a list of kinds: tick the option with that letter or digit; Enter goes to the next list", () => {}],
      ["Ctrl+Enter", "Submit, from inside a text field too", () => desk.hand()],
      ["Escape", "Leave a text field, so that the single keys work", leaveField],
      ["?", "Show these keys", () => this.sheet.open()],
    ];
    for (const row of table) this.keys.add(...row);
    if (this.keys.singleKeys) new OptionKeys(desk.form, () => steps.move(1));
    this.listen();
  }

  listen() {
    // Each mark would be one more stop between two fields; Alt+H opens what it opens.
    for (const mark of this.desk.querySelectorAll(".help-mark")) mark.tabIndex = -1;
    document.addEventListener("keydown", (event) => {
      if (!this.sheet.isOpen && !this.desk.aids?.guidelines.escaped(event)) this.keys.handle(event);
    });
    const help = this.desk.querySelector("#desk-keys");
    help.hidden = false;
    help.addEventListener("click", () => this.sheet.open());
  }

  /** The other than last time; at first one that is empty. It needs its step to be open. */
  writeStandalone(editors) {
    const { steps } = this.desk;
    const step = editors[0].cell.closest("[data-step]");
    if (!steps.open.includes(step)) return;
    steps.mark(step.dataset.step);
    const [first, second] = editors;
    this.written = this.written === first || (!this.written && first.text.trim() && !second.text.trim()) ? second : first;
    this.written.write();
  }

  giveUp() {
    const panel = this.desk.querySelector("#give-up");
    panel.showPopover();
    panel.querySelector("input").focus();
  }
}

const offerAt = (place) => place.closest("[data-field]")?.querySelector(".answer-offer button") ?? place.closest("[data-row]")?.querySelector(".answer-offer button");
const fieldWithFocus = () => document.activeElement.closest("[data-field]");

/** The options with keys of their own; 1 to 4 are above, and choose too where they are options of the step. */
function choices(form) {
  const options = [...form.querySelectorAll("[data-key]")].filter(({ dataset }) => !/[1-4]/.test(dataset.key));
  return options.map((option) => [option.dataset.key, option.dataset.label]);
}

/** Digits for up to nine options; else each gets the initial of its name where that is free, else its next free letter. */
function keysOf(names) {
  if (names.length < 10) return names.map((_, place) => String(place + 1));
  const keys = [];
  const isFree = (letter) => !keys.includes(letter) && !KEPT.includes(letter);
  const lettersOf = (place) => names[place].toLowerCase().match(/[a-z]/g);
  const order = names.map((_, place) => place);
  for (const place of order) if (isFree(lettersOf(place)[0])) [keys[place]] = lettersOf(place);
  order.sort((one, other) => names[one].length - names[other].length); // a short name has less to choose from
  for (const place of order) keys[place] ??= [...lettersOf(place), ..."abcdefghijklmnopqrstuvwxyz"].find(isFree);
  return keys;
}

/**
 * While a list of kinds has the focus, each of its options has a key that ticks it and takes the tick back, and Enter
 * goes on to the next list.
 */
class OptionKeys {
  /** `after()` is called by Enter in the last list. */
  constructor(form, after) {
    this.lists = [...form.querySelectorAll(".field-many")];
    for (const list of this.lists) {
      const boxes = [...list.querySelectorAll("input[type=checkbox][name]:not([name=checked])")];
      const keys = keysOf(boxes.map((box) => box.labels[0].querySelector("span").firstChild.data.trim()));
      const options = new Map(boxes.map((box, place) => [keys[place], box]));
      for (const [key, option] of options) this.name(key, option);
      list.addEventListener("keydown", (event) => this.pressed(event, list, options, after));
    }
  }

  name(key, option) {
    const words = option.labels[0].querySelector("span");
    words.prepend(made("kbd", { class: "option-key", "aria-hidden": "true" }, key), " ");
    option.setAttribute("aria-keyshortcuts", key);
  }

  pressed(event, list, options, after) {
    if (event.repeat || composing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const option = namesOf(event).map((name) => options.get(name)).find(Boolean);
    if (!option && event.key !== "Enter") return;
    if (event.target.matches("button, a, summary")) return;
    event.preventDefault();
    event.stopPropagation();
    option?.click();
    option?.focus();
    if (!option) this.next(list, after);
  }

  /** The next list without a tick. */
  next(list, after) {
    const rest = this.lists.slice(this.lists.indexOf(list) + 1);
    const open = rest.find((each) => !each.querySelector("input[name]:checked"));
    if (open) open.querySelector("input[name]").focus();
    else after();
  }
}
