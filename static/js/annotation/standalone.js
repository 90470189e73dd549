// What helps to make a copied passage clear on its own: its difference from the copy, words that point elsewhere,
// names to put in their place, and a first sentence for a row of a table. Pure.

const TOKEN = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*\s*|[^\s\p{L}\p{N}]\s*|\s+/gu; // with the blanks after it
const POINTS = /\b(?:[Hh]e|[Ss]he|[Ii]t|[Tt]hey|[Hh]is|[Hh]ers?|[Ii]ts|[Tt]heirs?|[Hh]im|[Tt]hem|[Tt]his|[Tt]hese|[Tt]hose|[Tt]he \p{Ll}[\p{L}’'-]*)(?![\p{L}\p{N}])/gu;
const NAME = /\p{Lu}[\p{L}\p{N}’'-]*(?: (?:of|the|de|von|van|da|di) \p{Lu}[\p{L}\p{N}’'-]*| [\p{Lu}\p{N}][\p{L}\p{N}’'-]*)*/gu;
const MOST_TOKENS = 1500; // of each text: the comparison takes their product in time
const [MOST_MARKS, MOST_NAMES] = [3, 4];

/** [["same" | "gone" | "new", text], …]: from the copy to the text, word by word; null where both are too long. */
export function difference(copy, text) {
  const [old, now] = [copy.match(TOKEN) ?? [], text.match(TOKEN) ?? []];
  if (old.length > MOST_TOKENS || now.length > MOST_TOKENS) return null;
  const common = lengths(old, now);
  const parts = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) add(parts, "same", old[i++], j++);
    else if (j >= now.length || (i < old.length && common[i + 1][j] >= common[i][j + 1])) add(parts, "gone", old[i++]);
    else add(parts, "new", now[j++]);
  }
  return parts;
}

function add(parts, kind, token) {
  if (parts.at(-1)?.[0] === kind) parts.at(-1)[1] += token;
  else parts.push([kind, token]);
}

/** common[i][j]: the longest common subsequence of old[i:] and now[j:]. */
function lengths(old, now) {
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      common[i][j] = old[i] === now[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  return common;
}

/** [{start, end, word}, …]: pronouns and “the …” of the first sentence, which a reader without the article misses. */
export function pointers(text, sentenceEnd) {
  const found = [...text.slice(0, sentenceEnd).matchAll(POINTS)].slice(0, MOST_MARKS);
  return found.map((match) => ({ start: match.index, end: match.index + match[0].length, word: match[0] }));
}

/** What may stand for a pointer: the titles, without their disambiguators, and the names in the passages. */
export function names(titles, passages) {
  const plain = titles.map((title) => title.replace(/ \([^)]*\)$/, "").trim());
  const inside = passages.flatMap((passage) => [...passage.matchAll(NAME)].filter((match) => !startsSentence(passage, match)).map(([name]) => name.replace(/['’-]+$/, "")));
  return [...new Set([...plain, ...inside])].filter((name) => name.length > 1).slice(0, MOST_NAMES);
}

const startsSentence = (text, { index, 0: name }) => !name.includes(" ") && /(?:^|[.!?]\s+|\n\s*)$/.test(text.slice(0, index));

/** The name in the form that the pointer has: “its” becomes “X’s”; at the start of a text nothing changes. */
export function inPlace(word, name) {
  if (!/^(?:his|her|hers|its|their|theirs)$/i.test(word)) return name;
  return /s$/.test(name) ? `${name}’` : `${name}’s`;
}

/** A sentence to begin with for a copied row, “Length: 14.7 km | Opened: 1990”: its article, then what each cell says. */
export function rowSentence(title, copied) {
  const cells = copied.split(/ \| |\n/).map((cell) => cell.trim()).filter((cell) => cell && !/:$/.test(cell));
  if (!cells.length) return "";
  const sentence = `${cells.join("; ").replace(/[.;]*$/, "")}.`;
  return title ? `${title}. ${sentence}` : sentence;
}
