"""A draft begins with what the browser copies of the marked block: one table of cases drives both."""

import json

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage

from annotation.evidence.headstart import columns_at_start
from annotation.models import Annotation
from tests.annotation import factories as make
from tests.annotation.captured_cases import CASES, TAG, sighting_of
from tests.browser.conftest import settled, sign_in
from tests.browser.test_annotate_page import address, choose, wait_until
from wikifetch.shownarticle import shown_article
from wikifetch.source.dump import read_dump
from wikifetch.wikitext import find_tags

pytestmark = pytest.mark.django_db(transaction=True)

# Of each article: the sentences, rows and items of what is marked, each marked element from its first to its last, as
# the cursor selects them; and what the form proposes as their kind.
COPY_THE_MARKED = """async ([names, htmls]) => {
  const [{ copied }, { stops }, { modality }] = await Promise.all(names.map((name) => import(name)));
  const elementOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement);
  return htmls.map((html) => {
    const holder = document.createElement("div");
    holder.className = "article-text";
    holder.innerHTML = html;
    document.body.append(holder);
    const left = new Set(stops(holder));
    const pieces = [];
    for (const marked of holder.querySelectorAll(".tagged")) {
      const item = (element) => element.closest("li, dd, dt");
      const isItem = item(marked) === marked;
      const isOwn = (at) => marked.contains(at) && (!isItem || item(elementOf(at)) === marked);
      const own = [...left].filter(({ startContainer }) => isOwn(startContainer));
      for (const range of own) left.delete(range);
      const whole = document.createRange();
      whole.selectNodeContents(marked);
      if (own.length) {
        whole.setStart(own[0].startContainer, own[0].startOffset);
        whole.setEnd(own.at(-1).endContainer, own.at(-1).endOffset);
      }
      const piece = own.length || /^H/.test(marked.nodeName) ? copied(whole, holder) : null;
      if (piece) pieces.push(piece);
    }
    holder.remove();
    return [pieces.map(({ text }) => text).join("\\n"), modality(pieces.map(({ kind }) => kind))];
  });
}"""
MODULES = ("elements/article-text", "elements/sentence-cursor", "suggestions")


@pytest.fixture
def copy(page):
    """What the browser copies of the marked passage of each of these articles: (text, kind)."""
    alice = make.annotator("alice")
    sign_in(page, alice)
    page.goto(address(make.draft(alice)))
    settled(page)
    names = [staticfiles_storage.url(f"js/annotation/{name}.js") for name in MODULES]
    return lambda htmls: [tuple(pair) for pair in page.evaluate(COPY_THE_MARKED, [names, htmls])]


def html_of(sighting):
    return shown_article(sighting.revision, sighting).html


def begun(sighting):
    columns = columns_at_start(sighting)
    return columns.get("passage_1_copied", ""), columns.get("modality_1", "")


def test_each_case_is_copied_as_the_server_fills_it_in(copy):
    shown = [html_of(sighting_of(wikitext, html)) for wikitext, html, _, _ in CASES.values()]
    found = dict(zip(CASES, copy(shown), strict=True))
    assert found == {name: (text, kind) for name, (_, _, text, kind) in CASES.items()}


def test_the_published_tags_are_copied_as_they_are_filled_in(copy, study_data, capsys):
    path = study_data / "wikicontradict" / "wikicontradict.json"
    records = json.loads(path.read_text(encoding="utf-8"))
    sightings = [
        sighting_of(record["paragraph_A"], raw="{{" + record["tag"] + "}}") for record in records
    ]
    filled = [begun(sighting) for sighting in sightings]
    inline = [n for n, sighting in enumerate(sightings) if not sighting.scope]
    found = copy([html_of(sightings[n]) for n in inline])
    different = [n for n, pair in zip(inline, found, strict=True) if pair != filled[n]]
    with capsys.disabled():
        same = len(inline) - len(different)
        print(f"\nFilled in as copied: {same} of {len(inline)} inline tags; of banners nothing is.")
    assert different == []
    assert {filled[n] for n in range(130)} - {filled[n] for n in inline} <= {("", "")}


# What a line of an article begins with, and how a tag is put into it.
PLACES = {
    "a list item": "*",
    "a row": "|",
    "a caption": "[[File:",
    "prose": "'ABCDEFGHIJKLMNOPQRSTUVWXYZ",
}


def with_a_tag(text, number):
    """The article with a tag at the end of a line in its middle; the kind of line changes from article to article."""
    lines = text.split("\n")
    kinds = [*PLACES.values()]
    for begins in kinds[number % 4 :] + kinds[: number % 4]:
        of_kind = [
            n
            for n, line in enumerate(lines)
            if len(line) > 20
            and (line.startswith(begins) if begins[0] in "*|[" else line[0] in begins)
            and line[:2] not in {"|-", "|}", "|+"}
        ]
        if of_kind:
            at = of_kind[len(of_kind) // 2]
            is_caption = lines[at].endswith("]]") and begins == "[[File:"
            lines[at] = f"{lines[at][:-2]}{TAG}]]" if is_caption else lines[at] + TAG
            return "\n".join(lines)
    return text + TAG


def test_tags_in_real_articles_are_copied_as_they_are_filled_in(copy, study_file, capsys):
    pages = read_dump(study_file("wikitext/enwiki_sample.xml.bz2")).pages
    texts = [r.text for page in pages for r in page.revisions if len(r.text) > 1_000]
    tagged = [with_a_tag(text, number) for number, text in enumerate(texts)]
    sightings = [sighting_of(text) for text in tagged if find_tags(text).tags]
    filled = [begun(sighting) for sighting in sightings]
    found = copy([html_of(sighting) for sighting in sightings])
    with capsys.disabled():
        kinds = {kind: [k for _, k in filled].count(kind) for kind in {k for _, k in filled}}
        print(f"\n{len(found)} tags in real articles, filled in as {kinds}")
    assert len(found) > 100
    assert found == filled


@pytest.mark.parametrize(
    "case",
    [
        "prose with a reference, a link and a tag in the middle of a sentence",
        "a cell over two rows, and one over two columns",
        "a cell over two rows, and one over two columns, in the wiki's HTML",
        "a row of an infobox, with the label that is shown, in the wiki's HTML",
        "a block that the wiki's own HTML does not have is copied from our rendering, in the wiki's HTML",
    ],
)
def test_the_keys_copy_what_the_form_begins_with(page, case):
    wikitext, html, text, kind = CASES[case]
    sighting_of(wikitext, html)
    alice = make.annotator("alice")
    draft = make.draft(alice, within=make.campaign(tags=0))
    sign_in(page, alice)
    page.goto(address(draft))
    settled(page)
    choose(page, "validity", "Valid")
    page.evaluate("document.activeElement.blur()")
    box = page.locator("[name=passage_1_copied]")
    assert box.input_value() == text
    page.keyboard.press("j")
    if kind == "text":
        page.keyboard.press("Shift+J")
    page.keyboard.press("1")
    assert box.input_value() == text
    wait_until(page, "saved")
    saved = Annotation.objects.get()
    assert (saved.passage_1_copied, saved.modality_1) == (text, kind)
    assert [piece["text"] for piece in saved.provenance["1"]] == [text]
