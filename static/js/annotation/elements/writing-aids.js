// What helps one to write steps 2 to 5: it comes once the tag is called valid.

import { AnswerOffers } from "./answer-offers.js";
import { SpanPicker } from "./span-picker.js";
import { StandaloneEditor } from "./standalone-editor.js";

export class WritingAids {
  constructor(cellOf) {
    this.spans = [1, 2].map((n) => new SpanPicker(n, cellOf));
    this.editors = [1, 2].map((n) => new StandaloneEditor(n, cellOf));
    this.readers = [...this.spans, ...this.editors, new AnswerOffers(cellOf)];
  }

  show() {
    for (const reader of this.readers) reader.show();
  }
}
