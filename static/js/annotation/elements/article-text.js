// The text of an article as a page shows it: what a selection in it is copied as, and where it begins and ends.
// annotation/evidence/article_text.py counts the same characters, and checks what is copied against them.

import { cellText, columnNames, grid, rowText, tidy } from "../passages.js";
import { languageOf, wholeWords } from "../words.js";

export const NOISE = "sup.reference, .wiki-tag, .left-out, .the-tag";
const UNITS = "p, li, caption, dd, dt, blockquote, pre, td, th, div, h3, h4, h5, h6";
const BLOCKS = new Set(["P", "DIV", "LI", "UL", "OL", "DL", "DD", "DT", "H3", "H4", "H5", "H6", "TR", "TABLE", "BLOCKQUOTE", "CAPTION", "PRE"]);
const POWER = /^\s*[+\-−]?\d[\d.]*\s*$/;
const BLANKS = /^[ \t\n\r\f]+/;
const KINDS = [
  [".infobox", "infobox"],
  ["table", "table"],
  [".caption, .note, .gallery, .references, h3, h4, h5, h6", "other"],
  [".indented", "text"],
  ["li, dd, dt", "list"],
];

/** The texts that can be copied, in order. */
export function textsIn(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(NOISE)) found.push(walker.currentNode);
  return found;
}

/** The text node and offset of character `at` of these texts together; of two that meet there, the earlier one at an end. */
export function pointAt(texts, at, isEnd) {
  let left = at;
  for (const node of texts) {
    if (left < node.data.length || (isEnd && left === node.data.length)) return [node, left];
    left -= node.data.length;
  }
  const last = texts.at(-1);
  return [last, last.data.length];
}

export const elementOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement);

/** The paragraph, cell or other block that an element is in. */
export const unitOf = (element) => element.closest(UNITS);

/** The texts by the lines they are on: a <br> ends one. */
export function linesOf(texts) {
  const lines = [];
  for (const node of texts) {
    if (!lines.length || isAfterBreak(node)) lines.push([]);
    lines.at(-1).push(node);
  }
  return lines;
}

function isAfterBreak(node) {
  let at = node;
  while (!at.previousSibling && !at.parentElement.matches(UNITS)) at = at.parentElement;
  return at.previousSibling?.nodeName === "BR";
}

/** The range with the whole of the words in which it begins and ends. */
export function withWholeWords(range) {
  const whole = document.createRange();
  whole.setStart(...edge(range.startContainer, range.startOffset, 0));
  whole.setEnd(...edge(range.endContainer, range.endOffset, 1));
  return whole;
}

function edge(node, offset, side) {
  const unit = unitOf(elementOf(node));
  const texts = unit ? textsIn(unit).filter((text) => unitOf(text.parentElement) === unit) : [];
  const line = linesOf(texts).find((each) => each.includes(node));
  if (!line) return [node, offset]; // in a mark, or between two blocks
  const at = offset + lengthOf(line.slice(0, line.indexOf(node)));
  const place = wholeWords(line.map(({ data }) => data).join(""), [at, at], languageOf(node))[side];
  return place === at ? [node, offset] : pointAt(line, place, side);
}

const lengthOf = (texts) => texts.reduce((length, { data }) => length + data.length, 0);

/** What a text is part of: text, infobox, table, list or other. */
function kindOf(node) {
  return KINDS.find(([part]) => node.parentElement.closest(part))?.[1] ?? "text";
}

/**
 * A selection in `holder` as copied: {text, kind, start, end}, offsets in characters of the holder's text without the
 * blanks around it; null where nothing is left of it. What reaches out of the holder is left out.
 */
export function copied(range, holder) {
  const within = clamped(range, holder);
  const common = within.commonAncestorContainer;
  const root = common.nodeType === Node.TEXT_NODE ? common.parentElement : common;
  const texts = textsIn(root).filter((node) => cut(node, within).trim());
  if (!texts.length) return null;
  const row = root.closest("tr");
  const text = tidy(read(row && !root.closest("td, th") && holder.contains(row) ? row : root, within));
  if (!text) return null;
  const [first, last] = [texts[0], texts.at(-1)];
  const [start] = spanIn(first, within);
  const [, end] = spanIn(last, within);
  const begin = start + (cut(first, within).length - cut(first, within).trimStart().length);
  const close = end - (cut(last, within).length - cut(last, within).trimEnd().length);
  return { text, kind: kindOf(first), start: offset(holder, first, begin), end: offset(holder, last, close) };
}

function clamped(range, holder) {
  const whole = document.createRange();
  whole.selectNodeContents(holder);
  const within = range.cloneRange();
  if (within.compareBoundaryPoints(Range.START_TO_START, whole) < 0) within.setStart(whole.startContainer, whole.startOffset);
  if (within.compareBoundaryPoints(Range.END_TO_END, whole) > 0) within.setEnd(whole.endContainer, whole.endOffset);
  return within;
}

/** [from, to) of a text that the range holds. */
function spanIn(node, range) {
  if (!range.intersectsNode(node)) return [0, 0];
  return [node === range.startContainer ? range.startOffset : 0, node === range.endContainer ? range.endOffset : node.length];
}

const cut = (node, range) => node.data.slice(...spanIn(node, range));

/** In characters as Python counts them: a letter outside the basic plane is one. */
function offset(holder, node, at) {
  const whole = document.createRange();
  whole.setStart(holder, 0);
  whole.setEnd(node, at);
  return [...whole.toString().replace(BLANKS, "")].length;
}

function read(node, range) {
  if (!range.intersectsNode(node)) return "";
  if (node.nodeType === Node.TEXT_NODE) return cut(node, range).replace(/[\n\t]/g, " ");
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(NOISE)) return "";
  if (node.nodeName === "TR") return `\n${readRow(node, range)}\n`;
  const inner = [...node.childNodes].map((child) => read(child, range)).join("");
  if (node.nodeName === "BR") return "\n";
  // Without the mark, 10³ would be copied as 103, another number.
  if (node.nodeName === "SUP" && POWER.test(inner)) return `^${inner.trim()}`;
  return BLOCKS.has(node.nodeName) ? `\n${inner}\n` : inner;
}

/** One cell as its text, of several each with its names; an empty one counts where the range goes on after it. */
function readRow(row, range) {
  const chosen = [...row.cells].filter((cell) => contains(range, cell) || textsIn(cell).some((node) => cut(node, range).trim()));
  const inside = (cell) => [...cell.childNodes].map((child) => read(child, range)).join("");
  if (chosen.length < 2) return chosen.map(inside).join("");
  const [first, last] = [chosen[0], chosen.at(-1)].map((cell) => cell.cellIndex);
  const cells = namedCells(row).filter(({ cell, isOwn }) => (isOwn ? cell.cellIndex >= first && cell.cellIndex <= last : first === 0));
  return rowText(cells.map(({ cell, isOwn, names }) => ({
    headers: names.map((name) => cellText(wholeText(name))),
    text: cellText(isOwn ? inside(cell) : wholeText(cell)),
  })));
}

function contains(range, node) {
  const whole = document.createRange();
  whole.selectNode(node);
  return range.compareBoundaryPoints(Range.START_TO_START, whole) <= 0 && range.compareBoundaryPoints(Range.END_TO_END, whole) >= 0;
}

/** The cells of a row in order, its own header first; of an infobox, its label is the name of its value. */
function namedCells(row) {
  const table = row.closest("table");
  if (!layouts.has(table)) layouts.set(table, layoutOf(table));
  const cells = layouts.get(table).get(row);
  const labels = cells.filter(({ cell }) => cell.nodeName === "TH");
  const values = cells.filter(({ cell }) => cell.nodeName !== "TH");
  if (table.matches(".infobox") && labels.length === 1 && values.length) {
    return values.map((value) => ({ ...value, names: [labels[0].cell] }));
  }
  return labels.length && values.length ? [...labels, ...values] : cells;
}

const layouts = new WeakMap();

/** By row: its cells, each with the elements above it that name it. */
function layoutOf(table) {
  const rows = [...table.rows];
  const laid = grid(rows.map((row) => [...row.cells].map((element) => ({
    element,
    colspan: element.colSpan,
    rowspan: element.rowSpan || 1,
    isHeader: element.nodeName === "TH",
  }))));
  const names = columnNames(laid);
  return new Map(rows.map((row, at) => [row, laid[at].map(({ cell, column, isOwn }) => ({
    cell: cell.element,
    isOwn,
    names: (names[at][column] ?? []).map((each) => each.element),
  }))]));
}

function wholeText(cell) {
  const whole = document.createRange();
  whole.selectNodeContents(cell);
  return [...cell.childNodes].map((child) => read(child, whole)).join("");
}
