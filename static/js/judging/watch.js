// How long an item was on the screen: the time that its page was visible, in seconds.

export class Watch {
  #kept = 0;
  #since = null;

  constructor(now = () => performance.now(), page = document) {
    this.now = now;
    this.page = page;
    page.addEventListener("visibilitychange", () => this.#turn());
    this.restart();
  }

  /** For an item that was on the screen for so many seconds before. */
  restart(before = 0) {
    this.#kept = 1000 * before;
    this.#since = this.page.hidden ? null : this.now();
  }

  get seconds() {
    const running = this.#since === null ? 0 : this.now() - this.#since;
    return Math.round((this.#kept + running) / 100) / 10;
  }

  #turn() {
    if (this.page.hidden && this.#since !== null) {
      this.#kept += this.now() - this.#since;
      this.#since = null;
    } else if (!this.page.hidden && this.#since === null) {
      this.#since = this.now();
    }
  }
}
