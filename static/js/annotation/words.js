// Words of a text by the rules of its language, of Chinese and Thai too, which set no blanks between them. Pure.

/** [start, end) of each word; `language` as in HTML, "" where it is unknown. */
export function wordsIn(text, language = "") {
  // An older browser cannot tell.
  if (!Intl.Segmenter) return [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].map((word) => [word.index, word.index + word[0].length]);
  const segments = new Intl.Segmenter(language || [], { granularity: "word" }).segment(text);
  return [...segments].filter((each) => each.isWordLike).map(({ index, segment }) => [index, index + segment.length]);
}

/** The range with the whole of the words in which it begins and ends. */
export function wholeWords(text, [start, end], language) {
  const words = wordsIn(text, language);
  const around = (at) => words.find(([from, to]) => from < at && at < to);
  return [around(start)?.[0] ?? start, around(end)?.[1] ?? end];
}

export const languageOf = (node) => node.parentElement.closest("[lang]")?.lang;
