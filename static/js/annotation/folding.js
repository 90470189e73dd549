// Compare texts as annotation/fields/matching.py does. Change both files together.

import { withDigits } from "./number-words.js";

const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
const SPACES = /[ \t\n\r\f\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
const SINGLE_QUOTES = /[`´\u2018\u2019\u201a\u201b\u2032\u02bc]/g;
const DOUBLE_QUOTES = /[\u201c-\u201f\u2033«»]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
const CITATION = /\[(?:[0-9]{1,3}|[a-z]|note [0-9]{1,3}|citation needed|inconsistent|contradictory)\]/g;
const THOUSANDS = /(?<=[0-9]),(?=[0-9]{3}(?![0-9]))/g;
const OUTER = new Set(" .,;:!?'\"()[]");
const ARTICLE = /^(?:a|an|the) (?=.)/;
const ELLIPSIS = /\[?(?:\.\.\.|\u2026)\]?|\n/;
const WORD = /[\p{L}\p{N}]+/gu;
const ORDINAL = /^([0-9]+)(?:st|nd|rd|th)$/;

export const FILLERS = new Set(
  (
    "a an the it its he she they this that there is are was were be been has had have do does did " +
    "and or of in on at to by for from with as before after not no only"
  ).split(" "),
);

export function fold(text) {
  return text
    .normalize("NFC")
    .replace(INVISIBLE, "")
    .toLowerCase()
    .replace(SINGLE_QUOTES, "'")
    .replace(DOUBLE_QUOTES, '"')
    .replace(DASHES, "-")
    .replace(CITATION, "")
    .replace(THOUSANDS, "")
    .replace(SPACES, " ")
    .replace(/^ +| +$/g, "");
}

function stripped(text) {
  const letters = [...text];
  let start = 0;
  let end = letters.length;
  while (start < end && OUTER.has(letters[start])) start += 1;
  while (end > start && OUTER.has(letters[end - 1])) end -= 1;
  return letters.slice(start, end).join("");
}

export function answerKey(text) {
  return stripped(stripped(withDigits(fold(text))).replace(ARTICLE, ""));
}

export function words(text) {
  return (withDigits(fold(text)).match(WORD) ?? []).map((word) => word.replace(ORDINAL, "$1"));
}

export function holds(passage, span) {
  const within = fold(passage);
  return span.split(ELLIPSIS).map((piece) => stripped(fold(piece))).every((piece) => !piece || within.includes(piece));
}
