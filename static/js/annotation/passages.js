// What a selection is copied as: without citation marks, edit links and tags, each block on a line, a row's cells
// with the names of their columns. Pure. annotation/evidence/copying.py does the same.

const CITATION = /\[(?:\d{1,3}|[a-z]|note \d{1,3}|citation needed|inconsistent|contradictory)\]/gi;

/** Citation marks gone, blanks folded, no empty lines. */
export function tidy(text) {
  return text
    .replace(CITATION, "")
    .replace(/[ \t\u00a0]+/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join("\n");
}

/** The lines of a cell as one. */
export function cellText(text) {
  return tidy(text)
    .split("\n")
    .reduce((whole, line) => (!whole || /[,;:]$/.test(whole) || line.startsWith("(") ? `${whole} ${line}` : `${whole}, ${line}`), "")
    .trim();
}

/** cells: [{headers: [text, …], text}] in order; "Header: value | Header: value", an empty cell as an empty value. */
export function rowText(cells) {
  return cells
    .map(({ headers, text }) => {
      const names = headers.map((name) => name.replace(/:$/, "")).filter((name, at, all) => name && all.indexOf(name) === at);
      return names.length ? `${names.join(", ")}: ${text}`.trim() : text;
    })
    .join(" | ")
    .replace(/ {2,}/g, " ")
    .trim();
}

/**
 * Lay out rows of cells [{colspan, rowspan, isHeader, …}] as a browser does: for each row its cells in column order,
 * each as {cell, column, isOwn}; isOwn is false of a cell that an earlier row holds.
 */
export function grid(rows) {
  const over = []; // by column: {cell, left} of a cell that goes on into the next rows
  return rows.map((cells) => {
    const laid = [];
    const waiting = [...cells];
    for (let column = 0; waiting.length || over.some((held, at) => held?.left && at >= column); ) {
      const held = over[column];
      if (held?.left) {
        if (laid.at(-1)?.cell !== held.cell) laid.push({ cell: held.cell, column, isOwn: false });
        held.left -= 1;
        column += 1;
        continue;
      }
      if (!waiting.length) {
        column += 1;
        continue;
      }
      const cell = waiting.shift();
      laid.push({ cell, column, isOwn: true });
      for (let end = column + (cell.colspan || 1); column < end; column += 1) over[column] = { cell, left: (cell.rowspan || 1) - 1 };
    }
    return laid;
  });
}

/** For each laid row the names above each of its columns: of the rows of header cells nearest above it. */
export function columnNames(laidRows) {
  let names = [];
  let wasHeader = false;
  return laidRows.map((laid) => {
    const isHeader = laid.length > 1 && laid.every(({ cell }) => cell.isHeader);
    if (isHeader) {
      if (!wasHeader) names = [];
      for (const { cell, column } of laid) {
        for (let at = column; at < column + (cell.colspan || 1); at += 1) names[at] = [...(names[at] ?? []), cell];
      }
    }
    wasHeader = isHeader;
    return isHeader ? [] : names.map((cells) => [...new Set(cells)]);
  });
}
