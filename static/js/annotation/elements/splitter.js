// The border between the two halves of the page: by mouse or by arrow keys it makes one wider, in per cent of both.

import { made } from "./dom.js";

const KEY = "sic-et-non:left";
const [LEAST, MOST, STEP] = [25, 75, 2];

export function addSplitter(desk, before) {
  const bar = made("div", {
    class: "splitter", role: "separator", tabindex: "0", "aria-orientation": "vertical",
    "aria-label": "Width of the evidence", "aria-valuemin": LEAST, "aria-valuemax": MOST,
  });
  const set = (share) => {
    const kept = Math.min(Math.max(Math.round(share), LEAST), MOST);
    desk.style.setProperty("--left", `${kept}fr`);
    desk.style.setProperty("--right", `${100 - kept}fr`);
    bar.setAttribute("aria-valuenow", kept);
    return kept;
  };
  const keep = (share) => remember(KEY, String(set(share)));
  const now = () => Number(bar.getAttribute("aria-valuenow"));
  set(Number(recalled(KEY)) || 50);
  bar.addEventListener("pointerdown", (event) => {
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  bar.addEventListener("pointermove", (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const box = desk.getBoundingClientRect();
    keep(((event.clientX - box.left) / box.width) * 100);
  });
  bar.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: now() - STEP, ArrowRight: now() + STEP, Home: LEAST, End: MOST }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    keep(to);
  });
  bar.addEventListener("dblclick", () => keep(50));
  before.before(bar);
}

/** A wish about the page that this browser keeps; without storage it holds until the page is left. */
export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage is full or switched off.
  }
}

export function recalled(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
