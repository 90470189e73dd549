// <annotate-desk>: the annotate page with script. Keeps the draft while one types, says truly whether it is
// kept, compares two versions, adds and removes questions. Without this script the form works by its buttons.

import { csrfToken, made, whyRefused, write } from "../../shared/dom.js";
import { Draft, WORDS, worthRestoring } from "../draft.js";
import { nextOnEnter, readEntries, renumber, rowsOf, sameEntries, setValue, textControl } from "../entries.js";
import { DeskKeys } from "./desk-keys.js";
import { addSplitter } from "./evidence-panes.js";
import { Filled } from "./filled.js";
import { Steps } from "./steps.js";

const CHECK_AFTER = 400; // milliseconds without a key
const LEAVING = 4_000; // a post that has not left by then has failed
const UNDO = 60_000; // as undoing.py has it
const NOT_LOADED = "Part of this page has not loaded. You can write without it; reload the page to have all of it.";
const NOT_COMPARED = "This draft was also saved elsewhere, and what you enter here is not saved now. What compares the two versions "
  + "has not loaded. This browser keeps what you entered: reload the page to compare.";

const isEntry = (control) => control.closest("[data-field]") && control.name !== "checked" && !control.closest(".definitions");

class AnnotateDesk extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form.desk-form");
    if (!this.form) return;
    this.tools = { write, addRow: (cell) => this.addRow(cell) };
    this.copyKey = `sic-et-non:draft:${this.dataset.draft}`;
    this.rules = JSON.parse(document.getElementById("form-rules").textContent);
    this.filled = new Filled(this.form);
    this.draft = new Draft(Number(this.form.elements.version.value), this.host());
    this.panes = this.querySelector("evidence-panes");
    this.steps = new Steps(this.form, this.dataset.shortcuts === "on");
    this.steps.told = this.rules.told;
    addSplitter(this, this.form);
    this.panes.scrollToTag(); // the border has moved, and the lines with it
    this.listen();
    this.showAddress();
    new DeskKeys(this);
    if ("unsaved" in this.dataset) this.draft.edited();
    else this.draft.turn("saved", { saved_at: this.dataset.savedAt });
    this.restore();
    this.refresh();
    this.showProblem();
    this.offerUndo();
    if (location.hash === "#give-up") this.querySelector("#give-up").showPopover();
    this.dataset.writable = "";
    this.aided = this.addAids();
    this.aided.catch(() => this.sayIncomplete());
  }

  /** After a submission this page came as its answer: a reload now asks for this tag, and submits nothing. */
  showAddress() {
    const own = this.form.getAttribute("action"); // form.action is the buttons of that name
    if (location.pathname !== own) history.replaceState(history.state, "", own);
  }

  /** What was refused: the summary stays above, and the first problem in it has the focus. */
  showProblem() {
    const summary = this.querySelector("#error-summary");
    const first = summary?.querySelector("li a");
    if (!first || !this.steps.reveal(first.hash.slice(1))) return void summary?.focus();
    this.querySelector(".desk-scroll").scrollTop = 0;
    document.activeElement.scrollIntoView({ block: "nearest" });
    return this.steps.say(`${summary.querySelector("h2").textContent} ${first.textContent}`);
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

  async addAids() {
    const { Aids } = await import("./aids.js");
    this.aids = new Aids(this);
    await this.refresh();
    this.dataset.ready = "";
    return this.aids;
  }

  refresh() {
    this.steps.check();
    return this.aids?.show().catch(() => this.sayIncomplete());
  }

  sayIncomplete() {
    if (this.querySelector("[data-incomplete]")) return;
    const said = made("p", { class: "callout callout-warn", "data-incomplete": "" }, NOT_LOADED);
    this.querySelector("[data-notices]").before(said);
  }

  cell(name) {
    return this.form.querySelector(`[data-field="${CSS.escape(name)}"]`);
  }

  // ------------------------------------------------------------------ saving

  async send({ version, entries }) {
    const response = await fetch(this.dataset.api, {
      method: "PATCH",
      headers: {
        "Content-Type": "application/json",
        "X-CSRFToken": csrfToken(),
        "If-Match": `"${version}"`,
      },
      body: JSON.stringify({ entries, ...this.filled.carried(), step: this.form.elements.step.value, seconds: this.aids?.time.take() ?? 0 }),
    });
    const isJson = response.headers.get("Content-Type")?.includes("json");
    return { status: response.status, data: isJson ? await response.json() : {} };
  }

  show(state, info) {
    const output = this.querySelector(".save-state");
    output.dataset.saveState = state;
    output.textContent = WORDS[state](info);
    this.form.elements.version.value = this.draft.version;
    this.notice(state, info);
    if (info?.warnings) {
      Object.assign(this.steps.told, info.warnings);
      this.refresh();
    }
    if (state === "conflict") this.compare(info);
  }

  notice(state, info) {
    const box = this.querySelector("[data-notices]");
    const bad = state === "refused" || state === "lost";
    const said = [...(info?.notices ?? []).map((text) => [text]), ...(bad ? [whyRefused(info)] : [])];
    const kind = bad ? "callout callout-bad" : "callout";
    if (said.length || state === "saved") box.replaceChildren(...said.map((words) => made("p", { class: kind }, ...words)));
    for (const cell of this.querySelectorAll("[data-live-bad]")) {
      cell.classList.remove("field-bad");
      cell.removeAttribute("data-live-bad");
    }
    for (const name of Object.keys(info?.fields ?? {})) {
      this.cell(name)?.classList.add("field-bad");
      this.cell(name)?.setAttribute("data-live-bad", "");
    }
  }

  /** A copy in this browser, so that a crash or a reload loses nothing; gone once the server has it. */
  keep(copy) {
    try {
      if (copy) localStorage.setItem(this.copyKey, JSON.stringify({ ...copy, carried: this.filled.carried() }));
      else localStorage.removeItem(this.copyKey);
    } catch {
      // No room, or storage switched off: the server's copy remains, and the save state says what is not in it.
    }
  }

  restore() {
    if ("unsaved" in this.dataset) return undefined; // the form holds what was just posted, newer than any copy
    let copy = null;
    try {
      copy = JSON.parse(localStorage.getItem(this.copyKey));
    } catch {
      return this.keep(null);
    }
    if (copy?.version < Number(this.dataset.decidedOn)) return this.keep(null); // submitted since, and sent back
    if (!worthRestoring(copy, readEntries(this.form), sameEntries)) return this.keep(null);
    // From an older version, the save is refused as stale, and both texts are shown.
    this.draft.version = copy.version;
    this.draft.base = copy.base ?? this.draft.base;
    this.filled.restore(copy.carried, () => this.fill(copy.entries));
    return this.draft.edited();
  }

  fill(entries) {
    const place = document.activeElement;
    for (const [name, value] of Object.entries(entries)) {
      const cell = this.cell(name);
      if (cell) setValue(cell, value, this.tools);
    }
    if (place instanceof HTMLElement) place.focus({ preventScroll: true });
  }

  async compare({ version, theirs, filled }) {
    const box = this.querySelector("[data-conflict]");
    const loaded = await import("./comparison.js").catch(() => null);
    if (!loaded) return box.replaceChildren(made("p", { class: "callout callout-bad", role: "alert" }, NOT_COMPARED));
    const aids = await this.aided.catch(() => null);
    const settle = () => {
      box.replaceChildren();
      this.draft.settle(version, theirs);
    };
    const versions = { base: this.draft.base, theirs, theirFilled: filled };
    const panel = loaded.comparison(this.form, versions, {
      cellOf: (name) => this.cell(name), tools: this.tools, filled: this.filled, follow: () => aids?.proposals.propose(), settle,
    });
    box.replaceChildren(panel);
    return panel.focus();
  }

  // ------------------------------------------------------------------ the person's hands

  listen() {
    this.form.addEventListener("input", (event) => this.changed(event));
    this.form.addEventListener("change", (event) => {
      if (!["radio", "checkbox"].includes(event.target.type) || !isEntry(event.target)) return;
      this.refresh();
      this.draft.save();
    });
    this.form.addEventListener("click", (event) => this.clicked(event));
    this.form.addEventListener("submit", (event) => this.submitted(event));
    this.form.addEventListener("keydown", (event) => nextOnEnter(event));
    window.addEventListener("online", () => this.draft.online());
    window.addEventListener("offline", () => this.draft.offline());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden" && this.draft.state === "unsaved" && !this.leaving) this.draft.save();
    });
    window.addEventListener("beforeunload", (event) => {
      if (this.draft.open && !this.leaving) event.preventDefault();
    });
  }

  changed(event) {
    if (!isEntry(event.target)) return;
    this.draft.edited();
    clearTimeout(this.checking);
    this.checking = setTimeout(() => this.refresh(), CHECK_AFTER);
  }

  clicked(event) {
    const add = event.target.closest("[data-add-row]");
    const remove = event.target.closest("[data-remove-row]");
    if (!add && !remove) return;
    event.preventDefault();
    const cell = event.target.closest("[data-kind=rows]");
    const isFull = add && rowsOf(cell).length >= Number(cell.dataset.most);
    cell.querySelector("[data-rows-full]").textContent = isFull ? `A tag may have at most ${cell.dataset.most} questions.` : "";
    if (isFull) return;
    if (remove) this.removeRow(cell, remove.closest("[data-row]"));
    else textControl(this.addRow(cell)).focus();
    this.draft.edited();
  }

  addRow(cell) {
    const row = cell.querySelector("template").content.firstElementChild.cloneNode(true);
    cell.querySelector(".rows-list").append(row);
    renumber(cell);
    return row;
  }

  removeRow(cell, row) {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    const left = next ?? this.addRow(cell);
    renumber(cell);
    textControl(left).focus();
  }

  /** A full post waits for the saves under way, so that it names the version which they make. */
  async submitted(event) {
    if (this.posting) return undefined;
    event.preventDefault();
    if (this.handing) return undefined; // pressed again: the first press is under way
    // Leaving without network would end on the browser's own error page.
    if (!navigator.onLine) return void this.draft.retry("offline");
    this.handing = true;
    const button = event.submitter;
    // A form that is firing its submit event ignores a second submission: wait for the next turn at least.
    await new Promise((turn) => setTimeout(turn));
    await this.draft.idle();
    this.form.elements.version.value = this.draft.version;
    this.form.elements.seconds.value = Math.round(this.aids?.time.take() ?? 0);
    this.leaving = true;
    setTimeout(() => { this.leaving = this.handing = false; }, LEAVING);
    this.posting = true;
    this.form.requestSubmit(button);
    this.posting = false;
    return undefined;
  }

  /** The last submission can be taken back for a minute; what was entered here is saved first. */
  offerUndo() {
    const undo = this.querySelector("[data-undo]");
    if (!undo) return;
    setTimeout(() => { undo.disabled = true; }, UNDO);
    undo.form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (!navigator.onLine) return void this.draft.retry("offline");
      if (this.draft.open) await this.draft.save();
      this.leaving = true;
      return undo.form.submit();
    });
  }

  hand() {
    this.form.requestSubmit(this.form.querySelector("button[value=submit]"));
  }
}

customElements.define("annotate-desk", AnnotateDesk);
