// Which key does what, the sheet of keys made from this registry, and what Escape does in a text field.

import { composing, made } from "../shared/dom.js";

const TYPED_INTO = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";
const ACTS_ON_ENTER = "a, button, summary, dialog";

const FOREIGN = /^(?!\p{Script=Latin})[\p{L}\p{M}]/u; // as the first character that a key gives
const PLACES = { Slash: "/?", BracketLeft: "[[", BracketRight: "]]" }; // without and with Shift
let latin; // whether the last letter was

/**
 * What a press may be called, likeliest first. On every keyboard: by the Latin letter or sign that it types, else by its
 * place.
 */
export function namesOf(event) {
  const { key, code = "", altKey, shiftKey } = event;
  if (!key) return []; // the browser fills in a field
  if (FOREIGN.test(key) || /^\p{L}$/u.test(key)) latin = !FOREIGN.test(key);
  const control = event.ctrlKey || event.metaKey;
  if (key === "Enter" && control) return ["Ctrl+Enter"];
  const [, letter, digit] = code.match(/^(?:Key(.)|(?:Digit|Numpad)(\d))$/) ?? [];
  const typed = /^[a-z]$/i.test(key) && key;
  // With Alt some systems make another letter of it.
  if (altKey && !control && (typed || letter)) return [`Alt+${(typed || letter).toUpperCase()}`];
  // Some keyboards have [ and / on a third level.
  if ((altKey && !control) || event.getModifierState?.("AltGraph")) return /^[/?[\]]$/.test(key) ? [key] : [];
  if (control || altKey) return [];
  const own = key.length === 1 ? key.toLowerCase() : key;
  const isSign = !/^\p{L}/u.test(key);
  if (letter) {
    // Other scripts have signs at the places of letters, also such as act here.
    if (FOREIGN.test(key) || (isSign && latin === false)) return [letter.toLowerCase(), own];
    return isSign && !latin ? [own, letter.toLowerCase()] : [own];
  }
  // AZERTY types digits with Shift, and signs or é without.
  if (digit && key.length === 1 && (!shiftKey || /\p{Nd}/u.test(key))) return [own, digit];
  if (PLACES[code] && (FOREIGN.test(key) || key === "؟" || (isSign && latin === false))) return [own, PLACES[code][Number(shiftKey)]];
  return [own];
}

function mayAct(key, event, singleKeys) {
  // A held key repeats: it must not judge ten items. An input method's keys are its own.
  if (event.repeat || composing(event)) return false;
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
    const found = namesOf(event).map((name) => this.#acts.get(name)).find(Boolean);
    if (!found || !mayAct(found.key, event, this.singleKeys)) return false;
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
    this.#write(() => null);
    this.#dialog.querySelector("[data-keys-off]").hidden = this.#keys.singleKeys;
    this.#dialog.showModal();
    this.#dialog.scrollTop = 0;
    import("./layout.js").then(async ({ layoutNow, captionOf }) => {
      const layout = await layoutNow();
      if (layout) this.#write((key) => captionOf(key, layout));
    }).catch(() => {}); // Without a network: the names alone.
  }

  /** The key as it is on this keyboard, and its name in the guides. */
  #write(captionOf) {
    const caps = (key) => {
      const caption = captionOf(key);
      return caption ? [made("kbd", {}, caption), " ", made("span", { class: "muted" }, key)] : [made("kbd", {}, key)];
    };
    const rows = this.#keys.list.flatMap(({ key, label }) => [made("dt", {}, ...caps(key)), made("dd", { dir: "auto" }, label)]);
    this.#dialog.querySelector("dl").replaceChildren(...rows);
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
