// <other-article>: the tab in which one asks for another article. Asks, looks whether it is there, and shows one of
// those fetched, without a reload of the page. What is read meanwhile keeps its place.

import { composing, csrfToken, made, whyRefused } from "../../shared/dom.js";

const SOONEST = 1_500; // milliseconds between two looks; each wait is half as long again
const LATEST = 15_000;
const NOT_SENT = "The server did not answer, so nothing was asked for. Try again.";

class OtherArticle extends HTMLElement {
  connectedCallback() {
    this.box = this.querySelector("[name=asked_article]");
    this.button = this.querySelector("[value=ask_article]");
    this.said = made("p", { class: "visually-hidden", role: "status" });
    this.append(this.said);
    this.wait = SOONEST;
    this.button.addEventListener("click", (event) => this.clicked(event));
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !composing(event)) this.clicked(event);
    });
    this.addEventListener("click", (event) => this.chosen(event));
    this.follow();
  }

  get asked() {
    return this.querySelector("[data-asked]");
  }

  async clicked(event) {
    event.preventDefault();
    if (this.button.disabled) return;
    this.button.disabled = true;
    const taken = await this.load({ body: new URLSearchParams({ asked_article: this.box.value }), newest: true });
    this.button.disabled = false;
    if (taken) this.box.value = "";
  }

  chosen(event) {
    const link = event.target.closest("[data-other]");
    if (!link) return;
    event.preventDefault();
    this.awaited = false; // the person has chosen what to read
    this.load({ key: link.dataset.other }).then(() => this.querySelector(".article-text")?.focus({ preventScroll: true }));
  }

  /** Get the tab's content, after a POST where there is a body. True if the server took it. */
  async load({ body, key = this.asked.dataset.shown, newest = false }) {
    const address = newest ? this.dataset.address : `${this.dataset.address}?other=${encodeURIComponent(key)}`;
    let isOut = false;
    try {
      const answer = await fetch(address, body ? { method: "POST", body, headers: { "X-CSRFToken": csrfToken() } } : {});
      isOut = answer.redirected || answer.status === 403;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!page.querySelector("[data-asked]")) throw new Error("no content of this tab");
      this.show(page.body);
      if (body) {
        this.wait = SOONEST;
        this.awaited = true; // what was asked for is shown when it comes
      }
      return answer.ok;
    } catch {
      if (body) this.asked.replaceChildren(made("p", { class: "field-error" }, ...(isOut ? whyRefused({}, "Then ask again.") : [NOT_SENT])));
      return false;
    } finally {
      this.follow();
    }
  }

  /** An article that is shown already stays as it is, with its selection. */
  show(fresh) {
    const { asked } = this;
    const now = fresh.querySelector("[data-asked]");
    if (now.dataset.asked === asked.dataset.asked && !now.querySelector(".field-error")) return;
    const same = now.dataset.shown && now.dataset.shown === asked.dataset.shown;
    asked.replaceWith(now);
    this.said.textContent = now.textContent.replace(/\s+/g, " ").trim();
    if (same) return;
    while (now.nextElementSibling && now.nextElementSibling !== this.said) now.nextElementSibling.remove();
    now.after(...[...fresh.children].filter((each) => each !== now));
    this.closest("evidence-panes").addTools(this);
  }

  /** While something is being fetched, look again. */
  follow() {
    clearTimeout(this.looking);
    const waiting = this.querySelector("[data-waiting]");
    if (!waiting || !this.isConnected) return;
    this.looking = setTimeout(() => this.load({ newest: this.awaited !== false }), this.wait);
    this.wait = Math.min(this.wait * 1.5, LATEST);
  }
}

customElements.define("other-article", OtherArticle);
