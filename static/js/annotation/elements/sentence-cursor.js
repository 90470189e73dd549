// A cursor for the article, which cannot be selected by keyboard otherwise: it selects a sentence, a row or an item.

import { sentenceSpans } from "../sentences.js";

const UNITS = "p, li, caption, tr, dd, dt, figcaption";
const ASIDES = "span.caption, span.note, span.hatnote"; // at the end of an item, on lines of their own

export class SentenceCursor {
  constructor(pane) {
    this.pane = pane;
    this.anchor = null;
    this.at = null;
  }

  /** One on or back; with `extend` the selection grows or shrinks. Begins at the tagged block. */
  move(step, extend) {
    const ranges = this.ranges();
    if (!ranges.length) return;
    if (!this.isHere) this.anchor = null; // something else was selected, or sent to a passage, since
    const next = this.at === null ? this.first(ranges) : this.at + step;
    this.at = Math.min(Math.max(next, 0), ranges.length - 1);
    if (!extend || this.anchor === null) this.anchor = this.at;
    const start = ranges[Math.min(this.anchor, this.at)];
    const end = ranges[Math.max(this.anchor, this.at)];
    this.selected = start.startContainer;
    document.getSelection().setBaseAndExtent(start.startContainer, start.startOffset, end.endContainer, end.endOffset);
    ranges[this.at].startContainer.parentElement.scrollIntoView({ block: "nearest" });
  }

  get isHere() {
    const selection = document.getSelection();
    const isOn = selection.rangeCount > 0 && !selection.isCollapsed;
    return isOn && selection.getRangeAt(0).startContainer === this.selected;
  }

  first(ranges) {
    const tagged = this.pane.querySelector(".article-text #tagged-block");
    const here = tagged ? ranges.findIndex((range) => tagged.contains(range.startContainer)) : 0;
    return Math.max(here, 0);
  }

  ranges() {
    const units = [...this.pane.querySelectorAll(".article-text")]
      .filter((article) => article.checkVisibility())
      .flatMap((article) => [...article.querySelectorAll(UNITS)]);
    return units.filter((unit) => !unit.querySelector(UNITS)).flatMap((unit) => [...sentencesOf(unit)]);
  }
}

function* sentencesOf(unit) {
  const isRow = unit.matches("tr");
  for (const texts of isRow ? [textsOf(unit)] : linesOf(unit)) {
    const whole = texts.map((node) => node.data).join("");
    if (!whole.trim()) continue;
    const spans = isRow ? [[0, whole.trimEnd().length]] : sentenceSpans(whole);
    for (const [start, end] of spans) {
      const range = document.createRange();
      range.setStart(...pointAt(texts, start, false));
      range.setEnd(...pointAt(texts, end, true));
      yield range;
    }
  }
}

/** The texts of a unit, then those of each caption and note in it. */
function linesOf(unit) {
  const lines = new Map([[null, []]]);
  for (const text of textsOf(unit)) {
    const aside = text.parentElement.closest(ASIDES);
    lines.set(aside, [...(lines.get(aside) ?? []), text]);
  }
  return [...lines.values()];
}

function textsOf(unit) {
  const walker = document.createTreeWalker(unit, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
}

/** The text node and offset of the unit's character `at`; of two that meet there, the earlier one at an end. */
function pointAt(texts, at, isEnd) {
  let left = at;
  for (const node of texts) {
    if (left < node.data.length || (isEnd && left === node.data.length)) return [node, left];
    left -= node.data.length;
  }
  const last = texts.at(-1);
  return [last, last.data.length];
}
