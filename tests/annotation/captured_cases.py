"""The cases of capture_cases.json as rows, and what the server fills in for each."""

import json
from pathlib import Path

from wikifetch.models import Article, Revision, Sighting, Tag, Wiki
from wikifetch.recording import record_htmls
from wikifetch.row_columns import sighting_columns
from wikifetch.source.htmls import HtmlAsked
from wikifetch.wikitext import find_tags

TABLE = json.loads((Path(__file__).parent / "capture_cases.json").read_text(encoding="utf-8"))
TAG = TABLE["tag"]
# Name -> (wikitext, the wiki's HTML or None, the text, the kind).
CASES = {}
for case in TABLE["cases"]:
    wikitext, html, text = case["wikitext"].replace("@", TAG), case.get("html"), case["text"]
    for mark, written in TABLE["marks"].items():
        html = html and html.replace(mark, written)
    by_source = text if isinstance(text, dict) else {"wikitext": text, "html": text}
    CASES[case["name"]] = (wikitext, None, by_source["wikitext"], case["kind"])
    if html:
        CASES[f"{case['name']}, in the wiki's HTML"] = (
            wikitext,
            html,
            by_source["html"],
            case["kind"],
        )


def sighting_of(wikitext, html=None, *, raw=TAG, title="Line 1"):
    """The tag in this wikitext, as a fetch would have stored it."""
    wiki, _ = Wiki.objects.get_or_create(
        base_url="https://wiki.example/wiki/", defaults={"name": "Example"}
    )
    pageid = 7 + Article.objects.count()
    article = Article.objects.create(wiki=wiki, pageid=pageid, title=title)
    revision = Revision.objects.create(article=article, revid=1000 + pageid, wikitext=wikitext)
    seen = next(tag for tag in find_tags(wikitext).tags if tag.raw == raw)
    row = Tag.objects.create(article=article, kind=seen.kind)
    row.latest = Sighting.objects.create(tag=row, revision=revision, **sighting_columns(seen))
    row.save()
    if html is not None:
        record_htmls([HtmlAsked(revision.pk, f'<div class="mw-parser-output">{html}</div>')])
    return row.latest
