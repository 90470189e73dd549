// Reads [[name, source, minified], …] from standard input; writes the names of those that are no longer the same program.
// Run with --expose-internals, for the parser that node brings along.

const acorn = require("internal/deps/acorn/acorn/dist/acorn");

const PLACES = new Set(["start", "end", "raw"]);
const tree = (text) => JSON.stringify(acorn.parse(text, { ecmaVersion: "latest", sourceType: "module" }), (key, value) =>
  PLACES.has(key) && typeof value !== "object" ? undefined : value);
const files = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(files.filter(([, source, minified]) => tree(source) !== tree(minified)).map(([name]) => name)));
