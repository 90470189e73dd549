// A search through the words of an article: what matches is highlighted, and Enter goes from one to the next.

import { made } from "./dom.js";

const MOST = 1000; // matches; more would not be gone through one by one

export class ArticleSearch {
  constructor(article, scrollTo) {
    this.article = article;
    this.scrollTo = scrollTo;
    this.box = made("input", { type: "search", "aria-label": "Search in the article", placeholder: "Search", autocomplete: "off" });
    this.count = made("output", { class: "small muted" });
    this.element = made("span", { class: "article-search" }, this.box, this.count);
    this.box.addEventListener("input", () => this.look());
    this.box.addEventListener("keydown", (event) => this.keyed(event));
  }

  focus() {
    this.box.focus();
    this.box.select();
  }

  keyed(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      this.go(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      this.article.focus({ preventScroll: true });
    }
  }

  look() {
    this.found = this.box.value.trim() ? matches(this.article, this.box.value.trim()) : [];
    this.at = -1;
    paint("found", this.found);
    if (this.found.length) this.go(1);
    else this.say();
  }

  go(by) {
    if (!this.found?.length) return;
    this.at = (this.at + by + this.found.length) % this.found.length;
    paint("found-now", [this.found[this.at]]);
    this.scrollTo(this.found[this.at]);
    this.say();
  }

  say() {
    if (!this.box.value.trim()) this.count.value = "";
    else if (!this.found.length) this.count.value = "not found";
    else this.count.value = `${this.at + 1} of ${this.found.length}${this.found.length === MOST ? "+" : ""}`;
    if (!this.found.length) paint("found-now", []);
  }
}

function paint(name, ranges) {
  globalThis.CSS?.highlights?.set(name, new Highlight(...ranges));
}

/** Ranges of the words in the article's text, whatever elements they cross; case does not count. */
function matches(article, words) {
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  const nodes = [];
  let text = "";
  while (walker.nextNode()) {
    nodes.push([text.length, walker.currentNode]);
    text += walker.currentNode.data;
  }
  const pattern = new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+"), "gi");
  const found = [];
  let node = 0;
  for (const match of text.matchAll(pattern)) {
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

function nodeAt(nodes, at, from) {
  let node = from;
  while (node + 1 < nodes.length && nodes[node + 1][0] <= at) node += 1;
  return node;
}
