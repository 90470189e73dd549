"""A wiki of mills that answers by what it is asked."""

from tests.wikifetch.factories import TAG
from tests.wikifetch.fakewiki import Answer, FakeWiki


def revision_of(n, number=1):
    """The second of a mill's two revisions, or with `number` 0 the first, which has no tag."""
    tag = TAG if number else ""
    slot = {"contentmodel": "wikitext", "content": f"Mill {n} was built in 1801.{tag}"}
    return {
        "revid": 2 * n + number,
        "parentid": 2 * n if number else 0,
        "timestamp": f"2020-05-0{1 + number}T10:00:00Z",
        "user": f"Editor {number}",
        "comment": f"edit {number}",
        "slots": {"main": slot},
    }


def article(n, **columns):
    return {"pageid": n, "ns": 0, "title": f"Mill {n}", "revisions": [revision_of(n)]} | columns


def html_of(revid):
    """A revision as the wiki shows it."""
    text = f"<p>Mill {revid // 2} was built in 1801.<sup>[<i>inconsistent</i>]</sup></p>"
    return Answer({"parse": {"revid": revid, "text": text}})


class LiveWiki(FakeWiki):
    """A wiki of `size` tagged articles, the first with a talk page; it answers by what is asked.

    `hidden` says by revision what it conceals now, `deleted` which pages it has no more, and `untagged` which have
    lost their tag by an edit: it lists neither. `filed` says by category which pages it holds (Mills: all), and
    `below` which categories. `naming` says by page what other articles its tags name, and
    `redirects` where a title leads. It has pages beyond those listed, up to a thousand. `busy` gives what it answers
    instead, one for each request, None for what it would answer otherwise. `site` is what it says of itself, `texts` by
    page what that says instead of the usual.
    """

    LATER = 10_000  # what an edit adds to a page's number to make a revision

    def __init__(self, size):
        super().__init__()
        self.size = size
        self.fails_at = None
        self.hidden = {}
        self.deleted = set()
        self.untagged = set()
        self.naming = {}
        self.redirects = {}
        self.filed = {}
        self.below = {}
        self.counted = {}
        self.ids = {}
        self.edited = set()
        self.histories_fail = False
        self.busy = iter(())
        self.site = {}
        self.texts = {}
        self.html = html_of

    def _next(self):
        if refusal := next(self.busy, None):
            return refusal
        params = self.asked[-1].params
        if params["action"] == "parse":
            return self.html(int(params["oldid"]))
        if params.get("meta"):
            return Answer({"query": self.site})
        if params.get("prop") == "redirects":
            title = params["titles"].split("|")[0]
            return Answer({"query": {"pages": [{"pageid": 9, "title": title}]}})
        unlisted = self.deleted | self.untagged
        numbers = [n for n in range(1, self.size + 1) if n not in unlisted]
        listed = [{"pageid": n, "ns": 0, "title": f"Mill {n}"} for n in numbers]
        if params.get("list") == "embeddedin":
            return Answer({"query": {"embeddedin": listed}})
        if params.get("list") == "categorymembers":
            title = params["cmtitle"]
            filed = [article(n) for n in self.filed.get(title, ())]
            pages = listed if title == "Category:Mills" and not filed else filed
            below = self.below.get(title, ()) if "subcat" in params["cmtype"] else ()
            categories = [{"pageid": 5_000, "ns": 14, "title": each} for each in below]
            return Answer({"query": {"categorymembers": [*categories, *pages]}})
        if params.get("rvstartid") and self.histories_fail:
            return Answer("down", 404)
        if params.get("rvstartid"):
            n = int(params["pageids"])
            both = [revision_of(n), revision_of(n, 0)]
            return Answer({"query": {"pages": [article(n, revisions=both)]}})
        if params.get("revids"):
            return Answer({"query": {"pages": self._standing(params["revids"].split("|"))}})
        if params.get("pageids"):
            numbers = [int(n) for n in params["pageids"].split("|")]
            if self.fails_at in numbers:
                return Answer("down", 404)
            return Answer({"query": {"pages": [self._page(n) for n in numbers]}})
        return self._by_title(params["titles"].split("|"))

    def _category(self, title):
        if title not in self.counted:
            return {"title": title, "missing": True}
        pages, below = self.counted[title]
        return {"title": title, "categoryinfo": {"pages": pages, "subcats": below}}

    def _page(self, n):
        if n in self.untagged:
            return article(n, revisions=[revision_of(n, 0) | {"revid": self.LATER + n}])
        if n in self.texts:
            slot = {"contentmodel": "wikitext", "content": self.texts[n]}
            return article(n, revisions=[revision_of(n) | {"slots": {"main": slot}}])
        if n in self.edited:
            return article(n, revisions=[revision_of(n) | {"revid": 2 * self.LATER + n}])
        if n in self.naming:
            tags = "\n\n".join(f"Mill.{{{{Contradicts other|{t}}}}}" for t in self.naming[n])
            slot = {"contentmodel": "wikitext", "content": tags}
            return article(n, revisions=[revision_of(n) | {"slots": {"main": slot}}])
        return {"pageid": n, "missing": True} if n in self.deleted else article(n)

    def _standing(self, revids):
        result = {}
        for revid in map(int, revids):
            n = revid // 2
            if n not in self.deleted:
                page = result.setdefault(n, {"pageid": n, "ns": 0, "title": f"Mill {n}"})
                newest = self.LATER + n if n in self.untagged else 2 * n + 1
                page |= {"lastrevid": 2 * self.LATER + n if n in self.edited else newest}
                flags = dict.fromkeys(self.hidden.get(revid, ()), True)
                page.setdefault("revisions", []).append({"revid": revid} | flags)
        return list(result.values())

    def _by_title(self, titles):
        if titles[0].startswith("Category:"):
            return Answer({"query": {"pages": [self._category(titles[0])]}})
        if titles[0].startswith("Talk:"):
            talk = article(1, ns=1, title="Talk:Mill 1", lastrevid=3)
            return Answer({"query": {"pages": [talk] if "Talk:Mill 1" in titles else []}})
        steps = [{"from": t, "to": self.redirects[t]} for t in titles if t in self.redirects]
        ends = dict.fromkeys(self.redirects.get(title, title) for title in titles)
        pages = [{"ns": 0, "title": t} | self._numbered(t) for t in ends]
        return Answer({"query": {"pages": pages} | ({"redirects": steps} if steps else {})})

    def _numbered(self, title):
        if title in self.ids:
            return {"pageid": self.ids[title]}
        known = title[5:].isdecimal() and int(title[5:]) not in self.deleted
        return {"pageid": int(title[5:])} if known else {"missing": True}

    def titles_asked(self):
        """Of articles, without those of talk pages and templates."""
        asked = [a.params["titles"] for a in self.asked if "redirects" in a.params]
        return [titles.split("|") for titles in asked if not titles.startswith("Template:")]

    def content_requests(self):
        return [
            asked.params["pageids"].split("|")
            for asked in self.asked
            if asked.params.get("pageids") and "rvstartid" not in asked.params
        ]

    def htmls_asked(self):
        return [int(asked.params["oldid"]) for asked in self.asked if "oldid" in asked.params]

    def histories_asked(self):
        return [int(asked.params["pageids"]) for asked in self.asked if "rvstartid" in asked.params]
