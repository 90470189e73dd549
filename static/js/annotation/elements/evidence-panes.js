// <evidence-panes>: what there is to read about a tag, one part at a time. Without this script the parts follow
// each other, and the tabs are links to them.

import { button, made } from "./dom.js";
import { ArticleSearch } from "./article-search.js";
import "./other-article.js";

class EvidencePanes extends HTMLElement {
  connectedCallback() {
    this.tabs = [...this.querySelectorAll(".tabs a")];
    this.panes = this.tabs.map((tab) => this.querySelector(tab.getAttribute("href")));
    this.searches = new Map();
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
    const search = new ArticleSearch(article, (target) => this.scrollTo(article, target));
    this.searches.set(pane, search);
    const tools = made("div", { class: "pane-tools" }, ...this.sections(article), search.element);
    if (article.querySelector("#tagged-block")) tools.append(button("To the tag", () => this.findTag()));
    article.before(tools);
  }

  sections(article) {
    const headings = [...article.querySelectorAll("h2, h3, h4, h5, h6")];
    if (!headings.length) return [];
    const options = headings.map((heading, at) => {
      const depth = "\u2003".repeat(Math.max(Number(heading.nodeName[1]) - 3, 0));
      return made("option", { value: at }, depth + heading.textContent);
    });
    const list = made("select", { "aria-label": "Go to a section" }, made("option", { value: "" }, "Sections"), ...options);
    list.addEventListener("change", () => {
      if (list.value !== "") this.scrollTo(article, headings[Number(list.value)]);
      list.value = "";
    });
    return [list];
  }

  search() {
    this.searches.get(this.panes[this.current])?.focus();
  }

  /** The tagged block in view, without a move of the focus or of the page. */
  scrollToTag() {
    const block = this.querySelector("#tagged-block");
    const article = block?.closest(".article-text");
    if (article) this.scrollTo(article, block);
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
}

customElements.define("evidence-panes", EvidencePanes);
