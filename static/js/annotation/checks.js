// What blocks a submission and what deserves a second look. The twin of annotation/fields/checks.py and walker.py,
// driven by the same table of cases; the server decides. `form` holds {steps, maxQuestions, implicit, typeII, typeIII} as
// the server tells them, so no option is spelled here.

import { answerKey, FILLERS, fold, holds, words } from "./folding.js";

const PRONOUN =
  /^(?:he|she|it|they|his|her|hers|its|their|theirs|him|them|this|these|those|that)(?![a-z0-9'])|^(?:he|she|it|they|that|this)'(?:s|re|d|ll|ve)(?![a-z])/;
const NAMES_PASSAGE =
  /(?:^|[^a-z])(?:passage|paragraph|article) (?:1|2|one|two|a|b)(?![a-z0-9])|(?:^|[^a-z])(?:first|second|1st|2nd) (?:passage|paragraph)(?![a-z])|(?:^|[^a-z])according to the (?:passage|paragraph|text|article)s?(?![a-z])/;

export function blank(field) {
  if (field.kind === "many" || field.kind === "rows") return [];
  if (field.kind === "rating") return null;
  return field.kind === "tick" ? false : "";
}

function answered(field, value) {
  if (field.kind === "rows") return (value ?? []).some((row) => begun(field, row));
  if (typeof value === "string") return value.trim() !== "";
  return !(value === null || value === undefined || value === false || (Array.isArray(value) && value.length === 0));
}

const begun = (field, row) => field.fields.some((column) => answered(column, row[column.name]));
const isOpen = (step, entries) => !step.needs || entries[step.needs.field] === step.needs.value;

function counted(form, entries) {
  const whole = {};
  for (const step of form.steps) {
    for (const field of step.fields) {
      whole[field.name] = isOpen(step, entries) ? (entries[field.name] ?? blank(field)) : blank(field);
    }
  }
  return whole;
}

function* missing(form, entries) {
  for (const step of form.steps.filter((each) => isOpen(each, entries))) {
    for (const field of step.fields) {
      if (field.kind === "rows") yield* missingCells(field, entries[field.name]);
      else if (field.required && !answered(field, entries[field.name])) yield [field.name, field];
    }
  }
}

function* missingCells(field, rows) {
  const started = rows.map((row, index) => index).filter((index) => begun(field, rows[index]));
  for (const index of started.length ? started : field.required ? [0] : []) {
    for (const column of field.fields) {
      if (column.required && !answered(column, rows[index]?.[column.name])) {
        const label = index ? `${column.label} (row ${index + 1})` : column.label;
        yield [`${field.name}-${index}-${column.name}`, { ...column, label }];
      }
    }
  }
}

/** With the field's label, for a list of what is missing. */
function absent([name, field]) {
  const { label } = field;
  if (field.kind === "many") return { ...block("no_option", name, `Choose at least one option for “${label}”.`), label };
  const verb = field.kind === "one" || field.kind === "rating" ? "Choose an answer to" : "Fill in";
  return { ...block("required", name, `${verb} “${label}”.`), label };
}

const block = (code, field, message) => ({ code, level: "block", field, message });
const warn = (code, field, message) => ({ code, level: "warn", field, message });

/** Everything that blocks or warns, in the order of the form. */
export function check(form, entries) {
  const whole = counted(form, entries);
  const found = [...missing(form, whole)].map(absent);
  const opened = form.steps.filter((step) => step.needs).every((step) => isOpen(step, whole));
  return opened ? [...found, ...RULES.flatMap((rule) => [...rule(whole, form)])] : found;
}

function context(entries, n) {
  const standalone = entries[`passage_${n}_standalone`];
  return standalone.trim() ? standalone : entries[`passage_${n}_copied`];
}

function* identicalButDifferent(entries) {
  const [first, second] = [1, 2].map((n) => fold(context(entries, n)));
  if (entries.same_passage === "Different" && first && first === second) {
    yield block("identical_but_different", "same_passage", "The two passages contain the same text, but “Different” is chosen. Choose “Same”, or change one of them.");
  }
}

function* sameButTextsDiffer(entries) {
  const [first, second] = [1, 2].map((n) => fold(context(entries, n)));
  if (entries.same_passage === "Same" && first && second && first !== second) {
    yield warn("same_but_texts_differ", "same_passage", "“Same” is chosen, but the two passages contain different texts.");
  }
}

function* tableWithoutProse(entries, form) {
  const [, textTable, tableTable] = form.typeII;
  const bare = [1, 2].filter((n) => !entries[`passage_${n}_standalone`].trim());
  let tabular = [1, 2].filter((n) => ["infobox", "table"].includes(entries[`modality_${n}`]));
  const only = entries.type_2.length === 1 ? entries.type_2[0] : null;
  if (only === tableTable) tabular = [1, 2];
  else if (only === textTable && tabular.length === 0 && bare.length === 2) tabular = [1];
  for (const n of bare.filter((each) => tabular.includes(each))) {
    const label = `Passage ${n}, stand-alone`;
    yield { ...block("table_without_prose", `passage_${n}_standalone`, `Passage ${n} is from a table or infobox: write it out as prose in “${label}”.`), label };
  }
}

function* startsWithPronoun(entries) {
  for (const n of [1, 2]) {
    const first = fold(entries[`passage_${n}_standalone`]).match(PRONOUN);
    if (first) yield warn("starts_with_pronoun", `passage_${n}_standalone`, `Passage ${n}, stand-alone, starts with “${first[0]}”. Does it say who or what is meant?`);
  }
}

const spanIsIn = (entries, n) => ["standalone", "copied"].some((form) => holds(entries[`passage_${n}_${form}`], entries[`span_${n}`]));

function* spanNotFound(entries) {
  for (const n of [1, 2]) {
    if (entries[`span_${n}`].trim() && !spanIsIn(entries, n)) {
      yield warn("span_not_found", `span_${n}`, `The span “${entries[`span_${n}`]}” is not in passage ${n}.`);
    }
  }
}

function* originAgainstTitles(entries, form) {
  const [within, across] = form.typeIII;
  const [first, second] = [1, 2].map((n) => fold(entries[`article_${n}`].replaceAll("_", " ")));
  if (!first || !second || entries.type_3.length !== 1) return;
  if (entries.type_3[0] === across && first === second) {
    yield warn("origin_against_titles", "type_3", "“Different articles” is chosen, but both titles are the same.");
  } else if (entries.type_3[0] === within && first !== second) {
    yield warn("origin_against_titles", "type_3", "“Same article” is chosen, but the titles differ.");
  }
}

function* rows(entries) {
  for (const [index, row] of entries.questions.entries()) {
    if (Object.values(row).some((cell) => cell === true || (typeof cell === "string" && cell.trim()))) yield [index, row];
  }
}

function* tooManyQuestions(entries, form) {
  for (const [index] of [...rows(entries)].slice(form.maxQuestions)) {
    yield block("too_many_questions", `questions-${index}-question`, `A tag may have at most ${form.maxQuestions} questions: remove question ${index + 1}, or another.`);
  }
}

function* answersEqual(entries) {
  for (const [index, row] of rows(entries)) {
    if (row.answer_1.trim() && row.answer_2.trim() && answerKey(row.answer_1) === answerKey(row.answer_2)) {
      yield block("answers_equal", `questions-${index}-answer_2`, `Both answers to question ${index + 1} are the same: the question does not show the contradiction.`);
    }
  }
}

function* answerNotFound(entries, form) {
  if (entries.type_4.includes(form.implicit)) return;
  const texts = [1, 2].flatMap((n) => [entries[`passage_${n}_copied`], entries[`passage_${n}_standalone`]]);
  const known = new Set(texts.flatMap(words));
  for (const [index, row] of rows(entries)) {
    for (const n of [1, 2]) {
      const said = words(row[`answer_${n}`]);
      const derived = row[`derived_${n}`] || said[0] === "yes" || said[0] === "no";
      const isSpan = fold(row[`answer_${n}`]) === fold(entries[`span_${n}`]) && spanIsIn(entries, n); // the page offers it
      if (!derived && !isSpan && said.some((word) => !FILLERS.has(word) && !known.has(word))) {
        yield warn("answer_not_found", `questions-${index}-answer_${n}`, `Answer ${n} of question ${index + 1} uses words that are not in the passages. If it is calculated or inferred, tick “Answer ${n} is calculated or inferred”.`);
      }
    }
  }
}

function* questionNamesPassage(entries) {
  for (const [index, row] of rows(entries)) {
    if (NAMES_PASSAGE.test(fold(row.question))) {
      yield warn("question_names_passage", `questions-${index}-question`, `Question ${index + 1} mentions a passage. Someone who answers it may not see the passages.`);
    }
  }
}

const RULES = [
  identicalButDifferent,
  sameButTextsDiffer,
  tableWithoutProse,
  startsWithPronoun,
  spanNotFound,
  originAgainstTitles,
  tooManyQuestions,
  answersEqual,
  answerNotFound,
  questionNamesPassage,
];
