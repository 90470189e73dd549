// <judge-desk>: one item after the other without a reload. The item's form works by itself; here its buttons
// are answered at once, the verdicts travel by the outbox, and the next items are fetched ahead.

import { Both } from "./both-entries.js";
import { itemsAfter, send, Store } from "../door.js";
import { Hotkeys, KeySheet, leaveField } from "../../keys/hotkeys.js";
import { began, made, whyRefused } from "../../shared/dom.js";
import { Outbox } from "../outbox.js";
import { Queue } from "../queue.js";
import { Watch } from "../watch.js";

const FETCH_BELOW = 12;
const CHOICES = "123456"; // a scale has at most six verdicts

const WORDS = {
  saving: (count) => (count > 1 ? `Saving ${count}…` : "Saving…"),
  saved: () => `Saved ${new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })}`,
  unreachable: (count) => `Offline. ${count} of your entries wait here and are sent when the server answers again.`,
  unsaved: (count) => `Not saved: ${count} ${count > 1 ? "entries" : "entry"}. The reason is shown below.`,
};

class JudgeDesk extends HTMLElement {
  #items = new Map();
  #queue = new Queue();
  #watch = new Watch();
  #shown = null; // the article that the watch is for, and since when it is on the screen
  #shownAt = 0;
  #fetching = null;
  #exhausted = false;
  #said = "";
  #sending = "";
  #wake = () => {};
  #both = null;

  connectedCallback() {
    this.keys = new Hotkeys(this.dataset.shortcuts === "on");
    this.sheet = new KeySheet(this.#part("sheet"), this.keys);
    this.outbox = new Outbox({
      send,
      store: this.#kept("outbox", this.dataset.study),
      pause: (time) => this.#pause(time),
      onState: (state, count, refused) => this.#showState(state, count, refused),
      onStored: (entry, data) => this.#stored(entry, data),
      onStale: (entry, details) => {
        this.#said = "";
        this.#both.show(entry, details);
      },
      onRefused: (entry, message) => {
        this.#said = "";
        this.#showTrouble(entry, message);
      },
    });
    this.#both = new Both(this.#part("both"), this.#kept("both", this.dataset.study), {
      labelOf: (verdict) => this.querySelector(`.judging-choice[value="${verdict}"]`)?.dataset.label ?? verdict,
      keep: (entry, details) => this.#keptElsewhere(entry, details),
      store: (entry) => this.outbox.push(entry),
    });
    for (const page of this.#both.pages) this.outbox.hold(page);
    this.#listen();
    this.#register();
    if (this.outbox.pending) this.#sendLeftovers();
    else this.#begin();
  }

  get #article() {
    return this.#items.get(this.#queue.current) ?? null;
  }

  get #draws() {
    return this.dataset.draws === "yes";
  }

  #part(name, within = this) {
    return within.querySelector(`[data-part="${name}"]`);
  }

  /** Named by the person too: another one may sign in in this tab. */
  #kept(what, of) {
    return new Store(`judging:${what}:${this.dataset.person}:${of}`);
  }

  get #stateLine() {
    return document.querySelector("#judging-state");
  }

  #begin() {
    const first = this.#part("stage").querySelector("article");
    this.#take([first]);
    this.#queue.advance();
    this.#arrive(first);
    this.#fetchAhead();
  }

  /** Verdicts from before a reload go first; then the page starts where the server then says, or here where it says why not. */
  async #sendLeftovers() {
    this.outbox.run();
    await this.outbox.idle();
    if (this.outbox.unsaved) this.#begin();
    else location.replace(this.dataset.next);
  }

  #take(articles) {
    for (const article of articles) {
      if (!this.#items.has(article.dataset.slot)) this.#items.set(article.dataset.slot, article);
    }
    this.#queue.add(articles.map((article) => article.dataset.slot));
    this.dataset.ahead = this.#queue.left;
  }

  // Entering

  #give(button) {
    const article = this.#article;
    if (!article || button.disabled) return;
    const comment = this.#part("comment", article).value;
    const body = { verdict: button.value, comment, seconds: this.#watch.seconds };
    this.#press(article, button.value);
    this.#queue.settle(article.dataset.slot, true);
    const said = this.#enter(article, "verdict", body, button.dataset.label);
    this.#say(`${said}.${button.querySelector(".judging-unusual") ? " Unusual for its prompt." : ""}`);
    this.#goOn();
  }

  #next() {
    const article = this.#article;
    if (!article) return;
    const pressed = article.querySelector('.judging-choice[aria-pressed="true"]');
    if (!pressed) {
      document.activeElement?.blur();
      this.#say("Give a verdict first.");
    } else if (pressed.disabled) {
      this.#goOn();
    } else {
      this.#give(pressed);
    }
  }

  #undo() {
    const slot = this.#queue.undo();
    if (slot === null && this.dataset.undoable === "no" && !this.#queue.hasForgotten) {
      return this.#say("There is no verdict to take back.");
    }
    if (slot === null) return void this.outbox.idle().then(() => this.#undoOlder());
    const article = this.#items.get(slot);
    this.#press(article, "");
    this.#say(`${this.#enter(article, "undo", {}, "Undone")}.`);
    this.#show(article);
  }

  /** By the form, whose address counts the verdicts as of the page's start. */
  #undoOlder() {
    this.#undoForm.action = this.#undoForm.action.split("?")[0];
    this.#undoForm.submit();
  }

  #skip(article) {
    const reason = this.#part("reason", article);
    if (!reason.value.trim()) return this.#open(article, ".judging-skip", "Write why you skip this item.");
    if (article.dataset.verdict) return this.#say("Undo the verdict first (u).");
    this.#queue.settle(article.dataset.slot, false);
    this.#say(`${this.#enter(article, "skip", { reason: reason.value }, "Skipped")}.`);
    this.#goOn();
  }

  #flag(article, flagged) {
    const note = this.#part("flag-note", article).value;
    article.querySelector(".judging-flag > summary").textContent = flagged ? "Flagged" : "Flag";
    this.#say(`${this.#enter(article, "flag", { flagged, note }, flagged ? "Flagged" : "Flag removed")}.`);
  }

  /** Returns what was entered and for which item: the next one is shown while that is read. */
  #enter(article, act, body, what) {
    this.#forget(article);
    const { api, url: page, version, position } = article.dataset;
    const label = `Item ${position}: ${what}`;
    this.outbox.push({ url: `${api}${act}/`, body, label, item: `item ${position}`, page, version: Number(version) });
    return label;
  }

  #stored(entry, data) {
    this.#showProgress(data.progress);
    this.#both.settle(entry);
    this.#setVersion(data.slot, data.version);
  }

  #setVersion(slot, version) {
    const article = this.#items.get(slot);
    if (!article) return;
    article.dataset.version = version;
    article.querySelector('[name="version"]').value = version;
  }

  /** What another tab stored stays: the item shows it. */
  #keptElsewhere(entry, { version, stored }) {
    this.outbox.settle(entry.page);
    const article = [...this.#items.values()].find((one) => one.dataset.url === entry.page);
    if (!article) return;
    this.#setVersion(article.dataset.slot, version);
    this.#press(article, stored.verdict);
    const comment = this.#part("comment", article);
    if (comment) comment.value = stored.comment;
  }

  #press(article, verdict) {
    article.dataset.verdict = verdict;
    for (const button of article.querySelectorAll(".judging-choice")) {
      button.setAttribute("aria-pressed", String(button.value === verdict && verdict !== ""));
    }
  }

  // Moving

  async #goOn() {
    this.#queue.advance();
    if (this.#article) this.#show(this.#article);
    else await this.#waitForMore();
    this.#fetchAhead();
  }

  async #waitForMore() {
    const waiting = document.createElement("p");
    waiting.className = "judging-waiting";
    waiting.textContent = this.#exhausted ? "Saving your last verdicts…" : "Loading the next item…";
    this.#part("stage").replaceChildren(waiting);
    while (!this.#article && !this.#exhausted) {
      if (this.#draws) await this.outbox.idle();
      if (!(await this.#fetchAhead())) await this.#pause(2000);
    }
    if (this.#article) return this.#show(this.#article);
    await this.outbox.idle();
    location.assign(this.dataset.next);
  }

  #show(article) {
    this.#part("stage").replaceChildren(article);
    this.#shownAt = performance.now();
    history.replaceState(null, "", article.dataset.url);
    this.#undoForm.elements.slot.value = article.dataset.slot;
    this.#arrive(article);
    window.scrollTo(0, 0);
    article.querySelector(".judging-question").focus({ preventScroll: true });
  }

  #arrive(article) {
    if (this.#shown) this.#shown.dataset.seconds = this.#watch.seconds;
    this.#shown = article;
    this.#watch.restart(Number(article.dataset.seconds ?? 0));
    const comment = this.#part("comment", article);
    const kept = this.#kept("comment", article.dataset.slot).read();
    if (comment && kept.length && !comment.value) comment.value = kept;
  }

  /** Fetch more items when few are left; true when that could be asked, false when it failed. */
  #fetchAhead() {
    if (this.#exhausted || this.#queue.left >= FETCH_BELOW) return Promise.resolve(true);
    // A pool gives nothing to a full hand. Only to an empty one, all verdicts stored, does nothing mean the end.
    const mayBeFull = this.#draws && (this.#article !== null || this.outbox.pending > 0);
    this.#fetching ??= itemsAfter(this.#items.get(this.#queue.last).dataset.url, this.#draws).then((articles) => {
      this.#fetching = null;
      if (articles === "signed_out" && !this.#article) this.#showState(articles);
      if (!Array.isArray(articles)) return false;
      this.#exhausted = articles.length === 0 && !mayBeFull;
      this.#take(articles);
      return true;
    });
    return this.#fetching;
  }

  // Saying

  #say(words) {
    this.#said = words;
    this.#renderState();
  }

  #showState(state, count, refused) {
    this.#stateLine.dataset.state = state;
    this.#sending = state === "signed_out" ? made("span", {}, ...whyRefused(refused)) : WORDS[state](count);
    this.#renderState();
  }

  #renderState() {
    const parts = [this.#said, this.#sending];
    if (this.#stateLine.dataset.state === "unsaved") parts.reverse(); // what was said is of a later entry
    this.#stateLine.replaceChildren(...parts.filter(Boolean).flatMap((part) => [part, " "]));
  }

  #showProgress({ judged, skipped, total }) {
    const bar = document.querySelector(".page-actions progress");
    bar.value = judged + skipped;
    bar.max = total;
    document.querySelector(".page-actions .progress-words").textContent = `Judged or skipped: ${judged + skipped} of ${total}`;
  }

  #showTrouble(entry, message) {
    const box = this.#part("trouble");
    const line = document.createElement("p");
    const link = Object.assign(document.createElement("a"), { href: entry.page, textContent: "Open the item" });
    line.append(`“${entry.label}” was not stored: ${message} `, link);
    box.append(line);
    box.hidden = false;
  }

  #open(article, selector, words) {
    const details = article.querySelector(selector);
    if (!details) return;
    details.open = true;
    details.querySelector("textarea").focus();
    if (words) this.#say(words);
  }

  #forget(article) {
    this.#kept("comment", article.dataset.slot).write("");
  }

  // Listening

  get #undoForm() {
    return document.querySelector("#judging-undo");
  }

  /** Whether the press began when the item was on the screen already: none counts for an item that nobody could read. */
  #isSeen(event) {
    return began(event) >= this.#shownAt;
  }

  #listen() {
    this.addEventListener("click", (event) => {
      if (!this.#isSeen(event)) event.preventDefault();
    }, true);
    this.addEventListener("submit", (event) => this.#submitted(event));
    this.addEventListener("input", (event) => {
      if (event.target.dataset.part !== "comment") return;
      const slot = event.target.closest("article").dataset.slot;
      this.#kept("comment", slot).write(event.target.value);
    });
    document.addEventListener("keydown", (event) => {
      if (!this.sheet.isOpen) this.keys.handle(event);
    });
    window.addEventListener("online", () => this.#wake());
    window.addEventListener("beforeunload", (event) => {
      if (this.outbox.pending) event.preventDefault();
    });
    this.#undoForm.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#undo();
    });
    const help = document.querySelector("#judging-keys");
    help.hidden = false;
    help.addEventListener("click", () => this.sheet.open());
  }

  #submitted(event) {
    const button = event.submitter;
    const article = event.target.closest("article");
    if (!article || !button) return;
    event.preventDefault();
    if (button.name === "verdict") this.#give(button);
    else if (button.dataset.act === "skip") this.#skip(article);
    else this.#flag(article, button.dataset.act === "flag");
  }

  #register() {
    for (const key of CHOICES) {
      this.keys.add(key, () => this.#choice(key)?.dataset.label, (event) => this.#isSeen(event) && this.#giveBy(key));
    }
    this.keys.add("Enter", "Next item, if this one has a verdict", (event) => this.#isSeen(event) && this.#next());
    this.keys.add("Ctrl+Enter", "The same from inside a text field; there, skip or flag", (event) => {
      if (!this.#isSeen(event)) return;
      const button = event.target.closest("details")?.querySelector("[data-act]");
      if (button) button.click();
      else this.#next();
    });
    this.keys.add("c", "Write a comment", () => this.#part("comment", this.#article ?? this)?.focus());
    this.keys.add("u", "Undo the last verdict", () => this.#undo());
    this.keys.add("s", "Skip this item, with a reason", () => this.#article && this.#open(this.#article, ".judging-skip"));
    this.keys.add("f", "Flag this item for the admin", () => this.#article && this.#open(this.#article, ".judging-flag"));
    this.keys.add("h", "How to judge", () => this.querySelector(".judging-rules")?.toggleAttribute("open"));
    this.keys.add("Escape", "Leave a text field", leaveField);
    this.keys.add("?", "Show these keys", () => this.sheet.open());
  }

  /** The shown item's button for this key: items of other prompts may have more or fewer. */
  #choice(key) {
    return this.#article?.querySelector(`.judging-choice[data-hotkey="${key}"]`);
  }

  #giveBy(key) {
    const button = this.#choice(key);
    if (button) this.#give(button);
  }

  #pause(time) {
    return new Promise((done) => {
      this.#wake = done;
      setTimeout(done, time);
    });
  }
}

customElements.define("judge-desk", JudgeDesk);
