// The steps of the form: which one is shown, what is missing in each, and what the checks say at each field.

import { made, recalled, remember } from "../../shared/dom.js";
import { readEntries, textControl, valueOf } from "../entries.js";

const VIEW = "sic-et-non:steps";
const ABSENT = new Set(["required", "no_option", "table_without_prose"]);

export class Steps {
  /** With `goesOn`, a choice that a key or a click makes opens the next step where one choice is all. */
  constructor(form, goesOn = false) {
    this.form = form;
    this.goesOn = goesOn;
    this.findings = null; // a function of the entries, once the checks have come; until then the rail is the server's
    this.told = {}; // by field, what the server alone can find
    this.sections = [...form.querySelectorAll("[data-step]")];
    this.ticked = new Map(); // a warning's key to its field's value when it was ticked
    for (const box of form.querySelectorAll("[name=checked]:checked")) this.tick(box);
    form.addEventListener("click", (event) => this.clicked(event));
    form.addEventListener("change", ({ target }) => {
      if (target.name !== "checked") return;
      this.tick(target);
      this.check();
    });
    form.addEventListener("input", ({ target }) => { if (this.arrived?.contains(target)) this.arrived = null; });
    form.addEventListener("focusin", (event) => this.mark(event.target.closest("[data-step]")?.dataset.step));
    for (const hidden of form.querySelectorAll("[data-step-by], [data-view-steps]")) hidden.hidden = false;
    this.view(recalled(VIEW) ?? "one");
    // Where the person was, as after Back; else what the address names, which may be no step.
    const named = history.state?.step ?? location.hash.replace("#step-", "");
    this.mark((this.section(named) ? named : form.elements.step.value) || this.sections[0].dataset.step);
  }

  get current() {
    return this.section(this.form.elements.step.value);
  }

  get open() {
    return this.sections.filter((section) => !section.matches(".later-step") || this.form.querySelector("[data-opens]:checked"));
  }

  section(key) {
    return this.sections.find((section) => section.dataset.step === key);
  }

  // ------------------------------------------------------------------ which one is shown

  /** "one" step at a time, or "all". */
  view(kind) {
    this.form.dataset.view = kind;
    this.form.querySelector("[data-view-steps]").setAttribute("aria-pressed", String(kind === "all"));
  }

  mark(key) {
    if (!this.section(key)) return;
    this.form.elements.step.value = key;
    if (history.state?.step !== key) history.replaceState({ step: key }, "");
    for (const section of this.sections) section.toggleAttribute("data-current", section.dataset.step === key);
    for (const link of this.form.querySelectorAll("[data-step-link]")) link.ariaCurrent = link.dataset.stepLink === key ? "step" : null;
    this.showMoves();
  }

  /** Next is the main button until all is complete, then Submit. */
  showMoves() {
    for (const move of this.form.querySelectorAll("[data-step-by]")) move.disabled = !this.from(Number(move.dataset.stepBy));
    const isDone = this.open.every((section) => this.isComplete(section));
    this.form.querySelector("[data-step-by='1']").classList.toggle("button-primary", !isDone);
    this.form.querySelector("button[value=submit]").classList.toggle("button-primary", isDone);
  }

  /** The step so many on or back; on from the last one, the first that is not complete. */
  from(by) {
    const next = this.open[this.open.indexOf(this.current) + by];
    return next ?? (by > 0 ? this.open.find((section) => section !== this.current && !this.isComplete(section)) : undefined);
  }

  link(section) {
    return this.form.querySelector(`[data-step-link="${section.dataset.step}"]`);
  }

  isComplete(section) {
    return this.link(section).dataset.standing === "complete";
  }

  move(by) {
    // A step that has just opened by itself is not passed over by a Next that was meant for the one before.
    const next = by > 0 && this.arrived === this.current ? this.current : this.from(by);
    if (next) this.enter(next);
    if (next === this.arrived) this.say("This step had opened by itself. Next again goes on.");
    this.arrived = null;
  }

  /** Show the step and put the focus where its work begins. */
  enter(section) {
    this.mark(section.dataset.step);
    this.say(""); // what was said belongs to the step before
    section.closest(".desk-scroll").scrollTop = 0;
    if (this.form.dataset.view === "all") section.scrollIntoView();
    else section.querySelector("h2").scrollIntoView({ block: "nearest" }); // on a narrow screen the page scrolls
    beginning(section).focus({ preventScroll: true });
  }

  /** Choose the option with this key in the step that is shown; false where it has none. */
  choose(key) {
    const option = this.current?.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!option) return false;
    option.click();
    this.goOn(option);
    return true;
  }

  /** After a choice by a key or a click, never by an arrow key inside its group. */
  goOn(option) {
    const here = option.closest("[data-step]");
    if (!this.goesOn || here !== this.current) return;
    this.check();
    const chosen = `“${option.dataset.label}” chosen.`;
    const next = !this.findings || this.isComplete(here) ? this.from(1) : null;
    if (next) {
      this.enter(next);
      this.arrived = next;
      this.say(`${chosen} ${next.querySelector("h2").textContent.trim()} (Alt+P goes back)`);
    } else {
      const words = this.link(here).querySelector("[data-standing-words]").textContent;
      const open = `In this step: ${words}.`;
      this.say(`${chosen} ${this.isComplete(here) ? "Everything is complete: Ctrl+Enter submits." : open}`);
    }
  }

  /** At the foot, where it moves nothing. */
  say(text) {
    this.form.querySelector("[data-said]").textContent = text;
  }

  /** Show the field with this id, wherever it is. */
  reveal(id) {
    const target = this.form.querySelector(`#${CSS.escape(id)}`);
    const section = target?.closest("[data-step]");
    if (!section) return false;
    this.mark(section.dataset.step);
    this.say("");
    target.closest("[data-same]")?.removeAttribute("data-same");
    target.scrollIntoView({ block: "center" });
    target.focus({ preventScroll: true });
    return true;
  }

  clicked(event) {
    const link = event.target.closest("a[href^='#']");
    const option = event.target.closest("[data-key]");
    const move = event.target.closest("[data-step-by]");
    if (move) this.move(Number(move.dataset.stepBy));
    if (event.target.closest("[data-view-steps]")) this.switchView();
    // An arrow key's click has no detail. With all steps in view nothing has to open.
    if (option && event.detail && this.form.dataset.view === "one") this.goOn(option);
    if (!link) return;
    const step = this.section(link.dataset.stepLink);
    if (step && this.open.includes(step)) this.enter(step);
    if (step || this.reveal(link.hash.slice(1))) event.preventDefault();
  }

  switchView() {
    const kind = this.form.dataset.view === "one" ? "all" : "one";
    remember(VIEW, kind);
    this.view(kind);
    this.current.scrollIntoView();
  }

  // ------------------------------------------------------------------ what is missing, and what the checks say

  tick(box) {
    if (box.checked) this.ticked.set(box.value, this.valueAt(box.value.split(":")[1]));
    else this.ticked.delete(box.value);
  }

  cell(field) {
    return this.form.querySelector(`[data-field="${CSS.escape(field)}"]`);
  }

  valueAt(field) {
    return JSON.stringify(valueOf(this.cell(field)));
  }

  /** Whether "I checked" is ticked for what the field holds now. */
  isTicked({ code, field }) {
    return this.ticked.get(`${code}:${field}`) === this.valueAt(field);
  }

  /** With or without network; the server decides. */
  check() {
    if (!this.findings) return this.showMoves();
    const findings = [...this.findings(readEntries(this.form)), ...Object.values(this.told).flat()];
    const absent = findings.filter(({ code }) => ABSENT.has(code));
    const remarks = findings.filter(({ code }) => !ABSENT.has(code));
    for (const box of this.form.querySelectorAll("[data-warnings]")) this.showRemarks(box, remarks);
    for (const section of this.sections) this.showState(section, absent, remarks);
    return this.showMoves();
  }

  showRemarks(box, remarks) {
    const cell = box.closest("[data-field]");
    const lines = remarks.filter(({ field }) => field === cell.dataset.field).map((finding) => this.line(finding));
    if (box.textContent.trim() === "" && !lines.length) return;
    const focused = box.contains(document.activeElement) ? document.activeElement.value : null;
    box.replaceChildren(...lines);
    if (focused) box.querySelector(`[value="${CSS.escape(focused)}"]`)?.focus();
    describe(cell, box.id, lines.length > 0);
  }

  line(finding) {
    const { code, level, field, message } = finding;
    if (level === "block") return made("p", { class: "field-error" }, message);
    const box = made("input", { type: "checkbox", name: "checked", value: `${code}:${field}` });
    box.checked = this.isTicked(finding);
    return made("p", { class: "field-warning" }, made("bdi", {}, message), " ", made("label", {}, box, " I checked"));
  }

  showState(section, absent, remarks) {
    const here = ({ field }) => this.cell(field).closest("[data-step]") === section;
    const gaps = absent.filter(here).sort((one, other) => (isBefore(this.cell(one.field), this.cell(other.field)) ? -1 : 1));
    const open = remarks.filter((finding) => here(finding) && !this.isTicked(finding));
    const isOpen = this.open.includes(section);
    const link = this.link(section);
    link.dataset.standing = !isOpen ? "closed" : gaps.length ? "open" : open.length ? "check" : "complete";
    link.querySelector("[data-standing-words]").textContent = words(isOpen, gaps.length, open.length);
    showGaps(section.querySelector("[data-missing]"), isOpen ? gaps : []);
  }
}

const isBefore = (one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;

function words(isOpen, missing, toCheck) {
  if (!isOpen) return "not open";
  if (missing) return `${missing} missing`;
  return toCheck ? `${toCheck} to check` : "complete";
}

function showGaps(line, gaps) {
  line.hidden = gaps.length === 0;
  const links = gaps.map(({ field, label }) => made("a", { href: `#id_${field}` }, label));
  line.replaceChildren("Still missing: ", ...links.flatMap((link, at) => (at ? [" · ", link] : [link])));
}

/** A step of texts begins in its first text, a step of options at the first list; one with keys of its own, at its title. */
function beginning(section) {
  const kinds = [...section.querySelectorAll("[data-field]")].map((cell) => cell.dataset.kind);
  if (kinds.some((kind) => kind === "one" || kind === "rating")) return section;
  const first = section.querySelector("[data-kind=many] input[name], textarea, input[type=text]");
  return first ?? section;
}

function describe(cell, id, on) {
  const control = cell.matches("fieldset") ? cell : textControl(cell);
  if (!control) return;
  const ids = (control.getAttribute("aria-describedby") ?? "").split(" ").filter((each) => each && each !== id);
  if (on) ids.push(id);
  if (ids.length) control.setAttribute("aria-describedby", ids.join(" "));
  else control.removeAttribute("aria-describedby");
}
