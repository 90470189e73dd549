// The items at hand, in the judge's order: which is shown, which comes next, what can be taken back. Pure.

const UNDO_LIMIT = 20;

export class Queue {
  #slots = [];
  #at = -1;
  #settled = new Set();
  #given = [];
  #forgotten = false;

  /** Add slots at the end; those already here are left where they are. Returns how many were new. */
  add(slots) {
    const fresh = slots.filter((slot) => !this.#slots.includes(slot));
    this.#slots.push(...fresh);
    return fresh.length;
  }

  get current() {
    return this.#slots[this.#at] ?? null;
  }

  get last() {
    return this.#slots.at(-1) ?? null;
  }

  /** How many items after the current one are at hand. */
  get left() {
    return this.#slots.slice(this.#at + 1).filter((slot) => !this.#settled.has(slot)).length;
  }

  /** Go to the next item that is neither judged nor skipped; null, and just past the end, when none is at
   *  hand: once more have been added, `current` is the first of them. */
  advance() {
    let next = this.#at + 1;
    while (next < this.#slots.length && this.#settled.has(this.#slots[next])) next += 1;
    this.#at = next;
    return this.current;
  }

  settle(slot, undoable) {
    this.#settled.add(slot);
    if (!undoable) return;
    this.#given.push(slot);
    if (this.#given.length > UNDO_LIMIT) {
      this.#given.shift();
      this.#forgotten = true;
    }
  }

  /** Whether older verdicts than those at hand were given here, which only the server can take back. */
  get hasForgotten() {
    return this.#forgotten;
  }

  /** Back to the item judged last; null when there is none to take back. */
  undo() {
    const slot = this.#given.pop();
    if (slot === undefined) return null;
    this.#settled.delete(slot);
    this.#at = this.#slots.indexOf(slot);
    return slot;
  }
}
