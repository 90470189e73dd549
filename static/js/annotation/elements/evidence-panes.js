// <evidence-panes>: what there is to read about a tag, one part at a time, and how wide it is. Without this script the parts
// follow each other, and the tabs are links to them.

import { button, composing, made, recalled, remember } from "../../shared/dom.js";

const WIDTH = "sic-et-non:left";
const [LEAST, MOST, STEP] = [25, 75, 2];
const FOOT = 60; // pixels

class EvidencePanes extends HTMLElement {
  connectedCallback() {
    this.tabs = [...this.querySelectorAll(".tabs a")];
    this.panes = this.tabs.map((tab) => this.querySelector(tab.getAttribute("href")));
    this.searches = new Map();
    this.places = new WeakMap(); // by article: where one is in it, and the cursor's first sentence where that is there
    this.cursor = null; // comes with the aids
    this.dataset.live = "";
    this.nameRoles();
    this.addEventListener("click", (event) => this.clicked(event));
    this.querySelector(".tabs").addEventListener("keydown", (event) => this.keyed(event));
    for (const pane of this.panes) this.addTools(pane);
    this.show(Math.max(this.panes.findIndex((pane) => `#${pane.id}` === location.hash), 0));
    this.scrollToTag();
  }

  nameRoles() {
    this.querySelector(".tabs").setAttribute("role", "tablist");
    this.tabs.forEach((tab, index) => {
      const pane = this.panes[index];
      tab.id = `${pane.id}-tab`;
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", pane.id);
      pane.setAttribute("role", "tabpanel");
      pane.setAttribute("aria-labelledby", tab.id);
    });
  }

  get current() {
    return this.panes.findIndex((pane) => !pane.hidden);
  }

  show(index) {
    this.panes.forEach((pane, at) => { pane.hidden = at !== index; });
    this.tabs.forEach((tab, at) => {
      tab.setAttribute("aria-selected", String(at === index));
      tab.tabIndex = at === index ? 0 : -1;
    });
  }

  /** The next or the previous part. */
  turn(by) {
    const isInside = this.panes[this.current].contains(document.activeElement);
    this.show((this.current + by + this.tabs.length) % this.tabs.length);
    if (isInside) this.tabs[this.current].focus(); // what had the focus is hidden now
  }

  clicked(event) {
    const at = this.tabs.indexOf(event.target.closest("[role=tab]"));
    if (at < 0) return;
    event.preventDefault();
    this.show(at);
  }

  keyed(event) {
    const last = this.tabs.length - 1;
    const to = { ArrowRight: this.current + 1, ArrowLeft: this.current + last, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.show(to % this.tabs.length);
    this.tabs[this.current].focus();
  }

  /** Above an article: its sections to jump to, a search, and the way back to the tag. */
  addTools(pane) {
    const article = pane.querySelector(":scope > .article-text");
    this.searches.delete(pane);
    if (!article) return;
    const tools = made("div", { class: "pane-tools" }, ...this.sections(article), this.searchBox(pane, article));
    if (article.querySelector("#tagged-block")) tools.append(button("To the tag", () => this.findTag()));
    article.before(tools);
  }

  sections(article) {
    const parts = [...article.querySelectorAll("h2, h3, h4, h5, h6, .infobox")].filter((part) => !part.parentElement.closest(".infobox"));
    if (!parts.length) return [];
    const options = parts.map((part, at) => {
      const depth = "\u2003".repeat(Math.max(Number(part.nodeName[1]) - 3, 0) || 0);
      return made("option", { value: at, dir: "auto" }, part.matches(".infobox") ? "Infobox" : depth + part.textContent);
    });
    const list = made("select", { "aria-label": "Go to a section" }, made("option", { value: "" }, "Sections"), ...options);
    let isByArrow = false;
    list.addEventListener("keydown", ({ key }) => { isByArrow = key.startsWith("Arrow"); });
    list.addEventListener("pointerdown", () => { isByArrow = false; });
    list.addEventListener("change", () => {
      if (list.value !== "") this.goTo(article, parts[Number(list.value)]);
      if (isByArrow) return; // the arrows go on in the list
      list.value = "";
      article.focus({ preventScroll: true });
    });
    list.addEventListener("blur", () => { list.value = ""; });
    return [list];
  }

  /** What searches comes when one goes there. */
  searchBox(pane, article) {
    const box = made("input", { type: "search", dir: "auto", "aria-label": "Search in the article", placeholder: "Search", autocomplete: "off" });
    const count = made("output", { class: "small muted" });
    let loaded = null;
    const search = (use) => {
      loaded ??= import("./article-search.js").then(({ ArticleSearch }) => new ArticleSearch(this, article, count));
      loaded.then(use, () => {
        loaded = null;
        count.textContent = "Search has not loaded: try again";
      });
    };
    box.addEventListener("focus", () => search((here) => here.begin()));
    box.addEventListener("input", () => search((here) => here.look(box.value.trim())));
    box.addEventListener("keydown", (event) => {
      if (composing(event) || !["Enter", "Escape", "ArrowDown", "ArrowUp"].includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      search((here) => here.keyed(event.key, box.value.trim()));
    });
    this.searches.set(pane, box);
    return made("span", { class: "article-search" }, box, count);
  }

  search() {
    const box = this.searches.get(this.panes[this.current]);
    box?.focus();
    box?.select();
  }

  /** Where one is in an article: {at, anchor}, ranges; at first at the tagged block, or where it begins. */
  placeIn(article) {
    if (!this.places.has(article)) this.put(article, startOf(article.querySelector("#tagged-block") ?? article));
    return this.places.get(article);
  }

  put(article, range) {
    const at = range.cloneRange();
    at.collapse(true);
    this.places.set(article, { at });
  }

  /** A part or a range of an article in view, and where one is. */
  goTo(article, target) {
    this.put(article, target instanceof Range ? target : startOf(target));
    this.scrollTo(article, target);
  }

  /** The tagged block in view, without a move of the focus or of the page. */
  scrollToTag() {
    const block = this.querySelector("#tagged-block");
    const article = block?.closest(".article-text");
    if (article) this.goTo(article, block);
  }

  /** The part with the tagged block, the block in view and the focus on its article. */
  findTag() {
    const block = this.querySelector("#tagged-block");
    if (!block) return;
    this.show(this.panes.findIndex((pane) => pane.contains(block)));
    block.scrollIntoView({ block: "nearest" }); // where the page itself scrolls
    this.scrollToTag();
    block.closest(".article-text").focus({ preventScroll: true });
  }

  /** By rectangles: the offset of a cell counts from its table only. */
  scrollTo(article, target) {
    const to = target.getBoundingClientRect();
    const box = article.getBoundingClientRect();
    const seen = Math.min(box.height, window.innerHeight - box.top);
    article.scrollTop += to.top - box.top - Math.max(seen - Math.min(to.height, seen), 0) / 3;
  }

  /** In view with the least scrolling; what is sent to a passage is at the foot. */
  reveal(article, range) {
    const part = range.startContainer;
    (part.nodeType === Node.ELEMENT_NODE ? part : part.parentElement).scrollIntoView({ block: "nearest" });
    const to = range.getBoundingClientRect();
    const box = article.getBoundingClientRect();
    const above = to.top - box.top;
    const below = to.bottom - Math.min(box.bottom, window.innerHeight) + FOOT;
    if (above < 0 || below > 0) article.scrollTop += above < 0 ? above : Math.min(above, below);
  }
}

function startOf(element) {
  const range = document.createRange();
  range.setStart(element, 0);
  return range;
}

customElements.define("evidence-panes", EvidencePanes);

/** The border between the two halves of the page: by mouse or by arrow keys it makes one wider, in per cent of both. */
export function addSplitter(desk, before) {
  const bar = made("div", {
    class: "splitter", role: "separator", tabindex: "0", "aria-orientation": "vertical",
    "aria-label": "Width of the evidence", "aria-valuemin": LEAST, "aria-valuemax": MOST,
  });
  const set = (share) => {
    const kept = Math.min(Math.max(Math.round(share), LEAST), MOST);
    desk.style.setProperty("--left", `${kept}fr`);
    desk.style.setProperty("--right", `${100 - kept}fr`);
    bar.setAttribute("aria-valuenow", kept);
    return kept;
  };
  const keep = (share) => remember(WIDTH, String(set(share)));
  const now = () => Number(bar.getAttribute("aria-valuenow"));
  set(Number(recalled(WIDTH)) || 50);
  bar.addEventListener("pointerdown", (event) => {
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  bar.addEventListener("pointermove", (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const box = desk.getBoundingClientRect();
    keep(((event.clientX - box.left) / box.width) * 100);
  });
  bar.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: now() - STEP, ArrowRight: now() + STEP, Home: LEAST, End: MOST }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    keep(to);
  });
  bar.addEventListener("dblclick", () => keep(50));
  before.before(bar);
}
