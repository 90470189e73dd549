// What Escape does in a text field: it leaves the field, so that single keys act again.

/** Out of the field with the focus; from one that a disclosure holds to its summary, where Escape shuts it. */
export function leaveField() {
  const field = document.activeElement;
  const summary = field.closest("details[data-escape]")?.querySelector("summary");
  if (summary) summary.focus();
  else field.blur();
}
