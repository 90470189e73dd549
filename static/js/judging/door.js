// The way to the server: one entry of the outbox at a time, items ahead of time.

import { csrfToken } from "../shared/dom.js";

const TIMEOUT = 20000;
const AGAIN = new Set([408, 425, 429]);

export async function send({ url, body, version }) {
  let response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-CSRFToken": csrfToken(),
        "If-Match": `"${version}"`,
        Accept: "application/json",
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT),
    });
  } catch {
    return { kind: "unreachable" };
  }
  if (response.status === 401 || response.status === 403) {
    return { kind: "signed_out", refused: await response.json().catch(() => ({})) };
  }
  if (response.status >= 500 || AGAIN.has(response.status)) return { kind: "unreachable" };
  const data = await response.json().catch(() => null);
  if (response.ok && data) return { kind: "stored", data };
  if (response.status === 412 && data?.details) return { kind: "stale", data: data.details };
  return { kind: "refused", message: data?.error ?? `The server refused it (${response.status}).` };
}

/** The items that wait after the one whose page is `url`, as elements; null when they cannot be had now, or "signed_out".
 *  `draws`: in a pool the next ones are drawn first. */
export async function itemsAfter(url, draws) {
  try {
    const drawing = draws ? { method: "POST", headers: { "X-CSRFToken": csrfToken() } } : {};
    const response = await fetch(`${url}coming/`, { ...drawing, signal: AbortSignal.timeout(TIMEOUT) });
    if (response.redirected || response.status === 403) return "signed_out";
    if (!response.ok) return null;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return [...page.querySelectorAll("article[data-slot]")].map((item) => document.importNode(item, true));
  } catch {
    return null;
  }
}

/** What was typed or waits to be sent, kept over a reload of this tab. */
export class Store {
  constructor(key) {
    this.key = key;
  }

  read() {
    try {
      return JSON.parse(sessionStorage.getItem(this.key)) ?? [];
    } catch {
      return [];
    }
  }

  write(value) {
    try {
      if (value.length) sessionStorage.setItem(this.key, JSON.stringify(value));
      else sessionStorage.removeItem(this.key);
    } catch {
      // A full or forbidden store only costs the reload; the list in memory goes on.
    }
  }
}
