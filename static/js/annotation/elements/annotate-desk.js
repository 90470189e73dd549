// <annotate-desk>: the annotate page with script. Keeps the draft while one types, says truly whether it is
// kept, compares two versions, adds and removes questions. Without this script the form works by its buttons.

import { csrfToken } from "../../shared/csrf.js";
import { check } from "../checks.js";
import { Draft, worthRestoring } from "../draft.js";
import { readEntries, renumber, rowsOf, sameEntries, setValue, textControl } from "../entries.js";
import { ActiveTime } from "./active-time.js";
import { comparison } from "./comparison.js";
import { DeskKeys } from "./desk-keys.js";
import { made, write } from "./dom.js";
import { PickBar } from "./pick-bar.js";

const CHECK_AFTER = 400; // milliseconds without a key
const LEAVING = 4_000; // a post that has not left by then has failed

const WORDS = {
  unsaved: () => "Unsaved",
  saving: () => "Saving …",
  saved: (info) => `Saved ${clock(info?.saved_at)}`,
  offline: () => "Offline: kept here, trying again",
  refused: () => "Not saved",
  conflict: () => "Not saved: two versions",
  lost: () => "Not saved",
};

function clock(moment) {
  const at = moment ? new Date(moment) : new Date();
  const today = at.toDateString() === new Date().toDateString();
  const time = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return today ? time : `${at.toLocaleDateString()} ${time}`;
}

/** Why the server did not save: its own sentence, or what a missing session means. */
function refusal(info) {
  if (info?.error) return info.error;
  return "You are signed out, or may not do this. Sign in in another tab, then reload this page.";
}

class AnnotateDesk extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form.desk-form");
    if (!this.form) return;
    this.rules = JSON.parse(document.getElementById("form-rules").textContent);
    this.tools = { write, addRow: (cell) => this.addRow(cell) };
    this.copyKey = `sic-et-non:draft:${this.dataset.draft}`;
    this.time = new ActiveTime();
    this.draft = new Draft(Number(this.form.elements.version.value), this.host());
    this.listen();
    this.markStep(location.hash.replace("#step-", "") || this.form.elements.step.value);
    new DeskKeys(this, new PickBar(this.querySelector(".desk-evidence"), (name) => this.cell(name)));
    if ("unsaved" in this.dataset) this.draft.edited();
    else this.draft.turn("saved", { saved_at: this.dataset.savedAt });
    this.restore();
    this.showFindings();
    this.showTag();
    this.querySelector("#error-summary")?.focus();
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

  // ------------------------------------------------------------------ saving

  async send({ version, entries }) {
    const response = await fetch(this.dataset.api, {
      method: "PATCH",
      headers: {
        "Content-Type": "application/json",
        "X-CSRFToken": csrfToken(),
        "If-Match": `"${version}"`,
      },
      body: JSON.stringify({ entries, step: this.form.elements.step.value, seconds: this.time.take() }),
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
    if (state === "conflict") this.compare(info);
    if (info?.steps) this.showStanding(info.steps);
  }

  notice(state, info) {
    const box = this.querySelector("[data-notices]");
    const bad = state === "refused" || state === "lost";
    const said = [...(info?.notices ?? []), ...(bad ? [`${refusal(info)} What you entered is still here.`] : [])];
    const kind = bad ? "callout callout-bad" : "callout";
    if (said.length || state === "saved") box.replaceChildren(...said.map((text) => made("p", { class: kind }, text)));
    for (const cell of this.querySelectorAll("[data-live-bad]")) {
      cell.classList.remove("field-bad");
      cell.removeAttribute("data-live-bad");
    }
    for (const name of Object.keys(info?.details?.fields ?? {})) {
      this.cell(name)?.classList.add("field-bad");
      this.cell(name)?.setAttribute("data-live-bad", "");
    }
  }

  showStanding(steps) {
    for (const at of steps) {
      const link = this.querySelector(`[data-step-link="${CSS.escape(at.key)}"]`);
      if (!link) continue;
      link.dataset.standing = !at.open ? "closed" : at.complete ? "complete" : "open";
      const words = !at.open ? "(not needed)" : at.complete ? "(complete)" : `(${at.missing.length} missing)`;
      link.querySelector("[data-standing-words]").textContent = words;
    }
  }

  /** Shows the findings for the current entries, with or without network. The list of steps shows what is missing. */
  showFindings() {
    const found = check(this.rules, readEntries(this.form)).filter(
      (finding) => finding.code !== "required" && finding.code !== "no_option",
    );
    const lines = found.map((finding) => made("li", {}, made("a", { href: `#id_${finding.field}` }, finding.message)));
    const list = made("div", { class: "callout callout-warn" }, made("p", {}, "Please check:"), made("ul", {}, ...lines));
    this.querySelector("[data-live-findings]").replaceChildren(...(lines.length ? [list] : []));
  }

  /** A copy in this browser, so that a crash or a reload loses nothing; gone once the server has it. */
  keep(copy) {
    try {
      if (copy) localStorage.setItem(this.copyKey, JSON.stringify(copy));
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
    if (!worthRestoring(copy, readEntries(this.form), sameEntries)) return this.keep(null);
    // From an older version, the save is refused as stale, and both texts are shown.
    this.draft.version = copy.version;
    this.draft.base = copy.base ?? this.draft.base;
    this.fill(copy.entries);
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

  compare({ version, theirs }) {
    const box = this.querySelector("[data-conflict]");
    const settle = () => {
      box.replaceChildren();
      this.draft.settle(version, theirs);
    };
    const panel = comparison(this.form, { base: this.draft.base, theirs }, { cellOf: (name) => this.cell(name), tools: this.tools, settle });
    box.replaceChildren(panel);
    panel.focus();
  }

  // ------------------------------------------------------------------ the person's hands

  listen() {
    this.form.addEventListener("input", (event) => this.changed(event));
    this.form.addEventListener("change", (event) => {
      if (["radio", "checkbox"].includes(event.target.type) && event.target.closest("[data-field]")) this.draft.save();
    });
    this.form.addEventListener("focusin", (event) => this.markStep(event.target.closest("[data-step]")?.dataset.step));
    this.form.addEventListener("click", (event) => this.clicked(event));
    this.form.addEventListener("submit", (event) => this.submitted(event));
    this.querySelector(".step-nav").addEventListener("click", (event) => this.jumped(event));
    window.addEventListener("online", () => this.draft.online());
    window.addEventListener("offline", () => this.draft.offline());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden" && this.draft.state === "unsaved") this.draft.save();
    });
    window.addEventListener("beforeunload", (event) => {
      if (this.draft.open && !this.leaving) event.preventDefault();
    });
  }

  changed(event) {
    if (!event.target.closest("[data-field]") || event.target.name === "checked") return;
    this.draft.edited();
    clearTimeout(this.checking);
    this.checking = setTimeout(() => this.showFindings(), CHECK_AFTER);
  }

  clicked(event) {
    const add = event.target.closest("[data-add-row]");
    const remove = event.target.closest("[data-remove-row]");
    if (!add && !remove) return;
    event.preventDefault();
    const cell = event.target.closest("[data-kind=rows]");
    if (remove) this.removeRow(cell, remove.closest("[data-row]"));
    else if (rowsOf(cell).length < Number(cell.dataset.most)) textControl(this.addRow(cell)).focus();
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
    if (this.leaving) return undefined;
    event.preventDefault();
    // Leaving without network would end on the browser's own error page.
    if (!navigator.onLine) return void this.draft.retry("offline");
    const button = event.submitter;
    // A form that is firing its submit event ignores a second submission: wait for the next turn at least.
    await new Promise((turn) => setTimeout(turn));
    await this.draft.idle();
    this.form.elements.version.value = this.draft.version;
    this.form.elements.seconds.value = Math.round(this.time.take());
    this.leaving = true;
    setTimeout(() => { this.leaving = false; }, LEAVING);
    return void this.form.requestSubmit(button);
  }

  hand() {
    this.form.requestSubmit(this.form.querySelector("button[value=submit]"));
  }

  jumped(event) {
    const link = event.target.closest("[data-step-link]");
    const step = link && this.querySelector(`#step-${CSS.escape(link.dataset.stepLink)}`);
    if (!step?.checkVisibility()) return;
    event.preventDefault();
    step.scrollIntoView();
    step.querySelector("input, textarea")?.focus({ preventScroll: true });
  }

  markStep(key) {
    if (!key || !this.querySelector(`[data-step-link="${CSS.escape(key)}"]`)) return;
    this.form.elements.step.value = key;
    for (const link of this.querySelectorAll("[data-step-link]")) {
      if (link.dataset.stepLink === key) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    }
  }

  /** The tagged block in that part of the article's own box which is in view; nothing else moves. */
  showTag() {
    const block = this.querySelector("#tagged-block");
    const box = block?.closest(".article-text");
    if (!box) return;
    const seen = Math.min(box.clientHeight, window.innerHeight - box.getBoundingClientRect().top);
    box.scrollTop = block.offsetTop - Math.max(seen, 0) / 4;
  }

  /** The tagged block in the middle of the screen, whatever has to open and scroll for it. */
  findTag() {
    const block = this.querySelector("#tagged-block");
    for (let shut = block?.closest("details:not([open])"); shut; shut = block.closest("details:not([open])")) shut.open = true;
    block?.scrollIntoView({ block: "center" });
  }
}

customElements.define("annotate-desk", AnnotateDesk);
