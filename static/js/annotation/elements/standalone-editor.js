// Below a stand-alone passage: how it differs from the copy, and names for the words that point elsewhere.

import { difference, inPlace, names, pointers, rowSentence } from "../standalone.js";
import { sentenceSpans } from "../sentences.js";
import { textControl } from "../entries.js";
import { button, made, turn, write } from "../../shared/dom.js";

const TABULAR = new Set(["table", "infobox"]);

export class StandaloneEditor {
  constructor(n, cellOf) {
    this.n = n;
    this.cellOf = cellOf;
    this.box = made("div", { class: "standalone-help small" });
    this.cell = cellOf(`passage_${n}_standalone`);
    this.same = made("p", { class: "standalone-same" }, button("Same as copied, edit", () => this.write(), { "aria-label": `Passage ${n}, stand-alone: same as copied, edit` }));
    this.cell.append(this.same, this.box);
  }

  value(name) {
    return textControl(this.cellOf(name)).value;
  }

  get text() {
    return this.value(`passage_${this.n}_standalone`);
  }

  /** Read the form again; called after each change. */
  show() {
    const copy = this.value(`passage_${this.n}_copied`);
    const state = JSON.stringify([copy, this.text, this.value("article_1"), this.value("article_2"), this.isTabular]);
    if (state === this.state) return;
    this.state = state;
    // Opened it stays open, also where nothing is changed then.
    this.cell.toggleAttribute("data-same", copy.trim() !== "" && copy === this.text && !this.cell.contains(document.activeElement));
    const parts = [this.starts(copy), this.changes(copy), this.offers(copy)];
    const focused = this.box.contains(document.activeElement);
    this.box.replaceChildren(...parts.filter(Boolean));
    if (focused) (this.box.querySelector("button") ?? textControl(this.cell)).focus({ preventScroll: true });
  }

  get isTabular() {
    return TABULAR.has(this.cellOf(`modality_${this.n}`).querySelector("input:checked")?.value);
  }

  /** While nothing is written: what to begin with. */
  starts(copy) {
    if (!copy.trim() || this.text.trim()) return null;
    const title = this.value(`article_${this.n}`);
    const draft = this.isTabular ? rowSentence(title, copy) : copy;
    const words = this.isTabular ? "Begin with a sentence of the row" : "Begin with the copy";
    return draft ? made("p", {}, button(words, () => this.set(draft))) : null;
  }

  changes(copy) {
    if (!copy.trim() || !this.text.trim() || copy === this.text) return null;
    const parts = difference(copy, this.text);
    if (!parts) return null;
    const shown = parts.map(([kind, text]) => (kind === "same" ? text : made(kind === "new" ? "ins" : "del", {}, text)));
    const line = made("p", { class: "standalone-diff", translate: "no", "aria-label": `Changes to the copy of passage ${this.n}` }, ...shown);
    turn(line, this.text);
    return line;
  }

  /** For each word that points elsewhere, in the text or else in the copy, the names that may stand for it. */
  offers(copy) {
    const text = this.text.trim() ? this.text : copy;
    const end = sentenceSpans(text)[0]?.[1] ?? 0;
    const titles = [this.value(`article_${this.n}`), this.value(`article_${3 - this.n}`)];
    const known = names(titles, [this.value("passage_1_copied"), this.value("passage_2_copied")]);
    const lines = pointers(text, end).map((pointer) => this.offer(text, pointer, known));
    return known.length && lines.length ? made("ul", { class: "standalone-offers", translate: "no" }, ...lines) : null;
  }

  offer(text, { start, end, word }, known) {
    const chips = known.map((name) => {
      const words = inPlace(word, name);
      return button(words, () => this.set(text.slice(0, start) + words + text.slice(end)), { "aria-label": `${words} in place of ${word}`, dir: "auto" });
    });
    return made("li", {}, made("span", {}, "“", made("mark", { dir: "auto" }, word), "” →"), ...chips);
  }

  /** Go and write: a row has a first sentence to change, a text begins as its copy. */
  write() {
    this.show();
    this.cell.removeAttribute("data-same");
    const begin = this.box.querySelector("p > button");
    if (begin) begin.click();
    textControl(this.cell).focus();
  }

  set(text) {
    write(textControl(this.cell), text);
    this.show();
  }
}
