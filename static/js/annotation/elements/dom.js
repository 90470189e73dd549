// Making elements, and entering text as a person would.

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
