// What was opened can be shut by Escape, and the focus goes back to where it was opened: details[data-escape].
// The keys of a desk come first (they leave a text field); this hears what they let pass.

import { composing } from "./dom.js"; // with which a press counts once on every page

window.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || composing(event)) return;
  const opened = document.activeElement?.closest("details[data-escape][open]");
  if (!opened) return;
  event.preventDefault();
  opened.open = false;
  opened.querySelector("summary").focus();
});

/** A confirmation next to its button covers the page, so it closes when the person clicks or moves elsewhere. */
function turnedTo(place) {
  for (const asked of document.querySelectorAll("details.confirm[open]")) {
    if (!asked.contains(place)) asked.open = false;
  }
}

document.addEventListener("focusin", (event) => turnedTo(event.target));
document.addEventListener("click", (event) => turnedTo(event.target));
