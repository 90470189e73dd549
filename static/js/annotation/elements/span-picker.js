// The passage above the claims: words that one selects in it become the contradicted span, and are marked in it.

import { located, read, textOf, toggled, trimmed, wordsIn, written } from "../spans.js";
import { textControl } from "../entries.js";
import { pointAt, textsIn } from "./article-text.js";
import { button, made, write } from "../../shared/dom.js";

export class SpanPicker {
  constructor(n, cellOf) {
    this.cellOf = cellOf;
    this.n = n;
    this.ranges = [];
    this.text = null;
    this.words = made("div", { class: "span-words", dir: "auto", tabindex: "0", role: "group", "aria-label": `Passage ${n}: select its contradicted words` });
    const take = button("Take the selection ", () => this.take());
    take.append(made("kbd", { "aria-hidden": "true" }, "s"));
    take.addEventListener("mousedown", (event) => event.preventDefault()); // keep the selection
    this.element = made("section", { class: `passage span-passage passage-${n}` }, made("h3", {}, `Passage ${n}`), this.words, take);
    this.words.addEventListener("keydown", (event) => this.keyed(event));
    this.words.addEventListener("pointerup", ({ button: pressed }) => {
      if (pressed === 0) setTimeout(() => this.take());
    });
  }

  passage(form) {
    return textControl(this.cellOf(`passage_${this.n}_${form}`)).value;
  }

  get span() {
    return textControl(this.cellOf(`span_${this.n}`));
  }

  get place() {
    return this.cellOf(`span_${this.n}_at`).querySelector("input");
  }

  /** The passage as it is now, with the span marked where it is. */
  show() {
    const standalone = this.passage("standalone");
    const text = standalone.trim() ? standalone : this.passage("copied");
    const chosen = read(text, this.place.value, this.span.value);
    if (!chosen) this.place.value = ""; // the passage or the span is another now
    const ranges = chosen ?? located(text, this.span.value);
    if (text === this.text && String(ranges) === String(this.ranges)) return;
    this.text = text;
    this.ranges = ranges;
    this.words.replaceChildren(...pieces(text, ranges));
    if (!text) this.words.append(made("span", { class: "muted" }, "Empty: see step 2."));
  }

  /** What is selected here joins the span, or leaves it; false where nothing is selected here. */
  take() {
    const range = this.selected();
    if (!range) return false;
    const ranges = toggled(this.text, this.ranges, range);
    this.place.value = written(this.text, ranges);
    write(this.span, textOf(this.text, ranges));
    this.words.focus({ preventScroll: true });
    this.show();
    this.select(range);
    return true;
  }

  selected() {
    const selection = document.getSelection();
    if (!this.text || !selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!this.words.contains(range.commonAncestorContainer)) return null;
    const before = document.createRange();
    before.setStart(this.words, 0);
    before.setEnd(range.startContainer, range.startOffset);
    const start = before.toString().length;
    return trimmed(this.text, [start, start + range.toString().length]);
  }

  /** By keyboard: the arrows go from word to word, with Shift they take one more. */
  keyed(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const words = by && this.text ? wordsIn(this.text) : [];
    if (!words.length) return;
    event.preventDefault();
    const range = this.selected();
    const first = range ? words.findIndex(([, end]) => end > range[0]) : by > 0 ? -1 : words.length;
    const last = range ? words.findLastIndex(([start]) => start < range[1]) : first;
    const next = Math.min(Math.max((by > 0 ? last : event.shiftKey ? last : first) + by, 0), words.length - 1);
    const from = event.shiftKey && range ? Math.min(first, next) : next;
    this.select([words[from][0], words[next][1]]);
  }

  select([start, end]) {
    const texts = textsIn(this.words);
    document.getSelection().setBaseAndExtent(...pointAt(texts, start, false), ...pointAt(texts, end, true));
  }
}

function pieces(text, ranges) {
  const nodes = [];
  let at = 0;
  for (const [start, end] of ranges) {
    nodes.push(text.slice(at, start), made("mark", {}, text.slice(start, end)));
    at = end;
  }
  return [...nodes, text.slice(at)].filter((node) => node !== "");
}
