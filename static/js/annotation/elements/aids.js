// What helps one to read and to write, and is not needed before one can type: the desk asks for it once its form is ready.

import "../../shared/disclosures.js";
import { check } from "../checks.js";
import { ActiveTime } from "./active-time.js";
import { GuidelineDrawers } from "./guideline-drawers.js";
import "./other-article.js";
import { PickBar } from "./pick-bar.js";
import { Proposals } from "./proposals.js";
import { SentenceCursor } from "./sentence-cursor.js";

export class Aids {
  constructor(desk) {
    this.desk = desk;
    this.time = new ActiveTime();
    this.proposals = new Proposals(desk.form, desk.filled, desk.rules);
    this.picker = new PickBar(desk.querySelector(".desk-evidence"), desk.form, this.proposals);
    this.cursor = desk.panes.cursor = new SentenceCursor(desk.panes);
    this.guidelines = new GuidelineDrawers(desk.form);
    this.writing = null;
    desk.steps.findings = (entries) => check(desk.rules, entries);
  }

  /** What reads the form along with the person reads it again. */
  async show() {
    if (!this.picker.open) return;
    this.writing ??= import("./writing-aids.js").then(({ WritingAids }) => new WritingAids((name) => this.desk.cell(name)));
    (await this.writing).show();
  }
}
