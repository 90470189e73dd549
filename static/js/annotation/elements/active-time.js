// Seconds in which somebody was at the form; idle time is left out.

const IDLE_AFTER = 60_000; // without a key, click, scroll or move for so long, nobody is there
const BEAT = 5_000;

export class ActiveTime {
  constructor() {
    this.seconds = 0;
    let last = performance.now(); // not the clock, which may be set
    for (const kind of ["keydown", "pointerdown", "scroll", "pointermove"]) {
      document.addEventListener(kind, () => { last = performance.now(); }, { passive: true, capture: true });
    }
    setInterval(() => {
      if (document.visibilityState === "visible" && performance.now() - last < IDLE_AFTER) this.seconds += BEAT / 1000;
    }, BEAT);
  }

  /** What has passed since it was last taken. */
  take() {
    const taken = this.seconds;
    this.seconds = 0;
    return taken;
  }
}
