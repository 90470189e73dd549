// The card of a passage: words that one selects in it while the claims are written become the contradicted span, and are
// marked in it.

import { holds } from "../folding.js";
import { lines, located, read, textOf, toggled, written } from "../spans.js";
import { textControl } from "../entries.js";
import { wholeWords, wordsIn } from "../words.js";
import { pointAt, textsIn } from "./article-text.js";
import { button, made, turn, write } from "../../shared/dom.js";

export class SpanPicker {
  constructor(n, cellOf) {
    this.cellOf = cellOf;
    this.n = n;
    this.ranges = [];
    this.text = null;
    const card = document.querySelector(`[data-passage-card="${n}"]`);
    this.words = card.querySelector(".span-words");
    this.words.setAttribute("aria-label", `Passage ${n}: select its contradicted words`);
    this.lost = card.querySelector(".span-lost");
    const take = button("Take the selection ", () => this.take() || this.ask());
    take.append(made("kbd", { "aria-hidden": "true" }, "s"));
    take.addEventListener("mousedown", (event) => event.preventDefault()); // keep the selection
    card.querySelector("h3").append(take);
    this.words.addEventListener("keydown", (event) => this.keyed(event));
    this.words.addEventListener("pointerdown", () => { this.isExact = false; });
    this.words.addEventListener("pointerup", ({ button: pressed }) => {
      // In another step a selection is for reading or copying; the key takes it there too.
      clearTimeout(this.taking); // of a double click only the second press counts
      if (pressed === 0 && this.span.closest("[data-current]")) this.taking = setTimeout(() => this.take());
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
    const span = this.span.value;
    this.lost.hidden = !text || ["copied", "standalone"].some((form) => holds(this.passage(form), span));
    if (text && this.lost.hidden) this.held = span;
    this.lost.querySelector("span").hidden = this.held !== span;
    this.lost.querySelector("bdi").textContent = span;
    if (text === this.text && String(ranges) === String(this.ranges)) return;
    this.text = text;
    this.ranges = ranges;
    this.words.replaceChildren(...pieces(text, ranges));
    turn(this.words, text);
    const [mark] = this.words.querySelectorAll("mark");
    if (mark) this.words.scrollTop += mark.getBoundingClientRect().top - this.words.getBoundingClientRect().top - this.words.clientHeight / 3;
    if (!text) this.words.append(made("span", { class: "muted" }, "Empty: see step 2."));
  }

  /** What is selected here joins the span, or leaves it; false where nothing is selected here. */
  take() {
    const range = this.selected();
    const added = range ? lines(this.text, range) : [];
    if (!added.length) return false;
    const ranges = toggled(this.text, this.ranges.filter((each) => !this.isNarrower(range, each)), added);
    this.taken = String(range);
    this.place.value = written(this.text, ranges);
    write(this.span, textOf(this.text, ranges));
    this.words.focus({ preventScroll: true });
    this.show();
    this.select(range);
    return true;
  }

  /** Nothing is selected in a passage: say what to do. */
  ask() {
    document.querySelector("[data-said]").textContent = "Nothing is selected. Select words in a passage above.";
  }

  /** Whether by keys a part was left of what had just been taken. */
  isNarrower([start, end], each) {
    return this.isExact && this.taken === String(each) && each[0] <= start && end <= each[1] && end - start < each[1] - each[0];
  }

  /** What is selected here, null where nothing is: whole words, but for what Shift and the arrow keys select. */
  selected() {
    const selection = document.getSelection();
    if (!this.text || !selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!this.words.contains(range.commonAncestorContainer)) return null;
    const before = document.createRange();
    before.setStart(this.words, 0);
    before.setEnd(range.startContainer, range.startOffset);
    const start = before.toString().length;
    const chosen = [start, start + range.toString().length];
    return this.isExact ? chosen : wholeWords(this.text, chosen, this.words.lang);
  }

  /** By keyboard: the arrows go from word to word; with Shift the browser takes more of the text, or less. */
  keyed(event) {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
    const range = this.selected();
    this.isExact = event.shiftKey;
    const words = this.text ? wordsIn(this.text, this.words.lang) : [];
    if ((event.shiftKey && range) || !words.length) return;
    event.preventDefault();
    const isRightToLeft = getComputedStyle(this.words).direction === "rtl";
    const isOn = (event.key === "ArrowRight") !== isRightToLeft;
    const next = isOn ? words.find(([, end]) => end > (range?.[1] ?? 0)) : words.findLast(([start]) => start < (range?.[0] ?? Infinity));
    this.select(next ?? range);
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
