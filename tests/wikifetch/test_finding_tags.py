"""Finding tags: whole names, in the text that a wiki reads, wherever they sit."""

from itertools import count

import pytest

from wikifetch.wikitext import TagNames, find_tags
from wikifetch.wikitext.limits import MAX_PAGE_BYTES, MAX_TAGS_A_PAGE

TAG = "{{Inconsistent|date=May 2020}}"


def raws(wikitext):
    return [tag.raw for tag in find_tags(wikitext).tags]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Inconsistent", "inconsistent"),
        ("inconsistent", "inconsistent"),
        ("Contradict-inline", "inconsistent"),
        ("contradict inline", "inconsistent"),
        ("Contradictory inline", "inconsistent"),
        ("contradictory_inline", "inconsistent"),
        ("Contradiction-inline", "inconsistent"),
        ("contradiction inline", "inconsistent"),
        ("contradicts-inline", "inconsistent"),
        ("Self-contradictory", "self-contradictory"),
        ("contradict", "self-contradictory"),
        ("contradiction", "self-contradictory"),
        ("Contradicts other", "contradict-other"),
        ("contradict-other", "contradict-other"),
        ("Template:Inconsistent", "inconsistent"),
        (" Inconsistent\n", "inconsistent"),
    ],
)
def test_every_spelling_is_found_with_its_kind(name, kind):
    raw = f"{{{{{name}|date=May 2020}}}}"
    (tag,) = find_tags(f"The mill.{raw} It is old.").tags
    assert (tag.raw, tag.kind, tag.name) == (raw, kind, name.removeprefix("Template:").strip())


@pytest.mark.parametrize(
    "text",
    [
        "{{Inconsistent citations}}",
        "{{inconsistent citations|date=May 2020}}",
        "{{Contradictory evidence}}",
        "{{Self-contradictory-not}}",
        "{{Uncontradict}}",
        "{{{Inconsistent|}}}",
        "{{ {{Inconsistent",
        "[[Inconsistent]] and {Inconsistent}",
        "{{tl|Inconsistent}}",
        "The accounts are inconsistent; they contradict each other.",
        f"<!-- {TAG} -->",
        f"<nowiki>{TAG}</nowiki>",
        f"<pre>{TAG}</pre>",
        f"<syntaxhighlight lang='text'>{TAG}</syntaxhighlight>",
        f"<math>{TAG}</math>",
        f"<!-- never closed {TAG}",
        "",
    ],
)
def test_look_alikes_and_unread_text_hold_no_tag(text):
    assert find_tags(text).tags == ()


@pytest.mark.parametrize(
    "text",
    [
        f"<nowiki/>{TAG}",
        "{{inconsistent|reason=see -{Mill}- {{nowrap|-{a}-}}}}",
        "{{inconsistent|reason\n= 12 m\n|date=May 2020}}",
        "{{nowrap|see\n== {{inconsistent}} ==\n}}",
        f"<gallery>\nA.jpg|a }}}} b\n</gallery>{TAG}",
        f"<nowiki>{TAG}",  # never closed: the wiki reads on
        f"<gallery>\nMill.jpg|The mill{TAG}\n</gallery>",
        f"<ref>A note.{TAG}</ref>",
        f"{{{{Multiple issues|\n{TAG}\n{{{{Unreferenced}}}}\n}}}}",
        f"<!-- one -->{TAG}<!-- two -->",
        "{{<!-- a comment -->Inconsistent<!-- more -->|date=May 2020}}",
    ],
)
def test_a_tag_is_found_wherever_the_wiki_reads_it(text):
    assert len(find_tags(text).tags) == 1


def test_nested_templates_and_links_belong_to_the_reason():
    raw = "{{inconsistent|reason=See {{convert|3|m}} and [[Mill|the mill]] {{{x|}}}|date=May 2020}}"
    (tag,) = find_tags(f"It is high.{raw} Yes.").tags
    assert tag.raw == raw
    assert tag.reason == "See {{convert|3|m}} and [[Mill|the mill]] {{{x|}}}"
    assert tag.date == "May 2020"


def test_two_tags_in_one_block_are_two_and_each_leaves_the_other():
    other = "{{Contradict-inline|reason=Year}}"
    first, second = find_tags(f"Built in 1801.{TAG} Opened in 1799.{other}").tags
    assert first.block == second.block
    assert first.block_clean == f"Built in 1801. Opened in 1799.{other}"
    assert second.block_clean == f"Built in 1801.{TAG} Opened in 1799."


def test_identical_copies_are_separate_tags_and_all_leave_the_block():
    tags = find_tags(f"One.{TAG} Two.{TAG}").tags
    assert [tag.position for tag in tags] == [4, 4 + len(TAG) + 5]
    assert {tag.block_clean for tag in tags} == {"One. Two."}


def test_a_tag_without_closing_braces_is_reported_and_the_others_are_found():
    reading = find_tags(f"One.{TAG}\n\nTwo.{{{{inconsistent|reason=no end\n\nThree.")
    assert [tag.raw for tag in reading.tags] == [TAG]
    assert reading.problems[0].endswith("has no closing braces: {{inconsistent…")


@pytest.mark.parametrize(
    "text",
    [
        "One <includeonly>Two {{inconsistent}}</includeonly> three.",
        "One <includeonly>Two {{inconsistent}}",
    ],
)
def test_what_is_only_for_other_pages_has_no_tag(text):
    assert find_tags(text).tags == ()


def test_words_only_for_other_pages_are_not_read():
    (tag,) = find_tags(f"It is 12 m. <includeonly>Lower.</includeonly> End.{TAG}").tags
    assert tag.words.text == "It is 12 m. End."


@pytest.mark.parametrize(
    "name",
    [
        "inconsistent\u200e",
        "\u200finconsistent",
        "contradict\u200e inline",
        "\u202ainconsistent\u202c ",
        "incon\u200esistent",
        "\u202bi\u202dn\u202e\u200fconsistent",
        "Tem\u200eplate:inconsistent",
        "Template\u200f:\u200einconsistent",
    ],
)
def test_marks_of_direction_are_no_part_of_a_name(name):
    (tag,) = find_tags(f"One.{{{{{name}|reason=12 m|date=May 2020}}}}").tags
    assert (tag.kind, tag.reason, tag.date) == ("inconsistent", "12 m", "May 2020")
    assert tag.block_clean == "One."


# As MediaWiki 1.39 reads them: of a title it drops no other marks.
@pytest.mark.parametrize(
    "mark", [*"\u2066\u2067\u2068\u2069\u00ad\u200b\u200c\u200d\u2060\ufeff\u061c"]
)
def test_other_marks_make_the_name_of_another_template(mark):
    for name in (f"{mark}inconsistent", f"incon{mark}sistent", f"inconsistent{mark}"):
        assert find_tags(f"One.{{{{{name}|reason=12 m}}}}").tags == ()


@pytest.mark.parametrize("mark", [*"\u200e\u200f\u202a\u202e\u2066\u2069\u00ad\u200b\u200d"])
def test_a_mark_in_the_name_of_a_parameter_makes_another_one(mark):
    for name in (f"{mark}date", f"da{mark}te", f"date{mark}"):
        (tag,) = find_tags(f"One.{{{{inconsistent|{name}=May 2020|reason=12 m}}}}").tags
        assert (tag.date, tag.reason, tag.params[0]) == ("", "12 m", (name, "May 2020"))


@pytest.mark.parametrize(
    "text",
    [
        "One {{inconsistent|reason=see [[Mill|date=May 2020}} two.",
        "One {{inconsistent|reason=see [[Mill|date=May 2020}} two.\n\nThe [[weir]].",
        "One<ref>A {{inconsistent|date=May 2020</ref> two}}.",
        "{{inconsistent|reason=see {{nowrap|Mill|date=May 2020}} two.",
        "One {{inconsistent|reason=see -{ Mill|date=May 2020}} two.",
        "One {{inconsistent|reason=see\n== Mill|date=May 2020}} two.",
        "One {{inconsistent|reason=see <gallery>\nA.jpg|}}\n</gallery> two.",
    ],
)
def test_what_the_wiki_shows_as_text_is_no_tag_and_a_problem(text):
    reading = find_tags(text)
    assert reading.tags == ()
    assert reading.problems == (
        f"A tag at character {text.index('{{inc')} has no closing braces: {{{{inconsistent…",
    )


@pytest.mark.parametrize(
    "text",
    [
        f"One [[Mill {TAG} two.",
        f"One [[Mill|{{{{nowrap|a]] {TAG} two.",
        f"One ]] }} [http://e.org [x]] {TAG} {{{{a|[[b]]]}}}}.",
        f"[[File:A.jpg|thumb|See [http://e.org [[Mill]]] {TAG}]]",
    ],
)
def test_brackets_that_do_not_close_hide_no_tag_around_which_they_are(text):
    assert raws(text) == [TAG]


def test_an_unclosed_template_around_a_tag_does_not_hide_it():
    assert raws(f"{{{{multiple issues|{TAG}\n\nText.") == [TAG]


def test_entities_in_parameters_are_characters():
    raw = "{{contradict-inline|article=Rock &#39;n&#39; roll&#35;Origins|date=May&nbsp;2020"
    raw += "|reason=&quot;12 m&quot; &lt; 14 m}}"
    (tag,) = find_tags(f"One.{raw}").tags
    assert (tag.kind, tag.other_article) == ("contradict-other", "Rock 'n' roll")
    assert (tag.date, str(tag.month)) == ("May\xa02020", "2020-05-01")
    assert tag.reason == '"12 m" &lt; 14 m'
    assert dict(tag.params)["article"] == "Rock &#39;n&#39; roll&#35;Origins"


def test_a_parameter_of_article_issues_is_a_tag():
    raw = "|contradict=May 2009"
    text = (
        f"{{{{Article issues{raw}|refimprove=May 2008}}}}\nThe mill is old.\n\n== Later ==\nMore."
    )
    (tag,) = find_tags(text).tags
    assert (tag.raw, tag.kind, tag.date, tag.scope) == (
        raw,
        "self-contradictory",
        "May 2009",
        "lead",
    )
    assert tag.block_clean == "{{Article issues|refimprove=May 2008}}\nThe mill is old."


def test_an_empty_parameter_of_article_issues_is_none():
    assert find_tags("{{Article issues|contradict=|refimprove=May 2008}}").tags == ()


def test_a_wikis_own_names_replace_the_configured_ones():
    names = TagNames.from_spellings({"inconsistent": ["Widersprüchlich"]})
    assert len(find_tags("Alt.{{widersprüchlich}}", names).tags) == 1
    assert find_tags(f"Alt.{TAG}", names).tags == ()


def test_names_of_an_unknown_kind_are_refused():
    with pytest.raises(ValueError, match="Unknown kinds of tag"):
        TagNames.from_spellings({"dubious": ["Dubious"]})


def test_a_page_over_the_limit_is_set_aside_and_reported():
    reading = find_tags(TAG + "é" * (MAX_PAGE_BYTES // 2))
    assert reading.tags == ()
    assert reading.set_aside == "The page is over 2 MiB and was not read."


def test_more_tags_than_any_page_has_are_cut_and_reported():
    reading = find_tags(f"One.{TAG}\n\n" * (MAX_TAGS_A_PAGE + 5))
    assert len(reading.tags) == MAX_TAGS_A_PAGE
    assert reading.problems == (
        f"The page has 105 tags; only the first {MAX_TAGS_A_PAGE} were read.",
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "hostile",
    [
        "{{" * 200_000,
        "{{a|" * 100_000 + "}}" * 100_000,
        "<!--" * 200_000,
        "<nowiki>" * 100_000,
        "[[" * 300_000,
        "-{" * 300_000,
        "{{a|" * 100_000 + "{{inconsistent}}" + "}}" * 100_000,
        "[[File:A.jpg|thumb|a]] " * 20_000 + "{{inconsistent}} " * 100,
        "{{Mills|a}}\n" * 40_000 + "a\n{{inconsistent}}\n" * 100,
        "a\n\n" * 100_000 + "\n\n{{inconsistent}}" * 100,
        "<ref>a</small></ref>" * 40_000,
        "{{a|]] [[}} " * 50_000 + "<div>\n" * 50_000,
        "{|\n" * 100_000,
        "=" * 500_000,
        "= a =\n" * 100_000,
        "'" * 500_000,
        "{{inconsistent" * 50_000,
        "{{infobox\n" + "|a=b\n" * 100_000,
        "{{inconsistent}} " * 20_000,
        "{|\n| a || " + " " * 60_000 + "{{inconsistent}} " * 100 + "\n|}",
        "Built in {{start date|1801|" + "9" * 5_000 + "}}.{{inconsistent}}",
        "{{" + " " * 400_000,
        "{{template" + " " * 400_000,
        "{{foo\n|<!--" + "x" * 400_000 + "-->\n{{inconsistent}}\n}}",
        "{{issues|{{inconsistent}}}}\n" * 40_000,
        "{{issues|" * 40_000 + "}}" * 40_000,
        "{{a\n|b=" * 40_000 + "{{inconsistent}}" + "\n}}" * 40_000,
        "=a=\n" * 100_000 + "\n" + "=a\n" * 100_000 + "{{inconsistent}}",
    ],
    ids=count(),
)
def test_hostile_text_is_read_to_its_end(hostile):
    """Each of these keeps a tree parser busy for minutes; reading them is linear."""
    reading = find_tags(f"Mill.{TAG}\n\n{hostile}")
    assert TAG in [tag.raw for tag in reading.tags]
    assert len(reading.words()) == len(reading.tags)
