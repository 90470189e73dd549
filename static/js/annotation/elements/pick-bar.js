// From the article to a passage: what is selected goes there by a button or a key, in place of what the passage holds (1, 2)
// or after it (3, 4), with where it is from. The focus and the selection stay in the article.

import { textControl } from "../entries.js";
import { addPiece } from "../pieces.js";
import { copied, elementOf, withWholeWords } from "./article-text.js";
import { button, made, write } from "../../shared/dom.js";

const SOURCES = ".article-text, .tagged-block";
const MOST_SHOWN = 60;
const FROM = { infobox: "an infobox", table: "a table", list: "a list", other: "a caption or note" };

export class PickBar {
  /** `form` has the passages; `proposals` fills in what follows from where they come. */
  constructor(pane, form, proposals) {
    this.pane = pane;
    this.form = form;
    this.proposals = proposals;
    this.words = made("span", { class: "small" });
    this.said = form.querySelector("[data-said]");
    const choices = [1, 2, 3, 4].map((key) => this.choice(key));
    this.bar = made("div", { class: "pick-bar", hidden: "" }, ...choices, this.words);
    pane.prepend(this.bar);
    document.addEventListener("selectionchange", () => this.changed());
    // Not on the buttons: what they send was chosen before.
    document.addEventListener("pointerdown", ({ target }) => { this.isExact &&= this.bar.contains(target); });
    document.addEventListener("pointerup", () => setTimeout(() => this.snap()));
    document.addEventListener("keydown", ({ key, shiftKey }) => { this.isExact ||= shiftKey && key.startsWith("Arrow"); });
  }

  choice(key) {
    const choice = button(key > 2 ? `Add to ${key - 2} ` : `To passage ${key} `, () => this.pick(key));
    choice.append(made("kbd", { "aria-hidden": "true" }, key));
    choice.addEventListener("mousedown", (event) => event.preventDefault()); // keep the selection
    return choice;
  }

  /** Passages are there once the tag is called valid. */
  get open() {
    return this.form.querySelector("[data-opens]:checked") !== null;
  }

  box(n) {
    return textControl(this.form.querySelector(`[data-field="passage_${n}_copied"]`));
  }

  /** Where the selection is from: an article or the tagged block, out of which it may reach. */
  holder() {
    const selected = document.getSelection();
    if (!selected || selected.isCollapsed || !selected.rangeCount) return null;
    const range = selected.getRangeAt(0);
    const begun = elementOf(selected.anchorNode)?.closest(SOURCES);
    const holder = begun ?? [...this.pane.querySelectorAll(SOURCES)].find((source) => source.checkVisibility() && range.intersectsNode(source));
    return holder && this.pane.contains(holder) ? holder : null;
  }

  /** What is selected there; what reaches out of it is cut off. */
  selection() {
    const holder = this.holder();
    const piece = holder && copied(document.getSelection().getRangeAt(0), holder);
    return piece && { holder, piece };
  }

  /** By mouse or touch whole words are selected; Shift and the arrow keys select a part of one too. */
  snap() {
    if (this.isExact || !this.holder()) return;
    const selected = document.getSelection();
    const range = selected.getRangeAt(0);
    const whole = withWholeWords(range);
    const ends = [[whole.startContainer, whole.startOffset], [whole.endContainer, whole.endOffset]];
    if (selected.anchorNode !== range.startContainer || selected.anchorOffset !== range.startOffset) ends.reverse(); // selected backwards
    if (String(whole) !== String(range)) selected.setBaseAndExtent(...ends.flat());
  }

  changed() {
    const selected = this.open ? this.selection() : null;
    this.bar.hidden = !selected;
    if (!selected) return;
    this.words.textContent = `${counted(selected.piece.text)} selected`;
  }

  /** `key` 1 or 2: in place of what the passage holds; 3 or 4: after it. */
  pick(key) {
    this.snap(); // the handles of a touch screen tell nothing of their end
    const selected = this.open ? this.selection() : null;
    if (!selected) return this.ask();
    const n = key > 2 ? key - 2 : key;
    const { text, kind } = selected.piece;
    const box = this.box(n);
    const { value: before, lang } = box;
    const isAdded = key > 2 && before.trim();
    if (isAdded && `\n${before}\n`.includes(`\n${text}\n`)) return this.say(`Passage ${n} has this already: “${shortened(text)}”`);
    addPiece(this.form, n, sentPiece(selected));
    const isOfOne = !isAdded || lang === selected.holder.lang;
    this.put(n, isAdded ? `${before}${before.endsWith("\n") ? "" : "\n"}${text}` : text, isOfOne ? selected.holder.lang : "");
    const after = box.value;
    const undo = () => {
      if (box.value !== after) return this.say(`Passage ${n} has been changed since.`);
      this.put(n, before, lang);
      return this.say(`Undone: passage ${n} is as it was.`);
    };
    const from = FROM[kind] ? `, from ${FROM[kind]}` : "";
    const place = before.trim() && !isAdded ? ", in place of what it held" : "";
    const words = `${isAdded ? "Added" : "Sent"} ${counted(text)} to passage ${n}${from}${place}: “${shortened(text)}”`;
    return this.say(button("Undo", undo, { class: "button button-quiet undo", "aria-keyshortcuts": "u" }), words);
  }

  put(n, text, lang) {
    const restore = keepPlace(this.box(n));
    this.nameLanguage(n, lang);
    write(this.box(n), text);
    this.proposals.propose({ sent: true });
    restore();
  }

  say(...words) {
    this.said.replaceChildren(...words);
  }

  /** Nothing is selected, or there are no passages yet: say what to do. */
  ask() {
    const valid = this.form.querySelector("[data-opens]").dataset.label;
    this.say(this.open ? "Nothing is selected. Click a sentence of the article, or press j." : `Choose “${valid}” first.`);
  }

  /** Of what has words of the passage: its fields, its span and its card; "" where they are of two. */
  nameLanguage(n, lang) {
    const places = this.form.querySelectorAll(`[name^=passage_${n}_], [name=span_${n}], [data-passage-card="${n}"] .span-words`);
    for (const place of places) place.lang = lang;
  }
}

/** With where it is from; the server checks that, and knows where the block above the article is. */
function sentPiece({ holder, piece }) {
  const { articleTitle: title, revision, textSha256: sha256, kind = piece.kind } = holder.dataset;
  const place = holder.matches(".article-text") ? { start: piece.start, end: piece.end, sha256 } : {};
  return { revision: Number(revision), title, kind, text: piece.text, ...place };
}

function counted(text) {
  const count = text.split(/\s+/).filter(Boolean).length;
  return `${count} ${count === 1 ? "word" : "words"}`;
}

function shortened(text) {
  const letters = [...text.replaceAll("\n", " ")];
  return letters.length > MOST_SHOWN ? `${letters.slice(0, MOST_SHOWN).join("")} …` : letters.join("");
}

/** To enter text as if typed the box must have the focus, and be shown. Gives back the focus, the selection and every scroll. */
function keepPlace(box) {
  const focused = document.activeElement;
  const { anchorNode, anchorOffset, focusNode, focusOffset } = document.getSelection();
  const scrolled = [];
  for (const end of [box, elementOf(anchorNode)]) {
    for (let at = end; at; at = at.parentElement) scrolled.push([at, at.scrollTop, at.scrollLeft]);
  }
  const step = box.checkVisibility() ? null : box.closest("[data-step]");
  step?.style.setProperty("display", "block", "important");
  return () => {
    step?.style.removeProperty("display");
    if (focused instanceof HTMLElement && focused !== document.body) focused.focus({ preventScroll: true });
    else box.blur();
    document.getSelection().setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset);
    for (const [element, top, left] of scrolled) {
      element.scrollTop = top;
      element.scrollLeft = left;
    }
  };
}
