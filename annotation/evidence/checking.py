"""What is found in an annotation: by its entries alone (fields/checks.py), and next to the articles that it shows."""

from collections.abc import Iterator

from annotation.evidence.copied_words import strange_words, words_to_copy
from annotation.evidence.other_articles import OtherArticles
from annotation.evidence.provenance import PASSAGES
from annotation.fields.checks import CheckFinding, Level, check
from annotation.fields.matching import fold
from annotation.fields.steps import VALID
from annotation.fields.walker import Entries
from annotation.models import Annotation
from wikifetch.models import Revision
from wikifetch.shownarticle import shown_article

MOST_NAMED = 8  # words


def findings_on(annotation: Annotation, entries: Entries) -> list[CheckFinding]:
    return [*check(entries), *not_in_articles(annotation, entries)]


def not_in_articles(
    annotation: Annotation, entries: Entries, passages: tuple[str, ...] = PASSAGES
) -> Iterator[CheckFinding]:
    """A warning for each passage as copied with words that its article, if it is stored, does not have."""
    if entries["validity"] != VALID:
        return
    for n in passages:
        name, title = f"passage_{n}_copied", entries[f"article_{n}"]
        if words := _strange(annotation, entries[name], _plain(title)):
            named = ", ".join(f"“{word}”" for word in words[:MOST_NAMED])
            more = f" and {len(words) - MOST_NAMED} more" if len(words) > MOST_NAMED else ""
            yield CheckFinding(
                "not_in_article",
                Level.WARN,
                name,
                f"Not in the stored revision of “{title}”: {named}{more}. Did a page translator or a hand change "
                f"passage {n}? Copy it again.",
            )


def _strange(annotation: Annotation, passage: str, title: str) -> list[str]:
    """The words that no shown revision of this title has; none where none is stored."""
    strange: list[str] = []
    for revision in _shown(annotation) if passage.strip() else ():
        if _plain(revision.article.title) != title:
            continue
        sighting = annotation.sighting
        marked = sighting if revision.pk == sighting.revision_id else None
        if html := shown_article(revision, marked).html:
            known = words_to_copy(html, revision.wikitext)
            strange = strange_words(" ".join(strange) or passage, known)
            if not strange:
                break
    return strange


def _shown(annotation: Annotation) -> Iterator[Revision]:
    """The revisions that the annotation's page shows; the tagged one first, which mostly is enough."""
    yield annotation.sighting.revision
    yield from (choice.revision for choice in OtherArticles(annotation).choices)


def _plain(title: str) -> str:
    return fold(title.replace("_", " "))
