// A passage copied out of the article: without citation marks, edit links and tags, blocks on lines of their own.

const NOISE = "sup.reference, .wiki-tag, .left-out, .the-tag";
const BLOCKS = new Set(["P", "DIV", "LI", "UL", "OL", "DL", "DD", "DT", "H1", "H2", "H3", "H4", "H5", "H6", "TR", "TABLE", "BLOCKQUOTE", "CAPTION", "SECTION"]);
const CELLS = new Set(["TD", "TH"]);
const POWER = /^\s*[+\-−]?\d[\d.]*\s*$/;

/** The readable text of a fragment or element. */
export function copiedText(fragment) {
  const copy = fragment.cloneNode(true);
  for (const noise of copy.querySelectorAll(NOISE)) noise.remove();
  return tidy(textOf(copy));
}

function textOf(node) {
  if (node.nodeType === 3) return node.data.replace(/[\n\t]/g, " ");
  const inner = [...node.childNodes].map(textOf).join("");
  if (node.nodeName === "BR") return "\n";
  // Without the mark, 10³ would be copied as 103, another number.
  if (node.nodeName === "SUP" && POWER.test(inner)) return `^${inner.trim()}`;
  if (CELLS.has(node.nodeName)) return `${inner.trim()}\t`;
  return BLOCKS.has(node.nodeName) ? `\n${inner}\n` : inner;
}

/** Citation marks gone, blanks folded, cells parted by " | ". */
export function tidy(text) {
  return text
    .replace(/\[(?:\d{1,3}|[a-z]|note \d{1,3}|citation needed|inconsistent|contradictory)\]/gi, "")
    .replace(/[ \u00a0]+/g, " ")
    .split("\n")
    .map((line) => line.replace(/\t+$/, "").replace(/ *\t+ */g, " | ").trim())
    .filter((line, index, all) => line || (index && all[index - 1]))
    .join("\n")
    .trim();
}
