// A cursor for the article, which cannot be selected by keyboard otherwise: it selects a sentence, a row, an item or a
// caption. Citation marks and tags are no part of a sentence and end none.

import { sentenceSpans } from "../sentences.js";
import { pointAt, textsIn } from "./article-text.js";

const ASIDES = "span.caption, span.note, span.hatnote"; // at the end of an item, on lines of their own
const UNITS = "p, li, caption, dd, dt, figcaption, blockquote, pre, td, th, div";
const HEADINGS = "h1, h2, h3, h4, h5, h6";

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
    if (!this.isHere) this.anchor = null; // something else was selected since
    const next = this.at === null ? this.first(ranges) : this.at + step;
    this.at = Math.min(Math.max(next, 0), ranges.length - 1);
    if (!extend || this.anchor === null) this.anchor = this.at;
    const start = ranges[Math.min(this.anchor, this.at)];
    const end = ranges[Math.max(this.anchor, this.at)];
    this.selected = start.startContainer;
    document.getSelection().setBaseAndExtent(start.startContainer, start.startOffset, end.endContainer, end.endOffset);
    elementOf(ranges[this.at].startContainer).scrollIntoView({ block: "nearest" });
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
    const articles = [...this.pane.querySelectorAll(".article-text")].filter((article) => article.checkVisibility());
    return articles.flatMap((article) => [...stops(article)]);
  }
}

const elementOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement);

/** Where the cursor stops in an article, in order. */
export function* stops(article) {
  for (const [unit, texts] of unitsOf(article)) {
    if (!texts.some((node) => node.data.trim())) continue;
    if (unit.nodeName === "TR") yield around(unit);
    else for (const line of linesOf(texts)) yield* sentencesOf(line);
  }
}

/** A <br> ends a line, and with it a sentence. */
function linesOf(texts) {
  const lines = [];
  for (const node of texts) {
    if (!lines.length || isAfterBreak(node)) lines.push([]);
    lines.at(-1).push(node);
  }
  return lines;
}

function isAfterBreak(node) {
  let at = node;
  while (!at.previousSibling && !at.parentElement.matches(UNITS)) at = at.parentElement;
  return at.previousSibling?.nodeName === "BR";
}

/** The texts of each row, line or paragraph; what is in another unit, as an item in an item, is that one's. */
function unitsOf(article) {
  const units = new Map();
  for (const node of textsIn(article)) {
    const at = node.parentElement;
    if (at.closest(HEADINGS)) continue;
    const unit = at.closest("tr") ?? at.closest(ASIDES) ?? at.closest(UNITS) ?? article;
    if (!units.has(unit)) units.set(unit, []);
    units.get(unit).push(node);
  }
  return units;
}

function around(row) {
  const range = document.createRange();
  range.selectNodeContents(row);
  return range;
}

function* sentencesOf(texts) {
  // A line feed in the source is a blank; the browser's rules would end a sentence there.
  const whole = texts.map((node) => node.data).join("").replace(/[\n\r\t\f]/g, " ");
  for (const [start, end] of sentenceSpans(whole)) {
    if (!/[\p{L}\p{N}]/u.test(whole.slice(start, end))) continue; // a full stop between two marks
    const range = document.createRange();
    range.setStart(...pointAt(texts, start, false));
    range.setEnd(...pointAt(texts, end, true));
    yield range;
  }
}
