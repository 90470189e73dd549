// Which key does what, the sheet of keys made from this registry, and what Escape does in a text field.

import { made } from "../shared/dom.js";

const TYPED_INTO = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";
const ACTS_ON_ENTER = "a, button, summary, dialog";

function keyOf(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return "Ctrl+Enter";
  // By its place on the keyboard: with Alt some systems make another letter of it.
  if (event.altKey && !event.ctrlKey && !event.metaKey && /^Key[A-Z]$/.test(event.code)) return `Alt+${event.code[3]}`;
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

function mayAct(key, event, singleKeys) {
  // A held key repeats: it must not judge ten items. An input method's keys are its own.
  if (key === null || event.repeat || event.isComposing) return false;
  if (isChord(key)) return true;
  const typing = event.target.closest?.(TYPED_INTO);
  if (key === "Escape") return Boolean(typing);
  if (typing || !singleKeys) return false;
  return !(key === "Enter" && event.target.closest?.(ACTS_ON_ENTER));
}

const isChord = (key) => key.includes("+") && key.length > 1;

export class Hotkeys {
  #acts = new Map();

  constructor(singleKeys) {
    this.singleKeys = singleKeys;
  }

  /** `label` may be a function, for a key that does different things, or at times (an empty label) nothing. */
  add(key, label, act) {
    this.#acts.set(key, { key, label, act });
  }

  /** Do what the key says; false when it says nothing here. */
  handle(event) {
    const key = keyOf(event);
    const found = this.#acts.get(key);
    if (!found || !mayAct(key, event, this.singleKeys)) return false;
    event.preventDefault();
    found.act(event);
    return true;
  }

  get list() {
    const all = [...this.#acts.values()]
      .map(({ key, label }) => ({ key, label: typeof label === "function" ? label() : label }))
      .filter(({ label }) => label);
    return this.singleKeys ? all : all.filter(({ key }) => isChord(key) || key === "Escape");
  }
}

/** Written anew from the registry each time it opens, so that it names no key that does nothing. */
export class KeySheet {
  #dialog;
  #keys;

  constructor(dialog, keys) {
    this.#dialog = dialog;
    this.#keys = keys;
  }

  get isOpen() {
    return this.#dialog.open;
  }

  open() {
    const rows = this.#keys.list.flatMap(({ key, label }) => [made("dt", {}, made("kbd", {}, key)), made("dd", {}, label)]);
    this.#dialog.querySelector("dl").replaceChildren(...rows);
    this.#dialog.querySelector("[data-keys-off]").hidden = this.#keys.singleKeys;
    this.#dialog.showModal();
  }
}

/**
 * Out of the field with the focus, so that single keys act again; from one that a disclosure holds to its summary, where
 * Escape shuts it.
 */
export function leaveField() {
  const field = document.activeElement;
  const summary = field.closest("details[data-escape]")?.querySelector("summary");
  if (summary) summary.focus();
  else field.blur();
}
