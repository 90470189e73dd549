// How a draft is kept: what the save state says, and when the next save goes out.
//
// Pure: time, sending and the fallback copy are handed in, so it runs under node as in a browser.
// States: saved, unsaved, saving, offline, refused, conflict, lost. Never "saved" before the server's yes.

export const QUIET = 700; // milliseconds without a key before a save
const RETRIES = [2000, 4000, 8000, 15000, 30000];

/**
 * host: {
 *   read()            -> the current entries,
 *   send({version, entries}) -> promise of {status, data}; rejects when nothing came back,
 *   show(state, info) -> paint the state,
 *   later(fn, ms)     -> a handle, forget(handle),
 *   keep(copy), drop()  -> the copy that survives a crash,
 *   same(a, b)        -> whether two sets of entries say the same,
 * }
 */
export class Draft {
  constructor(version, host) {
    this.version = version;
    this.host = host;
    this.base = host.read(); // what the server held at `version`: tells one's own changes from others'
    this.state = "saved";
    this.edits = 0; // counts edits; a save that answers for fewer is not the last word
    this.tries = 0;
    this.timer = null;
    this.flight = null;
  }

  /** Something was typed or chosen. */
  edited() {
    this.edits += 1;
    this.host.keep({ version: this.version, base: this.base, entries: this.host.read() });
    if (this.state === "conflict" || this.state === "lost") return;
    if (this.state !== "saving" && this.state !== "offline") this.turn("unsaved");
    if (this.state !== "offline") this.schedule(QUIET);
  }

  /** Whether leaving now would lose something that the server does not have. */
  get open() {
    return this.state !== "saved";
  }

  /** Save now; the promise resolves when no save is under way any more. */
  save() {
    this.cancel();
    if (this.flight) return this.flight.then(() => (this.state === "unsaved" ? this.save() : undefined));
    if (this.state === "conflict" || this.state === "lost") return Promise.resolve();
    this.flight = this.attempt().finally(() => {
      this.flight = null;
    });
    return this.flight;
  }

  /** Resolves when no save is under way, nor one that waited for it; none follows until the next edit. */
  async idle() {
    this.cancel();
    while (this.flight) await this.flight;
    this.cancel();
  }

  async attempt() {
    const edits = this.edits;
    const entries = this.host.read();
    this.turn("saving");
    let answer;
    try {
      answer = await this.host.send({ version: this.version, entries });
    } catch {
      return this.retry("offline");
    }
    if (answer.status >= 500 || answer.status === 429) return this.retry("offline", answer.data);
    this.tries = 0;
    if (answer.status === 200) return this.accepted(answer.data, entries, edits);
    if (answer.status === 412) return this.stale(answer.data, entries, edits);
    if (answer.status === 401 || answer.status === 403) return this.retry("refused", answer.data);
    if (answer.status === 400) return this.turn("refused", answer.data);
    return this.turn("lost", answer.data); // not ours any more, or handed in elsewhere
  }

  accepted(data, entries, edits) {
    this.version = data.version;
    this.base = entries;
    if (this.edits === edits) {
      this.host.drop();
      this.turn("saved", data);
    } else {
      this.turn("unsaved", data);
      this.schedule(QUIET);
    }
  }

  /** Refused as stale. Where the server holds exactly what was sent, an earlier answer had been lost. */
  stale(data, entries, edits) {
    const now = data.details;
    if (this.host.same(now.theirs, entries)) return this.accepted({ ...data, version: now.version }, entries, edits);
    return this.turn("conflict", now);
  }

  /** The person has chosen between both texts: the form's text is now an edit of `version`. */
  settle(version, theirs) {
    this.version = version;
    this.base = theirs;
    this.turn("unsaved");
    return this.save();
  }

  retry(state, data) {
    const wait = RETRIES[Math.min(this.tries, RETRIES.length - 1)];
    this.tries += 1;
    this.turn(state, data);
    this.schedule(wait);
  }

  /** The network is gone: say so, unless everything is with the server already. */
  offline() {
    if (["unsaved", "saving"].includes(this.state)) this.retry("offline");
  }

  /** The network is back. */
  online() {
    if (this.state === "offline") this.save();
  }

  schedule(wait) {
    this.cancel();
    this.timer = this.host.later(() => {
      this.timer = null;
      this.save();
    }, wait);
  }

  cancel() {
    if (this.timer !== null) this.host.forget(this.timer);
    this.timer = null;
  }

  turn(state, info) {
    this.state = state;
    this.host.show(state, info);
  }
}

/** Whether a copy left by an earlier visit says something that the page does not. */
export function worthRestoring(copy, entries, same) {
  return Boolean(copy) && !same(copy.entries, entries);
}

/** The words for each state. */
export const WORDS = {
  unsaved: () => "Unsaved",
  saving: () => "Saving …",
  saved: (info) => `Saved ${clock(info?.saved_at)}`,
  offline: () => "Offline: kept here, trying again",
  refused: () => "Not saved",
  conflict: () => "Not saved: two versions",
  lost: () => "Not saved",
};

function clock(moment) {
  const at = moment ? new Date(moment) : new Date();
  const today = at.toDateString() === new Date().toDateString();
  const time = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return today ? time : `${at.toLocaleDateString()} ${time}`;
}
