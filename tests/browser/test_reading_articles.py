"""The cursor through whole articles: what the browser copies at each stop is what the server reads there."""

from django.templatetags.static import static

from annotation.evidence.article_text import text_and_parts, text_of_html
from wikifetch.article_html import sanitised, wikitext_html
from wikifetch.shownarticle import wikis_article
from wikifetch.source.dump import read_dump

# As a wiki writes it itself.
WIKIS_OWN = """<div class="mw-parser-output">
<p>It opened in 1974.<sup class="reference"><a href="#n">[1]</a></sup> It <i>is</i>
long.</p><table class="infobox vevent"><tbody><tr><th colspan="2">Line 1</th></tr>
<tr><th scope="row">Opened</th><td>1974<br>(1975)</td></tr></tbody></table>
<ul><li>One<ul><li>Inner one. Two.</li></ul></li><li>Three</li></ul>
<figure typeof="mw:File/Thumb"><a><img src="x"></a><figcaption>The station in 1974.</figcaption></figure>
<table class="wikitable"><thead><tr><th>Line</th><th>Opened</th></tr></thead>
<tbody><tr><th scope="row">U1</th><td></td></tr></tbody></table></div>"""
EVERY_STOP = """async ([html, cursor, text]) => {
  const holder = document.createElement("div");
  holder.innerHTML = `\\n  ${html}\\n `;
  document.body.append(holder);
  const [{ stops }, { copied }] = [await import(cursor), await import(text)];
  const pieces = [...stops(holder)].map((range) => copied(range, holder));
  const whole = holder.textContent;
  holder.remove();
  return { pieces, whole };
}"""


def every_stop(page, html):
    """What the cursor stops at in this HTML, each as copied; each must be what the server reads there."""
    scripts = [f"js/annotation/elements/{name}.js" for name in ("sentence-cursor", "article-text")]
    done = page.evaluate(EVERY_STOP, [html, *map(static, scripts)])
    article = text_and_parts(html)
    assert done["whole"].strip(" \t\n\r\f") == article.text == text_of_html(html)
    for piece in done["pieces"]:
        assert article.allows(piece["start"], piece["end"], piece["text"]), piece
        assert article.kind_at(piece["start"]) == piece["kind"], piece
    return done["pieces"]


def test_every_stop_in_real_articles_is_what_the_server_reads_there(page, study_file):
    page.goto("/")
    pages = read_dump(study_file("wikitext/enwiki_sample.xml.bz2")).pages
    texts = [revision.text for each in pages for revision in each.revisions]
    articles = [text for text in texts if len(text) > 10_000][:8]
    stops = sum(len(every_stop(page, str(wikitext_html(text)))) for text in articles)
    assert stops > 2_000


def test_the_wiki_s_own_html_is_read_the_same(page):
    page.goto("/")
    pieces = every_stop(page, str(sanitised(wikis_article(WIKIS_OWN).marked([]))))
    assert [(piece["kind"], piece["text"]) for piece in pieces] == [
        ("text", "It opened in 1974."),
        ("text", "It is long."),
        ("infobox", "Line 1"),
        ("infobox", "Opened: 1974 (1975)"),
        ("list", "One"),
        ("list", "Inner one."),
        ("list", "Two."),
        ("list", "Three"),
        ("other", "The station in 1974."),
        ("table", "Line | Opened"),
        ("table", "Line: U1 | Opened:"),
    ]
