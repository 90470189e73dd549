// While a list of kinds has the focus, each of its options has a letter that ticks it and takes the tick back.
// Letters that do something else on this page are left out.

import { made } from "./dom.js";

const LETTERS = "abcdefhilmoqruvwxyz";

export class OptionKeys {
  constructor(form) {
    for (const list of form.querySelectorAll(".field-many")) {
      const options = new Map([...list.querySelectorAll("input[type=checkbox][name]:not([name=checked])")].map((option, place) => [LETTERS[place], option]));
      for (const [letter, option] of options) this.name(letter, option);
      list.addEventListener("keydown", (event) => this.pressed(event, options));
    }
  }

  name(letter, option) {
    const words = option.labels[0].querySelector("span");
    words.insertBefore(made("kbd", { class: "option-key", "aria-hidden": "true" }, letter), words.querySelector("small"));
    option.setAttribute("aria-keyshortcuts", letter);
  }

  pressed(event, options) {
    if (event.repeat || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const option = options.get(event.key.toLowerCase());
    if (!option) return;
    event.preventDefault();
    event.stopPropagation();
    option.click();
    option.focus();
  }
}
