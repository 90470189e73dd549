"""Pages of wikis in other languages: names of namespaces, parameters, months and the options of files."""

import json
import re
from datetime import date

import pytest

from tests.wikifetch.factories import export, mill, multistream, page, revision, written
from tests.wikifetch.fakewiki import Answer
from wikifetch import fetch, newfetch
from wikifetch.article_html import article_html
from wikifetch.evidence import talk_of
from wikifetch.models import FetchRun, Tag, TalkPage, Wiki
from wikifetch.source.answers import wiki_words
from wikifetch.tagcount import count_tags
from wikifetch.wikitext import TagNames, find_tags
from wikifetch.wikitext.article import render_article
from wikifetch.wikitext.captions import Caption, caption_of
from wikifetch.wikitext.languages import WikiWords, speaking
from wikifetch.wikitext.parameters import month_of
from wikifetch.wikitext.readable import readable

PAGES = {
    "de": (
        "Widersprüchlich",
        "[[Datei:Mühle.jpg|mini|hochkant=1.2|Erbaut 1890{{Vorlage:Widersprüchlich|grund=Im Text steht 1801|"
        "Datum=Mai 2020|Artikel=Gezeitenmühle}}|alternativtext=Zeichnung]]\nDie Mühle.[[Kategorie:Mühle]]",
        ("Erbaut 1890", "Im Text steht 1801", date(2020, 5, 1), "Gezeitenmühle"),
    ),
    "fr": (
        "Incohérence",
        "[[Fichier:Moulin.jpg|vignette|redresse=1.2|Construit en 1890{{Modèle:Incohérence|raison=Le texte dit 1801|"
        "date=août 2020|article=Moulin à marée}}|alt=Dessin]]\nLe moulin.[[Catégorie:Moulin]]",
        ("Construit en 1890", "Le texte dit 1801", date(2020, 8, 1), "Moulin à marée"),
    ),
    "es": (
        "Contradicción",
        "[[Archivo:Molino.jpg|miniatura|izquierda|Construido en 1890{{Plantilla:Contradicción|"
        "motivo=El texto dice 1801|fecha=5 de enero de 2020|artículo=Molino de mareas}}|"
        "alt=Dibujo]]\nEl molino.[[Categoría:Molino]]",
        ("Construido en 1890", "El texto dice 1801", date(2020, 1, 1), "Molino de mareas"),
    ),
}


@pytest.mark.parametrize("language", PAGES)
def test_a_page_of_another_language_is_read(language):
    template, page, expected = PAGES[language]
    names = TagNames.from_spellings({"inconsistent": [template]})
    (tag,) = find_tags(page, names).tags
    assert (tag.words.text, tag.reason, month_of(tag.date), tag.other_article) == expected
    html = render_article(page, (tag.block_start, tag.block_start + len(tag.block)), names)
    assert html.startswith(f'<p id="tagged-block" class="caption tagged">{expected[0]}<span')
    assert html.count("<p") == 2
    assert "Kategorie" not in html
    assert "Cat" not in html


@pytest.mark.parametrize("link", ["Kategorie:Mühle", "Catégorie:Moulin", "Categoría:Molino"])
def test_a_category_is_left_out_even_of_what_is_read_plainly(link):
    assert readable(f"Alt.[[{link}]]").text == "Alt."
    assert readable(f"Alt.[[{link}]]" + "{" * 150).text.startswith("Alt.{")


# What a Polish wiki says: no preset has its words.
SITE = {
    "namespaces": {
        "6": {"id": 6, "name": "Plik", "canonical": "File"},
        "14": {"id": 14, "name": "Kategoria", "canonical": "Category"},
        "10": {"id": 10, "name": "Szablon", "canonical": "Template"},
        "0": {"id": 0, "name": ""},
    },
    "namespacealiases": [{"id": 6, "alias": "Grafika"}, {"id": 1, "alias": "Dyskusja"}],
    "allmessages": [
        {"name": "may-gen", "content": "maja"},
        {"name": "jan", "content": "sty."},
        {"name": "oct", "missing": True},
        {"name": "sunday", "content": "niedziela"},
    ],
}
POLISH = wiki_words(SITE)
POLISH_PAGE = (
    "[[Plik:Młyn.jpg|thumb|Zbudowany w 1890{{Szablon:Sprzeczność|reason=W tekście 1801|date=5 maja 2020}}]]\n"
    "Młyn.[[Kategoria:Młyny]] [[Grafika:Koło.jpg|thumb|Koło]]"
)


def test_a_wikis_own_words_are_read_where_no_preset_has_them():
    assert (
        WikiWords(
            frozenset({"plik", "grafika", "file"}),
            frozenset({"kategoria", "category"}),
            frozenset({"szablon", "template"}),
            {"maja": 5, "sty": 1},
        )
        == POLISH
    )
    assert WikiWords.from_json(json.loads(json.dumps(POLISH.as_json()))) == POLISH
    names = TagNames.from_spellings({"inconsistent": ["Sprzeczność"]}, POLISH)
    (tag,) = find_tags(POLISH_PAGE, names).tags
    assert (tag.block_kind, tag.month) == ("caption", date(2020, 5, 1))
    with speaking(POLISH):
        assert tag.words.text == "Zbudowany w 1890"
        assert "Kategoria" not in render_article(POLISH_PAGE, None, names)
        assert readable("Stary.[[Kategoria:Młyny]]" + "{" * 150).text.startswith("Stary.{")
    assert (
        find_tags(POLISH_PAGE, TagNames.from_spellings({"inconsistent": ["Sprzeczność"]})).tags
        == ()
    )


@pytest.mark.parametrize(
    "said",
    [
        None, [], "text", {"namespaces": []}, {"namespaces": {"6": "File"}}, {"namespaces": {"6": {"id": "6"}}},
        {"namespacealiases": {"6": 1}}, {"namespacealiases": [None, 5, {"id": 6}, {"id": [6], "alias": "X"}]},
        {"allmessages": "x"}, {"allmessages": [{"name": ["may"], "content": "x"}, {"name": "may", "content": 5}]},
        {"namespaces": {"6": {"id": 6, "name": "a|b"}, "7": {"id": 6, "name": "x" * 500}, "8": {"id": 6, "name": " "}}},
    ],
)  # fmt: skip
def test_what_a_wiki_says_in_another_shape_is_passed_over(said):
    assert wiki_words(said) == WikiWords()


@pytest.mark.django_db
def test_a_live_wikis_words_are_kept_with_it_and_used_for_its_pages(live, settings):
    settings.WIKI_TEMPLATES = {live.address: {"inconsistent": ["Sprzeczność"]}}
    live.size, live.site = 1, SITE
    live.texts = {1: POLISH_PAGE}
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    seen = Tag.objects.get().latest
    assert (seen.block_kind, seen.block_text, seen.month) == (
        "caption", "Zbudowany w 1890", date(2020, 5, 1),
    )  # fmt: skip
    html = article_html(seen.revision, seen)
    assert "Kategoria" not in html
    live.site = {}  # it says nothing once: what it said before stays
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert WikiWords.from_json(Wiki.objects.get().words) == POLISH


@pytest.mark.django_db
def test_a_wiki_that_refuses_to_say_its_words_is_fetched_all_the_same(live):
    live.size = 1
    live.busy = iter([Answer({"errors": [{"code": "unknown_meta", "text": "No."}]})])
    assert fetch.finished(newfetch.fetch_of_kind("inconsistent")).tags_found == 1


@pytest.mark.django_db
def test_a_talk_page_shows_tags_under_the_names_of_its_wiki(live, settings):
    settings.WIKI_TEMPLATES = {live.address: {"inconsistent": ["Widerspruch"]}}
    live.size = 1
    live.texts = {1: "Erbaut 1801.{{Widerspruch}}"}
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    talk = TalkPage.objects.get()
    talk.wikitext = "== Jahr ==\nSiehe {{Widerspruch}}."
    talk.save()
    (shown,) = talk_of(Tag.objects.get().latest)
    assert '<span class="wiki-tag" title="{{Widerspruch}}">' in shown.html


@pytest.mark.parametrize(
    "name", ["Kategorie:Mühlen", "catégorie: Mühlen", ":Category:Mühlen", "Mühlen"]
)
@pytest.mark.django_db
def test_a_category_is_named_with_its_namespace_in_any_language_or_without(live, name):
    assert newfetch.fetch_of_category(name).options["category"] == "Mühlen"


@pytest.mark.parametrize("word", ["Mini", "Marco", "No", "Rand", "Bas", "Centro"])
def test_an_option_of_another_language_is_a_word(word):
    assert caption_of(f"[[File:a.jpg|thumb|{word}]]") == Caption(word, is_shown=True)
    assert caption_of(f"[[File:a.jpg|{word}]]") == Caption(word, is_shown=False)
    assert caption_of(f"A.jpg|{word}").wikitext == word
    assert caption_of(f"[[File:a.jpg|thumb|{word}|The mill]]").wikitext == "The mill"


@pytest.mark.parametrize(
    "link",
    [
        "Datei:a.jpg|mini",
        "Datei:a.jpg|mini|Rand",
        "File:a.jpg|mini|rechts",
        "Archivo:a.jpg|marco|no",
        "File:a.jpg|thumb",
        "File:a.jpg|thumb|hochkant=1.2",
    ],
)
def test_an_option_of_the_wikis_language_is_none(link):
    assert caption_of(f"[[{link}]]") == Caption("", is_shown=True)


def test_a_link_to_a_file_itself_is_shown_as_a_link():
    html = render_article("See [[Media:Report.pdf|the report]].")
    assert html == '<p>See <span class="link" title="Media:Report.pdf">the report</span>.</p>'


def test_an_english_parameter_counts_before_another_languages():
    (tag,) = find_tags("A.{{Inconsistent|grund=Zahl|reason=Number|razón=Número}}").tags
    assert tag.reason == "Number"


@pytest.mark.parametrize(
    ("words", "month"),
    [
        ("März 2020", 3), ("5. Mai 2020", 5), ("Okt. 2020", 10), ("1er mars 2020", 3), ("févr. 2020", 2),
        ("décembre 2020", 12), ("septiembre de 2020", 9), ("5 de abril del 2020", 4), ("MAYO 2020", 5),
        ("Jänner 2020", 1), ("setiembre de 2020", 9), ("мая 2020", 5), ("Maio de 2020", 5), ("2020年5月", 5),
        ("2020年12月3日", 12), ("2020년 5월", 5),
    ],
)  # fmt: skip
def test_months_in_other_languages(words, month):
    assert month_of(words) == date(2020, month, 1)


@pytest.mark.parametrize(
    "words", ["Mayo", "de 2020", "Lundi 2020", "5 de de mayo 2020", "2020年13月"]
)
def test_what_is_no_month(words):
    assert month_of(words) is None


@pytest.mark.django_db
def test_a_tag_is_shown_under_the_name_that_its_wiki_gives_it(tmp_path, settings):
    settings.WIKI_TEMPLATES = {"https://wiki.example": {"inconsistent": ["Widersprüchlich"]}}
    tag = "{{Widersprüchlich|grund=Jahr}}"
    fetch.fetch_xml(written(tmp_path, export(mill(f"Erbaut 1801.{tag}"))))
    seen = Tag.objects.get().latest
    assert f'<span class="wiki-tag" title="{tag}" aria-current="true">' in article_html(
        seen.revision, seen
    )


RUSSIAN = {-1: "Служебная", 0: "", 6: "Файл", 10: "Шаблон", 14: "Категория"}
RUSSIAN_PAGES = [
    mill(
        "[[Файл:Мельница.jpg|thumb|Мельница]]\nПостроена в 1801 году.{{Шаблон:Нестыковка|дата=мая 2020|причина="
        "В карточке 1810}}[[Категория:Мельницы]]"
    ),
    page(2, "Шаблон:Нестыковка", revision(11, "#REDIRECT"), ns=10, redirect="Шаблон:Противоречие"),
    page(3, "Шаблон:Другое", revision(12, "#REDIRECT"), ns=10, redirect="Шаблон:Нет АИ"),
]


@pytest.mark.django_db
@pytest.mark.parametrize("packed", ["export.xml", "export.xml.bz2", "streams"])
def test_a_file_is_read_with_what_it_says_of_its_wiki(tmp_path, settings, packed):
    settings.WIKI_TEMPLATES = {"https://wiki.example": {"inconsistent": ["Противоречие"]}}
    if packed == "streams":
        path = multistream(tmp_path, RUSSIAN_PAGES[:1], RUSSIAN_PAGES[1:], namespaces=RUSSIAN)
    else:
        path = written(tmp_path, export(*RUSSIAN_PAGES, namespaces=RUSSIAN), packed)
    assert count_tags([path], 1).tags["inconsistent"] == 1
    fetch.fetch_xml(path)
    seen = Tag.objects.get().latest
    assert (seen.block_text, seen.reason) == ("Построена в 1801 году.", "В карточке 1810")
    assert (seen.date, seen.month) == ("мая 2020", date(2020, 5, 1))
    html = article_html(seen.revision, seen)
    assert "Категория" not in html
    assert 'aria-current="true"' in html


@pytest.mark.django_db
def test_what_a_wiki_said_itself_counts_more_than_a_file(tmp_path):
    fetch.fetch_xml(written(tmp_path, export(mill("Old."))))
    Wiki.objects.update(words=POLISH.as_json())
    fetch.fetch_xml(written(tmp_path, export(mill("Old."), namespaces=RUSSIAN)))
    assert WikiWords.from_json(Wiki.objects.get().words) == POLISH


@pytest.mark.django_db
def test_tags_are_shown_under_every_name_that_their_wiki_gives_them(tmp_path, settings):
    settings.WIKI_TEMPLATES = {"https://wiki.example": {"inconsistent": ["Widersprüchlich"]}}
    tags = ["{{Widersprüchlich}}", "{{Widerspruch im Artikel}}", "{{Inconsistent}}"]
    fetch.fetch_xml(written(tmp_path, export(mill("A.{} B.{} C.{}".format(*tags)))))
    seen = Tag.objects.get().latest
    asked = {"names": {"self-contradictory": ["Widerspruch im Artikel"]}}
    FetchRun.objects.create(source="kind", wiki=seen.revision.article.wiki, options=asked)
    for html in (article_html(seen.revision, seen), article_html(seen.revision)):
        assert re.findall(r'<span class="wiki-tag" title="([^"]*)', html) == tags
