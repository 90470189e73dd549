// The page: its elements, text entered as a person would, its token for requests, what this browser keeps for it, and
// that a press counts once.

export function made(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export function button(text, onclick, attributes = {}) {
  const element = made("button", { type: "button", class: "button", ...attributes }, text);
  element.addEventListener("click", onclick);
  return element;
}

/** Enter text as if typed, so that Ctrl+Z takes it back; `replace` puts it in place of what is there. */
export function write(box, text, { replace = true } = {}) {
  box.focus({ preventScroll: true });
  if (document.activeElement !== box) {
    // In a closed step nothing can be typed, so nothing need be undone.
    box.value = replace ? text : box.value + text;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    return;
  }
  if (replace) box.select();
  const done = text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text);
  if (!done) box.setRangeText(text, box.selectionStart, box.selectionEnd, "end");
}

/** What a page says of a refused request: the reason, or the way back in. `error`, `code` as the API has them. */
export function whyRefused({ error, code } = {}, then = "What you entered waits here, and is sent then.") {
  const isKnown = code === "not_authenticated" || code === "csrf"; // their sentences are for programs
  if (error && !isKnown) return [`${error} What you entered is still here.`];
  const start = made("a", { href: document.querySelector(".wordmark").href, target: "_blank" }, "Sign in in another tab");
  return [`You are signed out${isKnown ? "" : ", or may not do this any more"}. `, start, `. ${then}`];
}

const LEFTWARDS = /(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/gu;

/** Lay a text out as most of its letters are read, as pages/direction.py does; a tie leaves it as it was. */
export function turn(element, text = element.value) {
  const [all, leftwards] = [/\p{L}/gu, LEFTWARDS].map((letter) => text.match(letter)?.length ?? 0);
  if (all !== 2 * leftwards) element.dir = all < 2 * leftwards ? "rtl" : "ltr";
}

document.addEventListener("input", ({ target }) => { if (target.dir && target.matches("input, textarea")) turn(target); });

/** The token that a request which changes something must carry. */
export function csrfToken() {
  // The cookie before the page's own token: it is the newer one after signing in again in another tab.
  const cookie = document.cookie.match(/(?:^|; )\w*csrf\w*=([^;]+)/);
  return cookie ? cookie[1] : document.querySelector("[name=csrfmiddlewaretoken]").value;
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

// A press counts once. The second press of a double click and the repeats of a held Enter do nothing: not what the first has
// done already, and nothing on the item or the page that has come meanwhile.
const ACTS = 'button:not([type="button"]), input[type="submit"], a.button:not([rel]), [data-once]';
let down = { id: null, at: 0 };

document.addEventListener("pointerdown", ({ pointerId, timeStamp }) => { down = { id: pointerId, at: timeStamp }; }, true);

function ignoreSecond(event) {
  if (event.detail < 2 || !event.target.closest(ACTS)) return;
  event.preventDefault(); // of a mousedown: the focus stays, so that no later Enter presses the button
  event.stopImmediatePropagation();
}

document.addEventListener("mousedown", ignoreSecond, true);
document.addEventListener("click", ignoreSecond, true);

// After signing in again in another tab a form that is open here has an old token.
document.addEventListener("submit", ({ target }) => {
  const token = target.elements.csrfmiddlewaretoken;
  if (token) token.value = csrfToken();
});

document.addEventListener("keydown", (event) => {
  if (event.repeat && event.key === "Enter" && event.target.closest(`${ACTS}, input`)) event.preventDefault();
}, true);

/** WebKit says by this number alone that an input method takes the key: Enter, at the end of a composition. */
export const composing = (event) => event.isComposing || event.keyCode === 229;

/** When the press began that made this click or keydown, on the clock of performance.now. */
export function began(event) {
  return event.type === "click" && event.pointerId === down.id ? down.at : event.timeStamp;
}
