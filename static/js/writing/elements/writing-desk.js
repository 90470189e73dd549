// <writing-desk>: the page of an entry with script. Keeps the draft while one types, says truly whether it is kept, compares
// two versions, puts offered phrases into their field. Without this script the form works by its buttons.

import { button, csrfToken, made, whyRefused, write } from "../../shared/dom.js";
import { Draft, WORDS, worthRestoring } from "../../annotation/draft.js";
import { nextOnEnter, readEntries, sameEntries, setValue, textControl } from "../../annotation/entries.js";
import { Steps } from "../../annotation/elements/steps.js";
import { Hotkeys, KeySheet, leaveField } from "../../keys/hotkeys.js";

const CHECK_AFTER = 400; // milliseconds without a key
const LEAVING = 4_000; // a post that has not left by then has failed
const NOT_COMPARED = "This entry was also saved elsewhere, and what you enter here is not saved now. This browser keeps it: reload the "
  + "page to compare the two.";

/** No field here is filled in by the page: what comparison.js asks of fields that are. */
const NOTHING_FILLED = { names: [], mark: () => {}, quietly: (act) => act() };

const isBlank = (value) => value === false || String(value ?? "").trim() === "";
const labelOf = (cell) => wordsIn(cell.querySelector("label, legend")).find(Boolean);
// Its own, without "(required)"; a tick stands before them.
const wordsIn = (label) => [...label.childNodes].map((node) => (node.nodeType === Node.TEXT_NODE ? node.data.trim() : ""));

class WritingDesk extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form.desk-form");
    this.kept = `sic-et-non:entry:${this.dataset.entry}`;
    this.draft = new Draft(Number(this.form.elements.version.value), this.host());
    this.steps = new Steps(this.form);
    this.steps.findings = (entries) => this.missing(entries);
    this.offer();
    this.listen();
    this.addKeys();
    if ("unsaved" in this.dataset) this.draft.edited();
    else this.draft.turn("saved", { saved_at: this.dataset.savedAt });
    this.restore();
    this.steps.check();
    this.querySelector("#error-summary")?.focus();
    if (location.hash === "#give-up") this.querySelector("#give-up").showPopover();
    this.dataset.ready = "";
  }

  host() {
    return {
      read: () => readEntries(this.form),
      send: (save) => this.send(save),
      show: (state, info) => this.show(state, info),
      later: (run, wait) => setTimeout(run, wait),
      forget: (handle) => clearTimeout(handle),
      keep: (copy) => this.keep(copy),
      drop: () => this.keep(null),
      same: sameEntries,
    };
  }

  cell(name) {
    return this.form.querySelector(`[data-field="${CSS.escape(name)}"]`);
  }

  /** The required fields that are empty or blank, as the rail of the steps lists them. */
  missing(entries) {
    const names = this.dataset.required.split(" ").filter((name) => name && isBlank(entries[name]));
    return names.map((field) => ({ code: "required", level: "block", field, label: labelOf(this.cell(field)) }));
  }

  // ------------------------------------------------------------------ saving

  async send({ version, entries }) {
    const response = await fetch(this.dataset.api, {
      method: "PATCH",
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken(), "If-Match": `"${version}"` },
      body: JSON.stringify({ entries }),
    });
    const isJson = response.headers.get("Content-Type")?.includes("json");
    return { status: response.status, data: isJson ? await response.json() : {} };
  }

  show(state, info) {
    const output = this.querySelector(".save-state");
    output.dataset.saveState = state;
    output.textContent = WORDS[state](info);
    this.form.elements.version.value = this.draft.version;
    const isBad = state === "refused" || state === "lost";
    const said = [...(info?.notices ?? []).map((text) => [text]), ...(isBad ? [whyRefused(info)] : [])];
    const lines = said.map((words) => made("p", { class: isBad ? "callout callout-bad" : "callout" }, ...words));
    if (lines.length || state === "saved") this.querySelector("[data-notices]").replaceChildren(...lines);
    if (state === "conflict") this.compare(info);
  }

  /** A copy in this browser, so that a crash or a reload loses nothing; gone once the server has it. */
  keep(copy) {
    try {
      if (copy) localStorage.setItem(this.kept, JSON.stringify(copy));
      else localStorage.removeItem(this.kept);
    } catch {
      // No room, or storage switched off: the save state says what the server does not have.
    }
  }

  restore() {
    if ("unsaved" in this.dataset) return undefined; // the form holds what was just posted, newer than any copy
    let copy = null;
    try {
      copy = JSON.parse(localStorage.getItem(this.kept));
    } catch {
      return this.keep(null);
    }
    if (!worthRestoring(copy, readEntries(this.form), sameEntries)) return this.keep(null);
    // From an older version, the save is refused as stale, and both texts are shown.
    this.draft.version = copy.version;
    this.draft.base = copy.base ?? this.draft.base;
    for (const [name, value] of Object.entries(copy.entries)) if (this.cell(name)) setValue(this.cell(name), value, { write });
    return this.draft.edited();
  }

  async compare({ version, theirs }) {
    const box = this.querySelector("[data-conflict]");
    const loaded = await import("../../annotation/elements/comparison.js").catch(() => null);
    if (!loaded) return box.replaceChildren(made("p", { class: "callout callout-bad", role: "alert" }, NOT_COMPARED));
    const settle = () => {
      box.replaceChildren();
      this.draft.settle(version, theirs);
    };
    const versions = { base: this.draft.base, theirs, theirFilled: [] };
    const tools = { cellOf: (name) => this.cell(name), tools: { write }, filled: NOTHING_FILLED, follow: () => {}, settle };
    const panel = loaded.comparison(this.form, versions, tools);
    box.replaceChildren(panel);
    return panel.focus();
  }

  // ------------------------------------------------------------------ the person's hands

  /** Each offered phrase becomes a button that puts it where the caret is. */
  offer() {
    for (const list of this.querySelectorAll("[data-offers]")) {
      const box = textControl(this.cell(list.dataset.offers));
      for (const item of list.children) {
        const phrase = item.textContent.trim();
        const begun = phrase.replace(/\s*…$/u, " "); // the person goes on where the dots are
        item.replaceChildren(button(phrase, () => write(box, begun, { replace: false })));
      }
    }
  }

  listen() {
    const isEntry = ({ target }) => target.closest("[data-field]") && !target.closest(".definitions");
    this.form.addEventListener("input", (event) => {
      if (!isEntry(event)) return;
      this.draft.edited();
      clearTimeout(this.checking);
      this.checking = setTimeout(() => this.steps.check(), CHECK_AFTER);
    });
    this.form.addEventListener("change", (event) => {
      if (isEntry(event) && ["radio", "checkbox"].includes(event.target.type)) this.draft.save();
    });
    this.form.addEventListener("submit", (event) => this.submitted(event));
    this.form.addEventListener("keydown", nextOnEnter);
    window.addEventListener("online", () => this.draft.online());
    window.addEventListener("offline", () => this.draft.offline());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden" && this.draft.state === "unsaved" && !this.leaving) this.draft.save();
    });
    window.addEventListener("beforeunload", (event) => {
      if (this.draft.open && !this.leaving) event.preventDefault();
    });
  }

  addKeys() {
    const keys = new Hotkeys(this.dataset.shortcuts === "on");
    const sheet = new KeySheet(this.querySelector("[data-part=sheet]"), keys);
    for (const option of this.form.querySelectorAll("[data-key]")) {
      keys.add(option.dataset.key, "Choose the option with this number in the step that is shown", () => this.steps.choose(option.dataset.key));
    }
    keys.add("i", "Write in the step that is shown", () => this.steps.enter(this.steps.current));
    keys.add("n", "Next step", () => this.steps.move(1));
    keys.add("p", "Previous step", () => this.steps.move(-1));
    keys.add("Alt+N", "Next step, from inside a text field too", () => this.steps.move(1));
    keys.add("Alt+P", "Previous step, from inside a text field too", () => this.steps.move(-1));
    keys.add("x", "Reject the record, or give it up", () => {
      this.querySelector("#give-up").showPopover();
      this.querySelector("#reason").focus();
    });
    keys.add("Ctrl+Enter", "Submit, from inside a text field too", () => this.form.requestSubmit(this.querySelector("button[value=submit]")));
    keys.add("Escape", "Leave a text field, so that the single keys work", leaveField);
    keys.add("?", "Show these keys", () => sheet.open());
    document.addEventListener("keydown", (event) => { if (!sheet.isOpen) keys.handle(event); });
    const help = this.querySelector("#desk-keys");
    help.hidden = false;
    help.addEventListener("click", () => sheet.open());
  }

  /** A full post waits for the saves under way, so that it names the version which they make. */
  async submitted(event) {
    if (this.posting) return;
    event.preventDefault();
    if (this.handing) return; // pressed again: the first press is under way
    if (!navigator.onLine) {
      this.draft.retry("offline"); // leaving without network would end on the browser's own error page
      return;
    }
    this.handing = true;
    const by = event.submitter;
    // A form that is firing its submit event ignores a second submission: wait for the next turn at least.
    await new Promise((turn) => setTimeout(turn));
    await this.draft.idle();
    this.form.elements.version.value = this.draft.version;
    this.leaving = true;
    setTimeout(() => { this.leaving = this.handing = false; }, LEAVING);
    this.posting = true;
    this.form.requestSubmit(by);
    this.posting = false;
  }
}

customElements.define("writing-desk", WritingDesk);
