// English number words as digits, as annotation/fields/number_words.py does it. Change both files together.

const UNITS = "one two three four five six seven eight nine";
const TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety";
const ORDINALS =
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth " +
  "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth sixtieth " +
  "seventieth eightieth ninetieth hundredth thousandth";
const BELOW_TWENTY = new Map(`${UNITS} ${TEENS}`.split(" ").map((word, index) => [word, index + 1]));
const VALUES = new Map([...BELOW_TWENTY, ...TENS.split(" ").map((word, index) => [word, (index + 2) * 10])]);

const [UNIT, TEEN, TEN, ORDINAL] = [UNITS, TEENS, TENS, ORDINALS].map((words) => words.replaceAll(" ", "|"));
const AND = "[\\- ](?:and[\\- ])?";
const SMALL = `(?:(?:${TEN})(?:[\\- ](?:${UNIT}))?|${TEEN}|${UNIT})`;
const HUNDREDS = `(?:${UNIT}|${TEEN}|a)[\\- ]hundred(?:${AND}${SMALL})?`;
const BELOW = `(?:${HUNDREDS}|${SMALL})`;
const THOUSANDS = `(?:${BELOW}|a)[\\- ]thousand(?:${AND}${BELOW})?`;
const NUMBER = new RegExp(
  `(?<![\\p{L}\\p{N}])(${THOUSANDS}|${BELOW}|zero)(${AND}(?:${ORDINAL}))?(?![\\p{L}\\p{N}])`,
  "gu",
);

/** The folded text with its number words as digits. */
export function withDigits(text) {
  return text.replace(NUMBER, digits);
}

function digits(whole, number, ordinal = "") {
  const words = number.split(/[- ]/);
  // "twenty-first" and "two hundredth" are one ordinal, "two second prizes" are not.
  if (ordinal && (!BELOW_TWENTY.has(words.at(-1)) || /(?:hundredth|thousandth)$/.test(ordinal))) return whole;
  return valueOf(words) + ordinal;
}

function valueOf(words) {
  let thousands = 0;
  let rest = 0;
  for (const word of words) {
    if (word === "thousand") [thousands, rest] = [Math.max(rest, 1) * 1000, 0];
    else if (word === "hundred") rest = Math.max(rest, 1) * 100;
    else rest += VALUES.get(word) ?? 0; // "a" and "and" add nothing
  }
  return thousands + rest;
}
