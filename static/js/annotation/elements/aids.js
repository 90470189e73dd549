// What helps one to read and to write, and is not needed before one can type: the desk asks for it once its form is ready.

import "../../shared/disclosures.js";
import { check } from "../checks.js";
import { ActiveTime } from "./active-time.js";
import { AnswerOffers } from "./answer-offers.js";
import { GuidelineDrawers } from "./guideline-drawers.js";
import "./other-article.js";
import { PickBar } from "./pick-bar.js";
import { Proposals } from "./proposals.js";
import { SentenceCursor } from "./sentence-cursor.js";
import { SpanPicker } from "./span-picker.js";
import { StandaloneEditor } from "./standalone-editor.js";

export class Aids {
  constructor(desk) {
    const pane = desk.querySelector(".desk-evidence");
    const cellOf = (name) => desk.cell(name);
    this.time = new ActiveTime();
    this.proposals = new Proposals(desk.form, desk.filled, desk.rules);
    this.picker = new PickBar(pane, desk.form, this.proposals);
    this.cursor = new SentenceCursor(pane);
    this.guidelines = new GuidelineDrawers(desk.form);
    this.spans = [1, 2].map((n) => new SpanPicker(n, cellOf));
    this.editors = [1, 2].map((n) => new StandaloneEditor(n, cellOf));
    this.readers = [...this.spans, ...this.editors, new AnswerOffers(cellOf)];
    cellOf("statement_1").before(...this.spans.map(({ element }) => element));
    desk.steps.findings = (entries) => check(desk.rules, entries);
  }

  /** What reads the form along with the person reads it again. */
  show() {
    for (const reader of this.readers) reader.show();
  }
}
