// Below an empty answer: the contradicted span of its passage, which often is the answer. The button is no stop of the
// Tab key, which goes from answer to answer; Alt+S does the same from inside the question or the answer.

import { rowsOf, textControl } from "../entries.js";
import { button, made, write } from "../../shared/dom.js";

export class AnswerOffers {
  constructor(cellOf) {
    this.cellOf = cellOf;
  }

  show() {
    for (const row of rowsOf(this.cellOf("questions"))) {
      for (const n of [1, 2]) this.offer(row.querySelector(`[data-field$="-answer_${n}"]`), textControl(this.cellOf(`span_${n}`)).value.trim());
    }
  }

  offer(cell, span) {
    const box = cell.querySelector(".answer-offer") ?? cell.appendChild(made("p", { class: "answer-offer small" }));
    const answer = textControl(cell);
    const wanted = answer.value.trim() ? "" : span;
    if (box.textContent === wanted) return;
    box.replaceChildren(...(wanted ? [button(wanted, () => this.take(answer, wanted), { "aria-label": `Answer with the span: ${wanted}`, dir: "auto", translate: "no", tabindex: "-1" })] : []));
  }

  take(answer, span) {
    write(answer, span);
    this.show();
  }
}
