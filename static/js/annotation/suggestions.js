// What the form proposes from where the passages came. The twin of annotation/fields/suggesting.py, driven by the same table
// of cases. `rules` has the options of types II and III as the server gives them.

import { fold } from "./folding.js";

const TABULAR = ["infobox", "table"];
const KNOWN = [...TABULAR, "text", "list"];

/** What a passage of pieces of these kinds comes from: a table's row among them is what needs rewriting. */
export function modality(kinds) {
  return kinds.find((kind) => TABULAR.includes(kind)) ?? kinds[0] ?? "";
}

function standalone(copied, comesFrom) {
  return TABULAR.includes(comesFrom) ? "" : copied;
}

function difference(first, second, rules) {
  if (![first, second].every((comesFrom) => KNOWN.includes(comesFrom))) return [];
  const rows = [first, second].filter((comesFrom) => TABULAR.includes(comesFrom)).length;
  return [rules.typeII[rows]];
}

function origin(first, second, rules) {
  const titles = [first, second].map((title) => fold(title.replaceAll("_", " ")));
  if (!titles.every(Boolean)) return [];
  return [rules.typeIII[titles[0] === titles[1] ? 0 : 1]];
}

/** Field name to proposal, from the pieces {kind, title} of passages "1" and "2" and the entries. */
export function suggestions(entries, pieces, rules) {
  const proposed = {};
  for (const n of ["1", "2"]) {
    if (pieces[n]?.length) {
      proposed[`article_${n}`] = pieces[n][0].title;
      proposed[`modality_${n}`] = modality(pieces[n].map((piece) => piece.kind));
    }
    proposed[`passage_${n}_standalone`] = standalone(entries[`passage_${n}_copied`], entries[`modality_${n}`]);
  }
  if ([1, 2].every((n) => entries[`passage_${n}_copied`].trim())) {
    proposed.type_2 = difference(entries.modality_1, entries.modality_2, rules);
    proposed.type_3 = origin(entries.article_1, entries.article_2, rules);
  }
  return proposed;
}
