// A search through the words of an article: what matches is highlighted, and one goes from one to the next.

const MOST = 1000; // matches; more would not be gone through one by one

export class ArticleSearch {
  /** `count` shows where one is; `scrollTo(range)` brings it into view. */
  constructor(article, count, scrollTo) {
    this.article = article;
    this.count = count;
    this.scrollTo = scrollTo;
    this.found = [];
  }

  look(words) {
    this.found = words ? matches(this.article, words) : [];
    this.at = -1;
    paint("found", this.found);
    if (this.found.length) this.go(1);
    else {
      paint("found-now", []);
      this.count.value = words ? "not found" : "";
    }
  }

  go(by) {
    if (!this.found.length) return;
    this.at = (this.at + by + this.found.length) % this.found.length;
    paint("found-now", [this.found[this.at]]);
    this.scrollTo(this.found[this.at]);
    this.count.value = `${this.at + 1} of ${this.found.length}${this.found.length === MOST ? "+" : ""}`;
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
