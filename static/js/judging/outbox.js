// An ordered outbox: what was entered is sent one by one, in the order it was entered, until the server has
// said yes or no to each. It knows neither the page nor fetch: `send` answers {kind, …} with kind
// "stored" | "stale" | "refused" | "unreachable" | "signed_out"; `store` keeps the list over a reload; `pause` waits.
//
// An entry names the item's page and the version that it was made from. Once an earlier entry for that item is stored,
// those that wait were made from the version that it made.
//
// Its state is the one that the page shows: "saving", "unreachable", "signed_out", then "unsaved" while the last entry of
// any item was not stored, else "saved".

const WAITS = [1000, 2000, 5000, 10000];

export class Outbox {
  #running = false;
  #unsaved = new Set(); // the pages of items whose last entry was not stored
  #state = "saved";
  #refused;
  #idle = [];

  constructor({ send, store, pause, onState, onStored, onStale, onRefused }) {
    Object.assign(this, { send, store, pause, onState, onStored, onStale, onRefused });
    this.entries = store.read();
  }

  get pending() {
    return this.entries.length;
  }

  push(entry) {
    this.entries.push(entry);
    this.store.write(this.entries);
    return this.run();
  }

  /** The item at this page has an entry that is not stored, until `settle`. */
  hold(page) {
    this.#unsaved.add(page);
    if (!this.#running) this.#tellRest();
  }

  settle(page) {
    if (this.#unsaved.delete(page) && !this.#running) this.#tellRest();
  }

  get unsaved() {
    return this.#unsaved.size;
  }

  /** Resolves once nothing is left to send. */
  idle() {
    return this.pending ? new Promise((done) => this.#idle.push(done)) : Promise.resolve();
  }

  async run() {
    if (this.#running) return this.#tell(this.#state, this.#refused);
    this.#running = true;
    let failures = 0;
    while (this.pending) {
      if (!failures) this.#tell("saving");
      const answer = await this.send(this.entries[0]);
      if (answer.kind === "stored" || answer.kind === "stale" || answer.kind === "refused") {
        failures = 0;
        this.#done(answer);
      } else {
        this.#tell(answer.kind, answer.refused);
        await this.pause(WAITS[Math.min(failures++, WAITS.length - 1)]);
      }
    }
    this.#running = false;
    this.#tellRest();
    this.#idle.splice(0).forEach((done) => done());
  }

  #tellRest() {
    this.#tell(this.unsaved ? "unsaved" : "saved");
  }

  #tell(state, refused) {
    this.#state = state;
    this.#refused = refused;
    this.onState(state, state === "unsaved" ? this.unsaved : this.pending, refused);
  }

  #done(answer) {
    const entry = this.entries.shift();
    if (answer.kind === "stored") {
      for (const later of this.entries) if (later.page === entry.page) later.version = answer.data.version;
    }
    this.store.write(this.entries);
    if (answer.kind === "stored") this.#unsaved.delete(entry.page);
    else this.#unsaved.add(entry.page);
    if (answer.kind === "stored") this.onStored(entry, answer.data);
    else if (answer.kind === "stale") this.onStale(entry, answer.data);
    else this.onRefused(entry, answer.message);
  }
}
