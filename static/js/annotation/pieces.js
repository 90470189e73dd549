// The pieces that the passages were copied from, in the form's hidden input: {"1": [{revision, title, kind, text, start,
// end, sha256}, …], "2": …}. A piece is kept while it may come back by undo; the server keeps those that are there.

const MOST = 40; // a passage; the server takes a few more

export function readPieces(form) {
  try {
    return { 1: [], 2: [], ...JSON.parse(form.elements.provenance.value || "{}") };
  } catch {
    return { 1: [], 2: [] };
  }
}

export function addPiece(form, n, piece) {
  const pieces = readPieces(form);
  pieces[n] = [...pieces[n].slice(1 - MOST), piece];
  form.elements.provenance.value = JSON.stringify(pieces);
}

/** The pieces whose words the passage has, whatever the blanks between them. */
export function held(pieces, passage) {
  return pieces.filter(({ text }) => folded(passage).includes(folded(text)));
}

const folded = (text) => text.trim().replace(/\s+/g, " ");
