// The form's entries as plain data, and back into the form. The markup says each field's kind
// (data-field, data-kind); nothing here knows a field by name.

const cells = (root) => [...root.querySelectorAll("[data-field]")].filter((cell) => !cell.closest("template"));

function outermost(root) {
  return cells(root).filter((cell) => cell.parentElement.closest("[data-field]") === null || cell === root);
}

const control = (cell) => cell.querySelector("input, textarea");
const column = (cell) => cell.dataset.field.split("-").slice(2).join("-");

export function rowsOf(cell) {
  return [...cell.querySelectorAll("[data-row]")];
}

export function valueOf(cell) {
  const inputs = [...cell.querySelectorAll("input")];
  switch (cell.dataset.kind) {
    case "one":
      return inputs.find((input) => input.checked && input.type === "radio")?.value ?? "";
    case "rating": {
      const chosen = inputs.find((input) => input.checked && input.type === "radio");
      return chosen ? Number(chosen.value) : null;
    }
    case "many":
      return inputs.filter((input) => input.checked && input.name === cell.dataset.field).map((input) => input.value);
    case "tick":
      return control(cell).checked;
    case "place":
      return control(cell).value;
    case "rows":
      return rowsOf(cell).map((row) =>
        Object.fromEntries(cells(row).map((inner) => [column(inner), valueOf(inner)])),
      );
    default:
      return textControl(cell).value;
  }
}

export function textControl(cell) {
  return cell.querySelector("textarea, input[type=text]");
}

export function readEntries(form) {
  return Object.fromEntries(outermost(form).map((cell) => [cell.dataset.field, valueOf(cell)]));
}

/** Put a value into a field. `write(box, text)` enters text so that undo works; rows want `addRow(cell)`. */
export function setValue(cell, value, tools) {
  const inputs = [...cell.querySelectorAll("input")];
  switch (cell.dataset.kind) {
    case "one":
    case "rating":
      for (const input of inputs.filter((each) => each.type === "radio")) {
        input.checked = input.value === String(value ?? "");
      }
      break;
    case "many":
      for (const input of inputs.filter((each) => each.name === cell.dataset.field)) {
        input.checked = (value ?? []).includes(input.value);
      }
      break;
    case "tick":
      control(cell).checked = Boolean(value);
      break;
    case "place":
      control(cell).value = value ?? "";
      break;
    case "rows":
      setRows(cell, value ?? [], tools);
      break;
    default:
      if (textControl(cell).value !== (value ?? "")) tools.write(textControl(cell), value ?? "");
  }
}

function setRows(cell, rows, tools) {
  while (rowsOf(cell).length < Math.max(rows.length, 1)) tools.addRow(cell);
  while (rowsOf(cell).length > Math.max(rows.length, 1)) rowsOf(cell).pop().remove();
  rowsOf(cell).forEach((row, index) => {
    for (const inner of cells(row)) setValue(inner, rows[index]?.[column(inner)], tools);
  });
}

/** Number names, ids and labels of all rows from 0 again, so that they match the server's. */
export function renumber(cell) {
  const name = cell.dataset.field;
  const pattern = new RegExp(`(${name}-)(?:\\d+|__n__)(-|$)`, "g");
  rowsOf(cell).forEach((row, index) => {
    for (const element of row.querySelectorAll("*")) {
      for (const attribute of ["name", "id", "for", "data-field", "aria-describedby"]) {
        const held = element.getAttribute(attribute);
        if (held?.includes(`${name}-`)) element.setAttribute(attribute, held.replace(pattern, `$1${index}$2`));
      }
    }
    row.querySelector("legend").textContent = `Question ${index + 1}`;
    const remove = row.querySelector("[data-remove-row]");
    remove.value = `remove_row:${index}`;
    remove.querySelector(".visually-hidden").textContent = ` question ${index + 1}`;
  });
}

const plain = (value) => JSON.stringify(value, (key, inner) =>
  Array.isArray(inner) && inner.every((item) => typeof item === "string") ? [...inner].sort() : inner,
);

// Line ends are the browser's affair: a text box holds \n, a form posts \r\n, the server keeps \n.
const lines = (text) => text.replaceAll("\\r\\n", "\\n");

export function sameEntries(first, second) {
  return Object.keys(second).every((name) => sameValue(first[name], second[name]));
}

/** Options of a dimension are a set; rows that nobody began say nothing. */
export function sameValue(first, second) {
  return lines(plain(begun(first) ?? null)) === lines(plain(begun(second) ?? null));
}

function begun(value) {
  if (!Array.isArray(value) || typeof value[0] !== "object") return value;
  const rows = value.filter((row) => Object.values(row).some((cell) => cell !== "" && cell !== false));
  return rows.map((row) => Object.fromEntries(Object.entries(row).sort()));
}

/** Enter in a line goes on to the next field; it would post the form. */
export function nextOnEnter(event) {
  if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing || event.keyCode === 229 || !event.target.matches("[data-field] input")) return;
  event.preventDefault();
  if (event.target.closest("[data-kind=many]")) return;
  const controls = [...event.target.form.elements].filter((each) => each.matches("[data-field] :is(input, textarea)") && each.checkVisibility());
  controls[controls.indexOf(event.target) + 1]?.focus();
}
