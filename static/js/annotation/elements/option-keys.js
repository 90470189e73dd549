// While a list of kinds has the focus, each of its options has a letter that ticks it and takes the tick back, and
// Enter goes on to the next list. 17 letters are needed; those left out act in a list as they do elsewhere on the page.

import { made } from "./dom.js";

const LETTERS = "abcefhiloqruwyzmd";

export class OptionKeys {
  /** `after()` is called by Enter in the last list. */
  constructor(form, after) {
    this.lists = [...form.querySelectorAll(".field-many")];
    for (const list of this.lists) {
      const options = new Map([...list.querySelectorAll("input[type=checkbox][name]:not([name=checked])")].map((option, place) => [LETTERS[place], option]));
      for (const [letter, option] of options) this.name(letter, option);
      list.addEventListener("keydown", (event) => this.pressed(event, list, options, after));
    }
  }

  name(letter, option) {
    const words = option.labels[0].querySelector("span");
    words.prepend(made("kbd", { class: "option-key", "aria-hidden": "true" }, letter), " ");
    option.setAttribute("aria-keyshortcuts", letter);
  }

  pressed(event, list, options, after) {
    if (event.repeat || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const option = options.get(event.key.toLowerCase());
    if (!option && event.key !== "Enter") return;
    if (event.target.matches("button, a, summary")) return;
    event.preventDefault();
    event.stopPropagation();
    option?.click();
    option?.focus();
    if (!option) this.next(list, after);
  }

  /** The next list without a tick. */
  next(list, after) {
    const rest = this.lists.slice(this.lists.indexOf(list) + 1);
    const open = rest.find((each) => !each.querySelector("input[name]:checked"));
    if (open) open.querySelector("input[name]").focus();
    else after();
  }
}
