// What another tab stored for an item and what was chosen here, next to each other, until one of them is kept.
// They survive a reload of this tab.

import { button, made } from "../../shared/dom.js";

export class Both {
  #open;

  /** `keep(entry, details)` shows what is stored; `store(entry)` sends what was chosen here. */
  constructor(place, kept, { labelOf, keep, store }) {
    Object.assign(this, { place, kept, labelOf, keep, store });
    this.#open = kept.read();
    this.#render();
  }

  /** The pages of the items that wait for a choice. */
  get pages() {
    return this.#open.map(({ entry }) => entry.page);
  }

  show(entry, details) {
    this.#open = [...this.#others(entry), { entry, details }];
    this.#render();
  }

  /** The item has an entry of this tab now: there is no choice left. */
  settle(entry) {
    if (this.#others(entry).length === this.#open.length) return;
    this.#open = this.#others(entry);
    this.#render();
  }

  #others(entry) {
    return this.#open.filter((one) => one.entry.page !== entry.page);
  }

  #render() {
    this.kept.write(this.#open);
    this.place.hidden = !this.#open.length;
    this.place.replaceChildren(...this.#open.map((one) => this.#panel(one)));
  }

  #panel({ entry, details }) {
    const keep = button("Keep what is stored", () => {
      this.keep(entry, details);
      this.settle(entry);
    }, { "data-once": "" });
    const store = button("Store what I chose here", () => {
      this.settle(entry);
      this.store({ ...entry, version: details.version });
    }, { "data-once": "" });
    return made(
      "section",
      { class: "judging-both" },
      made("h2", {}, `Two entries for ${entry.item}`),
      made("p", {}, "You entered something else in another tab or window. Nothing was overwritten. ", made("a", { href: entry.page }, "Open the item")),
      made("div", { class: "split" }, this.#side("Stored", details.stored, keep), this.#side("Chosen here", details.given, store)),
    );
  }

  #side(title, { verdict, comment, skip_reason: reason }, pick) {
    const what = verdict ? this.labelOf(verdict) : reason ? "Skipped" : "No verdict";
    const words = comment || reason;
    const quoted = words ? [made("blockquote", { class: "judging-comment", dir: "auto" }, words)] : [];
    return made("div", {}, made("h3", {}, title), made("p", {}, made("strong", {}, what)), ...quoted, pick);
  }
}
