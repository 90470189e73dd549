// <annotate-desk>: the annotate page with script. Keeps the draft while one types, says truly whether it is
// kept, compares two versions field by field, adds and removes questions, copies passages from the article.
// Without this script the same form works by its buttons.

import { check } from "../checks.js";
import { Draft, worthRestoring } from "../draft.js";
import { readEntries, renumber, rowsOf, sameEntries, sameValue, setValue, textControl } from "../entries.js";
import { copiedText } from "../passages.js";

const IDLE_AFTER = 60_000; // without a key, click or scroll for so long, nobody is at the form
const BEAT = 5_000;

const WORDS = {
  unsaved: () => "Unsaved",
  saving: () => "Saving …",
  saved: (info) => `Saved ${clock(info?.saved_at)}`,
  offline: () => "Offline: kept here, trying again",
  refused: () => "Not saved",
  conflict: () => "Not saved: two versions",
  lost: () => "Not saved",
};

function clock(time) {
  const at = time ? new Date(time) : new Date();
  return at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

function made(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Enter text as if typed, so that Ctrl+Z takes it back; the caret goes where the text is. */
export function write(box, text, { replace = true } = {}) {
  box.focus({ preventScroll: true });
  if (replace) box.select();
  const done = text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text);
  if (!done) box.setRangeText(text, box.selectionStart, box.selectionEnd, "end");
}

class AnnotateDesk extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form.desk-form");
    if (!this.form) return;
    this.output = this.querySelector(".save-state");
    this.told = JSON.parse(document.getElementById("form-told").textContent);
    this.tools = { write, addRow: (cell) => this.addRow(cell) };
    this.copyKey = `sic-et-non:draft:${this.dataset.draft}`;
    this.draft = new Draft(Number(this.form.elements.version.value), this.host());
    this.loaded = readEntries(this.form);
    this.listen();
    this.watchTime();
    this.markStep(location.hash.replace("#step-", "") || this.form.elements.step.value);
    this.makePickBar();
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

  // ------------------------------------------------------------------ saving

  async send({ version, entries }) {
    const seconds = this.takeSeconds();
    const response = await fetch(this.dataset.api, {
      method: "PATCH",
      headers: {
        "Content-Type": "application/json",
        "X-CSRFToken": this.form.elements.csrfmiddlewaretoken.value,
        "If-Match": `"${version}"`,
      },
      body: JSON.stringify({ entries, step: this.form.elements.step.value, seconds }),
    });
    const isJson = response.headers.get("Content-Type")?.includes("json");
    return { status: response.status, data: isJson ? await response.json() : {} };
  }

  show(state, info) {
    this.output.dataset.saveState = state;
    this.output.textContent = WORDS[state](info);
    this.form.elements.version.value = this.draft.version;
    this.notice(state, info);
    if (state === "conflict") this.compare(info);
    if (info?.steps) this.showStanding(info);
  }

  notice(state, info) {
    const box = this.querySelector("[data-notices]");
    const said = [...(info?.notices ?? [])];
    if (state === "refused" || state === "lost") said.push(`${refusal(info)} What you entered is still here.`);
    const kind = state === "refused" || state === "lost" ? "callout callout-bad" : "callout";
    if (said.length || state === "saved") box.replaceChildren(...said.map((text) => made("p", { class: kind }, text)));
    for (const cell of this.querySelectorAll("[data-live-bad]")) {
      cell.classList.remove("field-bad");
      cell.removeAttribute("data-live-bad");
    }
    for (const name of Object.keys(info?.details?.fields ?? {})) {
      const cell = this.querySelector(`[data-field="${CSS.escape(name)}"]`);
      cell?.classList.add("field-bad");
      cell?.setAttribute("data-live-bad", "");
    }
  }

  showStanding({ steps }) {
    for (const at of steps) {
      const link = this.querySelector(`[data-step-link="${CSS.escape(at.key)}"]`);
      if (!link) continue;
      link.dataset.standing = !at.open ? "closed" : at.complete ? "complete" : "open";
      const words = !at.open ? "(not needed)" : at.complete ? "(complete)" : `(${at.missing.length} missing)`;
      link.querySelector("[data-standing-words]").textContent = words;
    }
  }

  /** What the checks find in the form as it stands, with or without network; what is missing shows in the steps. */
  showFindings() {
    const found = check(this.told, readEntries(this.form)).filter(
      (finding) => finding.code !== "required" && finding.code !== "no_option",
    );
    const lines = found.map((finding) => made("li", {}, made("a", { href: `#id_${finding.field}` }, finding.message)));
    const list = made("div", { class: "callout callout-warn" }, made("p", {}, "The checks find:"), made("ul", {}, ...lines));
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
    let copy = null;
    try {
      copy = JSON.parse(localStorage.getItem(this.copyKey));
    } catch {
      this.keep(null);
    }
    if ("unsaved" in this.dataset) return undefined; // the form holds what was just posted, newer than any copy
    if (!worthRestoring(copy, this.loaded, sameEntries)) return this.keep(null);
    // From an older version, the save is refused as stale, and both texts are shown.
    this.draft.version = copy.version;
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

  cell(name) {
    return this.form.querySelector(`[data-field="${CSS.escape(name)}"]`);
  }

  // ------------------------------------------------------------------ two versions

  /** Each field that differs, with both texts; the form holds what is chosen. */
  compare({ version, theirs }) {
    const mine = readEntries(this.form);
    const names = Object.keys(mine).filter((name) => !sameValue(theirs[name], mine[name]));
    const done = made("button", { type: "button", class: "button button-primary" }, "Save what the form holds now");
    done.addEventListener("click", () => {
      this.querySelector("[data-conflict]").replaceChildren();
      this.draft.settle(version);
    });
    const panel = made(
      "section",
      { class: "conflict callout callout-bad", "aria-labelledby": "conflict-heading", tabindex: "-1" },
      made("h2", { id: "conflict-heading" }, "This draft was also saved elsewhere"),
      made("p", {}, "Nothing was overwritten. For each field, keep yours or take the other; then save."),
      ...names.map((name) => this.compared(name, mine[name], theirs[name])),
      made("p", {}, done),
    );
    this.querySelector("[data-conflict]").replaceChildren(panel);
    panel.focus();
  }

  compared(name, mine, theirs) {
    const cell = this.cell(name);
    const label = cell.querySelector("label, legend")?.firstChild.textContent.trim() ?? name;
    const choose = (text, value) => {
      const button = made("button", { type: "button", class: "button" }, text);
      button.addEventListener("click", () => {
        setValue(cell, value, this.tools);
        field.querySelectorAll("button").forEach((each) => each.setAttribute("aria-pressed", String(each === button)));
        button.focus();
      });
      return button;
    };
    const side = (title, value, button) => made("div", {}, made("h4", {}, title), made("pre", {}, inWords(value)), button);
    const field = made(
      "div",
      { class: "conflict-field" },
      made("h3", {}, label),
      made("div", { class: "split" }, side("Yours, here", mine, choose("Keep mine", mine)), side("Saved elsewhere", theirs, choose("Take this", theirs))),
    );
    return field;
  }

  // ------------------------------------------------------------------ the person's hands

  listen() {
    this.form.addEventListener("input", (event) => this.changed(event));
    this.form.addEventListener("change", (event) => {
      if (event.target.type === "radio" || event.target.type === "checkbox") this.draft.save();
    });
    this.form.addEventListener("focusin", (event) => this.markStep(event.target.closest("[data-step]")?.dataset.step));
    this.form.addEventListener("click", (event) => this.clicked(event));
    this.form.addEventListener("submit", (event) => this.submitted(event));
    this.addEventListener("keydown", (event) => this.pressed(event));
    this.querySelector(".step-nav").addEventListener("click", (event) => this.jumped(event));
    window.addEventListener("online", () => this.draft.online());
    window.addEventListener("offline", () => this.draft.open && this.draft.retry("offline"));
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
    this.checking = setTimeout(() => this.showFindings(), 400);
  }

  clicked(event) {
    const add = event.target.closest("[data-add-row]");
    const remove = event.target.closest("[data-remove-row]");
    if (!add && !remove) return;
    event.preventDefault();
    const cell = event.target.closest("[data-kind=rows]");
    if (add) {
      if (rowsOf(cell).length >= Number(cell.dataset.most)) return;
      textControl(this.addRow(cell)).focus();
    } else {
      this.removeRow(cell, remove.closest("[data-row]"));
    }
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

  /** A full post waits for the save under way, so that it names the version which that save makes. */
  async submitted(event) {
    if (this.leaving) return;
    event.preventDefault();
    const button = event.submitter;
    this.draft.cancel();
    // A form that is firing its submit event ignores a second submission: wait for the next turn at least.
    await Promise.all([this.draft.flight, new Promise((turn) => setTimeout(turn))]);
    this.draft.cancel();
    this.form.elements.version.value = this.draft.version;
    this.form.elements.seconds.value = Math.round(this.takeSeconds());
    this.leaving = true;
    this.form.requestSubmit(button);
    setTimeout(() => { this.leaving = false; }, 4000); // still here: the network failed, and the page stays as it is
  }

  pressed(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      event.preventDefault();
      this.form.requestSubmit(this.form.querySelector("button[value=submit]"));
    }
  }

  jumped(event) {
    const link = event.target.closest("[data-step-link]");
    const step = link && this.querySelector(`#step-${CSS.escape(link.dataset.stepLink)}`);
    if (!step || !step.checkVisibility()) return;
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

  /** Seconds in which somebody was at the form; what is not sent yet is counted into the next save. */
  watchTime() {
    this.seconds = 0;
    let last = Date.now();
    for (const kind of ["keydown", "pointerdown", "scroll", "pointermove"]) {
      document.addEventListener(kind, () => { last = Date.now(); }, { passive: true, capture: true });
    }
    setInterval(() => {
      if (document.visibilityState === "visible" && Date.now() - last < IDLE_AFTER) this.seconds += BEAT / 1000;
    }, BEAT);
  }

  takeSeconds() {
    const taken = this.seconds;
    this.seconds = 0;
    return taken;
  }

  // ------------------------------------------------------------------ the article

  /** The tagged block in view within the article's own box; nothing else moves. */
  showTag() {
    const block = this.querySelector("#tagged-block");
    const box = block?.closest(".article-text");
    if (box) box.scrollTop = block.offsetTop - box.clientHeight / 4;
  }

  makePickBar() {
    const pane = this.querySelector(".desk-evidence");
    if (!pane) return;
    this.picked = made("span", { class: "small" });
    const button = (n) => {
      const made_ = made("button", { type: "button", class: "button" }, `To passage ${n} `, made("kbd", {}, String(n)));
      made_.addEventListener("mousedown", (event) => event.preventDefault()); // keep the selection
      made_.addEventListener("click", () => this.pick(n));
      return made_;
    };
    this.pickBar = made("div", { class: "pick-bar", hidden: "" }, button(1), button(2), this.picked);
    pane.prepend(this.pickBar);
    document.addEventListener("selectionchange", () => this.selectionChanged());
    document.addEventListener("keydown", (event) => this.pickByKey(event));
  }

  selection() {
    const selected = document.getSelection();
    if (!selected || selected.isCollapsed || !selected.rangeCount) return null;
    const holder = selected.anchorNode.parentElement?.closest(".article-text, .tagged-block");
    return holder && this.contains(holder) ? { holder, range: selected.getRangeAt(0) } : null;
  }

  selectionChanged() {
    const selected = this.selection();
    this.pickBar.hidden = !selected || !this.open;
    if (selected) this.picked.textContent = `${copiedText(selected.range.cloneContents()).split(/\s+/).length} words selected`;
  }

  /** Passages are open once the tag is called valid. */
  get open() {
    return this.cell("passage_1_copied")?.checkVisibility() ?? false;
  }

  pickByKey(event) {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    const plain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.isComposing;
    if (typing || !plain || this.dataset.shortcuts !== "on" || !["1", "2"].includes(event.key)) return;
    if (this.selection() && this.open) {
      event.preventDefault();
      this.pick(Number(event.key));
    }
  }

  /** The selected text into the copied passage, after what is there; the article's title where none is given. */
  pick(n) {
    const { holder, range } = this.selection();
    const text = copiedText(range.cloneContents());
    const box = textControl(this.cell(`passage_${n}_copied`));
    box.focus();
    box.setSelectionRange(box.value.length, box.value.length);
    write(box, (box.value && !box.value.endsWith("\n") ? "\n" : "") + text, { replace: false });
    const title = textControl(this.cell(`article_${n}`));
    if (!title.value && holder.dataset.articleTitle) write(title, holder.dataset.articleTitle);
    box.focus();
  }
}

/** Why the server did not save: its own sentence, or what a missing session means. */
function refusal(info) {
  if (info?.error) return info.error;
  return "You are signed out, or may not do this. Sign in in another tab, then reload this page.";
}

/** A value as text for comparing. */
function inWords(value) {
  if (Array.isArray(value)) return value.map((item) => (typeof item === "string" ? item : Object.values(item).filter((cell) => typeof cell === "string").join("\n"))).join("\n\n") || "(empty)";
  return value === null || value === "" || value === undefined ? "(empty)" : String(value);
}

customElements.define("annotate-desk", AnnotateDesk);
