// The page: its elements, text entered as a person would, its token for requests, and what this browser keeps for it.

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
