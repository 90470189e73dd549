// Which key does what. Pure but for the event it is given; the sheet of keys is made from this registry.

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

  add(key, label, act) {
    this.#acts.set(key, { key, label, act });
  }

  /** A line of the sheet for keys that something else on the page hears. */
  note(key, label) {
    this.add(key, label, () => {});
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
    const all = [...this.#acts.values()];
    return this.singleKeys ? all : all.filter(({ key }) => isChord(key) || key === "Escape");
  }
}
