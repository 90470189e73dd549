// What the keys of this keyboard have on them, where the browser tells: few do, and only on a page that came by HTTPS.

/** Place of a key -> what it types, or null. Asked each time: people switch layouts. */
export async function layoutNow() {
  try {
    return (await navigator.keyboard?.getLayoutMap?.()) ?? null;
  } catch {
    return null;
  }
}

/** What the key of this command types by itself, if no key types the command's own letter or digit; else null. */
export function captionOf(name, layout) {
  const [, chord = "", key] = name.match(/^(Alt\+)?([a-z0-9])$/i) ?? [];
  if (!key || [...layout.values()].some((typed) => typed.toLowerCase() === key.toLowerCase())) return null;
  const typed = layout.get(/[0-9]/.test(key) ? `Digit${key}` : `Key${key.toUpperCase()}`);
  return typed ? chord + (chord ? typed.toUpperCase() : typed) : null;
}
