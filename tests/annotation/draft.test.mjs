// The save state: what it says, and when.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Draft, worthRestoring } from "../../static/js/annotation/draft.js";
import { sameEntries, sameValue } from "../../static/js/annotation/entries.js";

/** A page without a browser: answers are given by the test, time passes when it says so. */
function page(version = 0) {
  const host = {
    text: "",
    copy: null,
    sent: [],
    states: [],
    timers: new Map(),
    read: () => ({ text: host.text }),
    send(save) {
      return new Promise((resolve, reject) => host.sent.push({ ...save, resolve, reject }));
    },
    show: (state, info) => host.states.push([state, info]),
    later(run, wait) {
      const handle = Symbol("timer");
      host.timers.set(handle, { run, wait });
      return handle;
    },
    forget: (handle) => host.timers.delete(handle),
    keep: (copy) => { host.copy = copy; },
    drop: () => { host.copy = null; },
    same: sameEntries,
  };
  const draft = new Draft(version, host);
  return {
    host,
    draft,
    type(text) {
      host.text += text;
      draft.edited();
    },
    async pass() {
      for (const [handle, timer] of [...host.timers]) {
        host.timers.delete(handle);
        timer.run();
      }
      await settled();
    },
    async answer(status, data = {}) {
      host.sent.at(-1).resolve({ status, data });
      await settled();
    },
    wait: () => [...host.timers.values()].map((timer) => timer.wait),
    get state() { return draft.state; },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("nothing is called saved before the server's yes", async () => {
  const at = page();
  at.type("a");
  assert.equal(at.state, "unsaved");
  await at.pass();
  assert.equal(at.state, "saving");
  await at.answer(200, { version: 1 });
  assert.equal(at.state, "saved");
  assert.deepEqual(at.host.states.map(([state]) => state), ["unsaved", "saving", "saved"]);
});

test("a save names the version it was made from", async () => {
  const at = page(7);
  at.type("a");
  await at.pass();
  assert.equal(at.host.sent[0].version, 7);
  await at.answer(200, { version: 8 });
  at.type("b");
  await at.pass();
  assert.equal(at.host.sent[1].version, 8);
});

test("what the server holds is known after each save, to tell one's own changes from others'", async () => {
  const at = page();
  at.type("a");
  assert.deepEqual(at.draft.base, { text: "" });
  await at.pass();
  at.type("b");
  await at.answer(200, { version: 1 });
  assert.deepEqual(at.draft.base, { text: "a" });
});

test("quick typing is one save, and typing during a save is another after it", async () => {
  const at = page();
  at.type("a");
  at.type("b");
  assert.equal(at.host.timers.size, 1);
  await at.pass();
  at.type("c");
  assert.equal(at.host.sent.length, 1);
  await at.answer(200, { version: 1 });
  assert.equal(at.state, "unsaved");
  await at.pass();
  assert.deepEqual(at.host.sent[1].entries, { text: "abc" });
  assert.equal(at.host.sent[1].version, 1);
});

test("only one save is under way at a time", async () => {
  const at = page();
  at.type("a");
  await at.pass();
  at.draft.save();
  at.draft.save();
  assert.equal(at.host.sent.length, 1);
});

test("handing in waits for a slow save and for the one that waits behind it", async () => {
  const at = page();
  at.type("a");
  await at.pass();
  at.type("b");
  await at.pass(); // its time came while the first was under way
  let idle = false;
  at.draft.idle().then(() => { idle = true; });
  await at.answer(200, { version: 1 });
  assert.equal(at.host.sent.length, 2);
  assert.equal(idle, false);
  await at.answer(200, { version: 2 });
  assert.equal(idle, true);
  assert.equal(at.draft.version, 2);
  assert.equal(at.host.timers.size, 0);
});

test("a copy is kept from the first key until the server has it", async () => {
  const at = page(3);
  at.type("a");
  assert.deepEqual(at.host.copy, { version: 3, base: { text: "" }, entries: { text: "a" } });
  await at.pass();
  assert.notEqual(at.host.copy, null);
  await at.answer(200, { version: 4 });
  assert.equal(at.host.copy, null);
});

test("no network is said, tried again ever more slowly, and over when it is back", async () => {
  const at = page();
  at.type("a");
  await at.pass();
  at.host.sent.at(-1).reject(new TypeError("Failed to fetch"));
  await settled();
  assert.equal(at.state, "offline");
  assert.deepEqual(at.wait(), [2000]);
  await at.pass();
  await at.answer(503);
  assert.equal(at.state, "offline");
  assert.deepEqual(at.wait(), [4000]);
  at.type("b");
  assert.equal(at.state, "offline");
  at.draft.online();
  await at.answer(200, { version: 1 });
  assert.deepEqual(at.host.sent.at(-1).entries, { text: "ab" });
  assert.equal(at.state, "saved");
});

test("a stale save stops everything until the person has chosen", async () => {
  const at = page(1);
  at.type("mine");
  await at.pass();
  await at.answer(412, { details: { version: 4, theirs: { text: "theirs" }, mine: { text: "mine" } } });
  assert.equal(at.state, "conflict");
  at.type("!");
  assert.equal(at.state, "conflict");
  assert.equal(at.host.timers.size, 0);
  assert.equal(at.draft.version, 1);

  at.draft.settle(4, { text: "theirs" });
  assert.deepEqual(at.draft.base, { text: "theirs" });
  assert.equal(at.host.sent.at(-1).version, 4);
  await at.answer(200, { version: 5 });
  assert.equal(at.state, "saved");
});

test("a stale answer to what the server already holds is a yes that was lost", async () => {
  const at = page(1);
  at.type("mine");
  await at.pass();
  await at.answer(412, { details: { version: 2, theirs: { text: "mine" }, mine: { text: "mine" } } });
  assert.equal(at.state, "saved");
  assert.equal(at.draft.version, 2);
  assert.equal(at.host.copy, null);
});

test("a refused save says so, keeps the copy, and the next key tries again", async () => {
  const at = page();
  at.type("a");
  await at.pass();
  await at.answer(400, { error: "Too long." });
  assert.equal(at.state, "refused");
  assert.deepEqual(at.host.states.at(-1), ["refused", { error: "Too long." }]);
  assert.notEqual(at.host.copy, null);
  at.type("b");
  assert.equal(at.state, "unsaved");
});

test("a draft that is out of one's hands is not sent again", async () => {
  const at = page();
  at.type("a");
  await at.pass();
  await at.answer(409, { error: "Submitted." });
  assert.equal(at.state, "lost");
  at.type("b");
  await at.pass();
  assert.equal(at.host.sent.length, 1);
  assert.deepEqual(at.host.copy.entries, { text: "ab" });
});

test("a copy is worth restoring when it says something else", () => {
  assert.equal(worthRestoring(null, { text: "" }, sameEntries), false);
  assert.equal(worthRestoring({ entries: { text: "a" } }, { text: "a" }, sameEntries), false);
  assert.equal(worthRestoring({ entries: { text: "b" } }, { text: "a" }, sameEntries), true);
});

for (const [first, second, same] of [
  ["a", "a", true],
  ["a\r\nb", "a\nb", true],
  [["x", "y"], ["y", "x"], true],
  [["x"], ["x", "y"], false],
  [[], [{ question: "", derived_1: false }], true],
  [[{ question: "q", derived_1: false }], [{ derived_1: false, question: "q" }], true],
  [[{ question: "q" }], [{ question: "r" }], false],
  [null, undefined, true],
  [null, 3, false],
]) {
  test(`${JSON.stringify(first)} and ${JSON.stringify(second)} say ${same ? "the same" : "different things"}`, () => {
    assert.equal(sameValue(first, second), same);
  });
}
