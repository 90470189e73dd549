// A cursor for the article, which cannot be selected by keyboard otherwise: it selects a sentence, a row, an item or a
// caption. Citation marks and tags are no part of a sentence and end none. It goes on from where one is in the article: see
// the places of <evidence-panes>.

import { sentenceSpans } from "../sentences.js";
import { elementOf, linesOf, NOISE, pointAt, textsIn, unitOf } from "./article-text.js";

const ASIDES = "span.caption, span.note, span.hatnote"; // at the end of an item, on lines of their own
const ABOVE = 6; // pixels between two lines

export class SentenceCursor {
  constructor(panes) {
    this.panes = panes;
    document.addEventListener("selectionchange", () => this.follow());
    panes.addEventListener("pointerdown", (event) => this.pressed(event));
    panes.addEventListener("click", (event) => this.clicked(event));
  }

  /** One on or back, or with 0 the one that is here; with `extend` the selection grows or shrinks. */
  move(step, extend) {
    this.follow(); // the browser tells of a selection with the next frame
    const article = [...this.panes.querySelectorAll(".article-text")].find((each) => each.checkVisibility());
    const { at, anchor } = article ? this.panes.placeIn(article) : {};
    const all = article ? onTheWay(article, at) : [];
    if (!all.length) return;
    let here = all.findIndex((stop) => stop.compareBoundaryPoints(Range.START_TO_END, at) > 0);
    if (here < 0) here = all.length;
    const isOn = anchor || (step < 0 && all[here]?.comparePoint(at.startContainer, at.startOffset) !== 0);
    const next = Math.min(Math.max(isOn ? here + step : here, 0), all.length - 1);
    this.select(article, all[next], extend && this.isHere ? anchor : null);
  }

  select(article, stop, anchor = null) {
    const [one, other] = [anchor ?? stop, stop];
    const [first, last] = one.compareBoundaryPoints(Range.START_TO_START, other) > 0 ? [other, one] : [one, other];
    document.getSelection().setBaseAndExtent(first.startContainer, first.startOffset, last.endContainer, last.endOffset);
    this.own = document.getSelection().getRangeAt(0).cloneRange();
    this.panes.places.set(article, { at: stop, anchor: one });
    this.panes.reveal(article, stop);
  }

  /** What a person selects or clicks in an article is where they are in it. */
  follow() {
    const chosen = document.getSelection();
    const article = chosen.rangeCount && elementOf(chosen.getRangeAt(0).startContainer)?.closest(".article-text");
    if (article && this.panes.contains(article) && !this.isHere) this.panes.put(article, chosen.getRangeAt(0));
  }

  /** Whether the cursor's own sentences are selected. */
  get isHere() {
    const chosen = document.getSelection();
    if (!this.own || !chosen.rangeCount) return false;
    const range = chosen.getRangeAt(0);
    return [Range.START_TO_START, Range.END_TO_END].every((ends) => range.compareBoundaryPoints(ends, this.own) === 0);
  }

  /** A press of the mouse begins a new selection; on selected text the browser would begin to drag that. */
  pressed({ button, shiftKey, pointerType, target }) {
    this.before = this.isHere ? this.own : null;
    const isOnText = target.closest(".article-text > *");
    if (this.before && isOnText && button === 0 && !shiftKey && pointerType === "mouse") document.getSelection().removeAllRanges();
  }

  /** The sentence that is clicked; once more and nothing is selected. */
  clicked(event) {
    const article = event.target.closest(".article-text");
    if (!article || event.detail !== 1 || !document.getSelection().isCollapsed || event.target.closest("a, button, summary")) return;
    const stop = clickedStop(article, event);
    if (!stop) return;
    if (this.before?.compareBoundaryPoints(Range.START_TO_START, stop) === 0) this.panes.put(article, stop);
    else this.select(article, stop);
  }
}

/** A mark belongs to what it comes after. */
function clickedStop(article, { target, clientX: x, clientY: y }) {
  const unit = partOf(target, article);
  const here = [...stops(article)].filter((stop) => unit.contains(stop.startContainer));
  const mark = target.closest(NOISE);
  if (mark) return here.findLast((stop) => stop.comparePoint(mark, 0) >= 0);
  return here.find((stop) => [...stop.getClientRects()].some(({ left, right, top, bottom }) => left <= x && x <= right && top - ABOVE <= y && y <= bottom + ABOVE));
}

/** The rows of an infobox are stops for who is in it, and not on the way from one section to the next. */
function onTheWay(article, at) {
  const box = infoboxOf(at);
  const all = [...stops(article)];
  const open = all.filter((stop) => [null, box].includes(infoboxOf(stop)));
  return open.length ? open : all;
}

const infoboxOf = (range) => elementOf(range.startContainer).closest(".infobox");

/** Where the cursor can stop in an article, in order. */
export function* stops(article) {
  for (const [part, texts] of partsOf(article)) {
    if (!texts.some((node) => node.data.trim())) continue;
    if (part.nodeName === "TR") yield around(part);
    else for (const line of linesOf(texts)) yield* sentencesOf(line);
  }
}

const partOf = (element, article) => element.closest("tr") ?? element.closest(ASIDES) ?? unitOf(element) ?? article;

/** The texts of each row, line or paragraph; what is in another, as an item in an item, is that one's. Headings are none. */
function partsOf(article) {
  const parts = new Map();
  for (const node of textsIn(article)) {
    if (node.parentElement.closest("h3, h4, h5, h6")) continue;
    const part = partOf(node.parentElement, article);
    if (!parts.has(part)) parts.set(part, []);
    parts.get(part).push(node);
  }
  return parts;
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
