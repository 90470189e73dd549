// A search through the words of an article, from where one is in it: what matches is highlighted. The arrows go from one to
// the next, Enter puts the cursor on its sentence.

import { elementOf, textsIn, unitOf } from "./article-text.js";

const MOST = 1000; // matches; more would not be gone through one by one
const SIGNS = [/[-\u2010-\u2015\u2212]/g, /['\u2018\u2019\u02bc]/g, /["\u201c-\u201f«»]/g]; // few keyboards have all

export class ArticleSearch {
  /** `panes` know where one is in the article; `count` shows which match that is. */
  constructor(panes, article, count) {
    this.panes = panes;
    this.article = article;
    this.count = count;
    this.found = [];
    this.now = null;
    this.from = null; // where one was when the words were begun
  }

  /** New words are looked for from where one is. */
  begin() {
    this.from = null;
  }

  /** The first match from where one was, the tagged block last: one knows that. Without one, one is there again. */
  look(words) {
    this.from ??= this.panes.placeIn(this.article);
    const { at: place, anchor } = this.from;
    const before = anchor ? Range.END_TO_START : Range.START_TO_START;
    this.found = words ? matches(this.article, words) : [];
    paint("found", this.found);
    const ahead = this.found.filter((match) => match.compareBoundaryPoints(before, place) >= 0);
    const order = [...ahead, ...this.found];
    this.show(order.find((match) => !elementOf(match.startContainer).closest(".tagged")) ?? order[0] ?? null);
    if (this.now) return;
    this.panes.places.set(this.article, this.from);
    this.count.value = words ? "not found" : "";
  }

  show(match) {
    this.now = match;
    paint("found-now", match ? [match] : []);
    if (!match) return;
    this.panes.goTo(this.article, match);
    this.count.value = `${this.found.indexOf(match) + 1} of ${this.found.length}${this.found.length === MOST ? "+" : ""}`;
  }

  /** What a key does in the box, which holds these words. */
  keyed(key, words) {
    const { length } = this.found;
    if (key === "Enter") this.enter(words);
    else if (key === "Escape") this.leave();
    else if (length) {
      this.begin();
      this.show(this.found[(this.found.indexOf(this.now) + (key === "ArrowDown" ? 1 : length - 1)) % length]);
    }
  }

  /** The cursor on the sentence of the match that is shown; on the next where it has been there or has gone elsewhere. */
  enter(words) {
    const { at, anchor } = this.panes.placeIn(this.article);
    if (!this.now || anchor || at.compareBoundaryPoints(Range.START_TO_START, this.now) !== 0) {
      this.begin();
      this.look(words);
    }
    if (!this.now) return;
    this.leave();
    this.panes.cursor?.move(0);
  }

  /** Into the article, where the match is. */
  leave() {
    this.begin();
    paint("found", []);
    paint("found-now", []);
    this.article.focus({ preventScroll: true });
  }
}

function paint(name, ranges) {
  globalThis.CSS?.highlights?.set(name, new Highlight(...ranges));
}

/** Ranges of the words in the article, whatever elements, citation marks and tags they cross; case does not count. */
function matches(article, words) {
  const nodes = [];
  let text = "";
  for (const node of textsIn(article)) {
    const last = nodes.at(-1)?.[1];
    if (last && (unitOf(last.parentElement) !== unitOf(node.parentElement) || isBroken(last, node))) text += " "; // between two cells
    nodes.push([text.length, node]);
    text += node.data;
  }
  const found = [];
  let node = 0;
  for (const match of text.matchAll(patternOf(words))) {
    if (found.length === MOST) break;
    const range = document.createRange();
    node = nodeAt(nodes, match.index, node);
    range.setStart(nodes[node][1], match.index - nodes[node][0]);
    const end = nodeAt(nodes, match.index + match[0].length - 1, node);
    range.setEnd(nodes[end][1], match.index + match[0].length - nodes[end][0]);
    found.push(range);
  }
  return found;
}

/** Whether there is a <br> between two texts of a block. */
const isBroken = (one, other) => one.nextSibling?.nodeName === "BR" || other.previousSibling?.nodeName === "BR";

function patternOf(words) {
  const plain = words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+");
  return new RegExp(SIGNS.reduce((pattern, sign) => pattern.replace(sign, sign.source), plain), "gi");
}

function nodeAt(nodes, at, from) {
  let node = from;
  while (node + 1 < nodes.length && nodes[node + 1][0] <= at) node += 1;
  return node;
}
