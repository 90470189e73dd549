// The sheet of keys: written anew from the registry each time it opens, so that it names no key that does nothing.

export class KeySheet {
  #dialog;
  #keys;

  constructor(dialog, keys) {
    this.#dialog = dialog;
    this.#keys = keys;
  }

  get isOpen() {
    return this.#dialog.open;
  }

  open() {
    const rows = this.#keys.list.flatMap(({ key, label }) => {
      const name = document.createElement("dt");
      name.append(Object.assign(document.createElement("kbd"), { textContent: key }));
      return [name, Object.assign(document.createElement("dd"), { textContent: label })];
    });
    this.#dialog.querySelector("dl").replaceChildren(...rows);
    this.#dialog.querySelector("[data-keys-off]").hidden = this.#keys.singleKeys;
    this.#dialog.showModal();
  }
}
