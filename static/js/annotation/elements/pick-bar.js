// From the article to a passage: what is selected goes there by a button or by the keys 1 and 2.

import { textControl } from "../entries.js";
import { copiedText } from "../passages.js";
import { button, made, write } from "./dom.js";

const SOURCES = ".article-text, .tagged-block";

export class PickBar {
  /** `cellOf(name)` finds a field of the form. */
  constructor(pane, cellOf) {
    this.pane = pane;
    this.cellOf = cellOf;
    this.words = made("span", { class: "small" });
    this.bar = made("div", { class: "pick-bar", hidden: "" }, this.choice(1), this.choice(2), this.words);
    pane.prepend(this.bar);
    document.addEventListener("selectionchange", () => this.changed());
  }

  choice(n) {
    const choice = button(`To passage ${n} `, () => this.pick(n));
    choice.append(made("kbd", {}, String(n)));
    choice.addEventListener("mousedown", (event) => event.preventDefault()); // keep the selection
    return choice;
  }

  /** Passages are there once the tag is called valid. */
  get open() {
    return this.box(1)?.checkVisibility() ?? false;
  }

  box(n) {
    const cell = this.cellOf(`passage_${n}_copied`);
    return cell && textControl(cell);
  }

  selection() {
    const selected = document.getSelection();
    if (!selected || selected.isCollapsed || !selected.rangeCount) return null;
    const holder = selected.anchorNode.parentElement?.closest(SOURCES);
    return holder && this.pane.contains(holder) ? { holder, range: selected.getRangeAt(0) } : null;
  }

  changed() {
    const selected = this.selection();
    this.bar.hidden = !selected || !this.open;
    if (this.bar.hidden) return;
    const count = copiedText(selected.range.cloneContents()).split(/\s+/).filter(Boolean).length;
    this.words.textContent = `${count} ${count === 1 ? "word" : "words"} selected`;
  }

  /** After what the passage holds already; the article's title too, where none is given. */
  pick(n) {
    const selected = this.selection();
    if (!selected || !this.open) return;
    const { holder, range } = selected;
    const text = copiedText(range.cloneContents());
    const box = this.box(n);
    box.focus();
    box.setSelectionRange(box.value.length, box.value.length);
    write(box, (box.value && !box.value.endsWith("\n") ? "\n" : "") + text, { replace: false });
    const title = textControl(this.cellOf(`article_${n}`));
    if (!title.value && holder.dataset.articleTitle) write(title, holder.dataset.articleTitle);
    box.focus();
  }
}
