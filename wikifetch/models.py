"""Pages of a wiki and the inconsistency tags on them."""

import re
import zlib
from functools import cached_property
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from leases.models import Leased
from wikifetch.states import FetchState, TagState
from wikifetch.wikitext.readable import readable

_MOST_READ = 2_000  # characters
_MARKUP = re.compile(r"\{\{|\[\[|''|[<&]")


class Wiki(models.Model):
    """A MediaWiki site, known by the address of its articles."""

    base_url = models.URLField(
        max_length=300, unique=True, help_text="Address of articles, ending in /wiki/."
    )
    api_url = models.URLField(
        max_length=300, blank=True, help_text="Address of api.php; empty for files only."
    )
    name = models.CharField(max_length=120)
    words = models.JSONField(
        default=dict, help_text="What it calls its namespaces and the months, as it says."
    )
    rights_text = models.CharField(
        max_length=200,
        blank=True,
        help_text="The licence of its texts, as it says; empty: it says none.",
    )
    rights_url = models.CharField(
        max_length=200, blank=True, help_text="The licence's address, as it says."
    )
    busy_until = models.DateTimeField(
        null=True, help_text="It was busy, and is not asked before this time; empty: never busy."
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_demonstration(self) -> bool:
        return is_invented(self.base_url)

    @cached_property
    def names_asked(self) -> dict[str, list[str]]:
        """Kind -> names of tags, as it was last asked for them; read once, as a page shows several texts of a wiki."""
        asked = FetchRun.objects.exclude(source=FetchRun.Source.XML)
        runs = asked.filter(wiki=self, options__has_key="names").order_by("-pk")
        return runs.values_list("options__names", flat=True).first() or {}

    @property
    def language(self) -> str:
        """The code of its language by its address, as "de" of de.wikipedia.org; "" where that does not tell."""
        host = urlsplit(self.base_url).hostname or ""
        code = re.match(r"(?!www\.)([a-z]{2,3}|simple)(?:-[a-z-]+)?\.(?:m\.)?wik[a-z]+\.org$", host)
        return "" if code is None else code[1].replace("simple", "en")


def is_invented(address: str) -> bool:
    """Whether a wiki's pages are invented: addresses under .example are no real site's (RFC 2606)."""
    return (urlsplit(address).hostname or "").endswith(".example")


class Article(models.Model):
    """A page of a wiki; pageid survives renames, the title is the latest seen."""

    wiki = models.ForeignKey(Wiki, on_delete=models.PROTECT, related_name="articles")
    pageid = models.PositiveBigIntegerField()
    title = models.CharField(max_length=300)
    traced_revid = models.PositiveBigIntegerField(
        null=True,
        help_text="The revision from which the wiki was last asked who added the tags; empty: never.",
    )

    class Meta:
        ordering = ["title"]
        constraints = [
            models.UniqueConstraint(fields=["wiki", "pageid"], name="article_once_a_wiki")
        ]
        # Also for lists in the order of titles, over all wikis.
        indexes = [models.Index(fields=["title", "wiki"], name="article_in_title_order")]

    def __str__(self) -> str:
        return self.title

    @property
    def url(self) -> str:
        return self.wiki.base_url + quote(self.title.replace(" ", "_"), safe=":/(),'!*")

    def permalink(self, revid: int | None) -> str:
        root = self.wiki.base_url
        return f"{root}?oldid={revid}" if "?" not in root else f"{root}&oldid={revid}"


class NamedArticle(models.Model):
    """Where a title leads that a tag names as the other article: to a page of its wiki, redirects followed."""

    wiki = models.ForeignKey(Wiki, on_delete=models.CASCADE, related_name="+")
    title = models.CharField(max_length=300)
    pageid = models.PositiveBigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["wiki", "title"], name="named_article_once_a_title")
        ]

    def __str__(self) -> str:
        return self.title


class TalkPage(models.Model):
    """The latest talk page seen of an article. Absent where the wiki has none, or the source held none."""

    article = models.OneToOneField(Article, on_delete=models.CASCADE, related_name="talk")
    revid = models.PositiveBigIntegerField(null=True)
    wikitext = models.TextField(blank=True)
    fetched_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"Talk:{self.article.title}"


class Revision(models.Model):
    """One revision of an article, as fetched; annotations pin it through a sighting. Only purging changes it."""

    article = models.ForeignKey(Article, on_delete=models.PROTECT, related_name="revisions")
    revid = models.PositiveBigIntegerField()
    parent_revid = models.PositiveBigIntegerField(null=True)
    timestamp = models.DateTimeField(null=True)
    editor = models.CharField(max_length=255, blank=True)
    summary = models.TextField(blank=True)
    wikitext = models.TextField(blank=True)
    set_aside = models.TextField(
        blank=True, help_text="Why this revision's text was not read for tags."
    )
    fetched_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-revid"]
        constraints = [
            models.UniqueConstraint(fields=["article", "revid"], name="revision_once_an_article")
        ]

    def __str__(self) -> str:
        return f"{self.article.title} ({self.revid})"

    @property
    def permalink(self) -> str:
        return self.article.permalink(self.revid)


class RevisionHtml(models.Model):
    """The wiki's own HTML of a revision, with its templates as they were then. Not sanitised: see wikihtml.

    In a row of its own: it is three to ten times as long as the wikitext.
    """

    revision = models.OneToOneField(
        Revision, on_delete=models.CASCADE, primary_key=True, related_name="html"
    )
    packed = models.BinaryField(null=True, help_text="zlib of UTF-8; empty: the wiki gave none.")
    problem = models.TextField(blank=True, help_text="Why there is none.")
    ask_again = models.BooleanField(default=False, help_text="A later fetch asks for it again.")
    asked_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(packed__isnull=False, problem="", ask_again=False)
                | (models.Q(packed__isnull=True) & ~models.Q(problem="")),
                name="revision_html_or_why_none",
            )
        ]

    def __str__(self) -> str:
        return f"HTML of {self.revision}"

    @property
    def text(self) -> str:
        return zlib.decompress(self.packed or zlib.compress(b"")).decode()


class TagKind(models.TextChoices):
    INCONSISTENT = "inconsistent", "Inconsistent (inline)"
    SELF_CONTRADICTORY = "self-contradictory", "Self-contradictory"
    CONTRADICT_OTHER = "contradict-other", "Contradicts another article"


ALL_KINDS = "all"  # what a fetch by kind may ask for


class Tag(models.Model):
    """An inconsistency tag on an article: one identity over all revisions that have it."""

    article = models.ForeignKey(Article, on_delete=models.PROTECT, related_name="tags")
    kind = models.CharField(max_length=20, choices=TagKind.choices)
    state = models.CharField(max_length=10, choices=TagState.choices, default=TagState.LIVE)
    latest = models.ForeignKey("Sighting", on_delete=models.PROTECT, null=True, related_name="+")
    introduced_revid = models.PositiveBigIntegerField(null=True)
    introduced_at = models.DateTimeField(null=True)
    introduced_by = models.CharField(max_length=255, blank=True)
    introduced_summary = models.TextField(blank=True)
    introduced_raw = models.TextField(blank=True, help_text="The tag as that edit wrote it.")
    introduced_block = models.TextField(blank=True, help_text="The block in that edit.")
    introduced_parent_revid = models.PositiveBigIntegerField(null=True)
    introduced_parent_block = models.TextField(blank=True, help_text="The block before that edit.")
    first_seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["article__title", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=TagKind.values), name="tag_kind_is_known"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=TagState.values), name="tag_state_is_known"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "kind"], name="tag_by_state_and_kind"),
            # The list of tags counts them in this index.
            models.Index(
                fields=["kind", "state"],
                condition=models.Q(latest__isnull=False),
                name="tag_seen_by_kind_and_state",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} in “{self.article.title}”"


class Sighting(models.Model):
    """What was seen of a tag in one revision, and where. Append-only, but for purging."""

    tag = models.ForeignKey(Tag, on_delete=models.PROTECT, related_name="sightings")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="sightings")
    position = models.PositiveIntegerField(
        help_text="Offset of the tag in the wikitext, in characters."
    )
    kind = models.CharField(max_length=20, choices=TagKind.choices)
    name = models.CharField(max_length=120, help_text="The template's name as written.")
    raw = models.TextField(help_text="The tag as written, with its braces.")
    date = models.CharField(max_length=200, blank=True)
    month = models.DateField(
        null=True,
        help_text="The first day of the month that `date` names; empty where it names none.",
    )
    reason = models.TextField(blank=True)
    other_article = models.CharField(max_length=300, blank=True)
    section = models.TextField(
        blank=True, help_text="Headings above the tag, outermost first, joined by ' / '."
    )
    scope = models.CharField(max_length=10, blank=True, help_text="section or lead, for banners.")
    block_kind = models.CharField(
        max_length=20, blank=True, help_text="paragraph, list item, table row, infobox field, …"
    )
    block = models.TextField(help_text="Wikitext of the smallest unit that holds the tag.")
    block_clean = models.TextField(help_text="The block without the identical copies of the tag.")
    block_text = models.TextField(blank=True, help_text="The block as readable text.")
    dropped = models.JSONField(default=list, help_text="What block_text leaves out.")
    plain_fallback = models.BooleanField(
        default=False, help_text="The block was too hostile to parse as a tree."
    )
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["revision", "position"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "position"], name="sighting_once_a_place")
        ]

    def __str__(self) -> str:
        return f"{self.raw[:60]} at {self.position}"

    @property
    def reason_words(self) -> str:
        return words_of_reason(self.reason)


def words_of_reason(reason: str) -> str:
    """The reason as a person reads it: {{convert|34|mm}} is 34 mm. A very long one is left as written.

    A page shows fifty, and a hostile one may take half a second to be parsed.
    """
    if len(reason) > _MOST_READ or not _MARKUP.search(reason):
        return reason
    return readable(reason).text


class FetchRun(Leased):
    """Fetching pages from one source: a queue frozen at the start, a cursor into it, counts."""

    class Source(models.TextChoices):
        XML = "xml", "XML file"
        TITLES = "titles", "Titles"
        KIND = "kind", "Kind of tag"
        CATEGORY = "category", "Category"

    source = models.CharField(max_length=10, choices=Source.choices)
    label = models.CharField(
        max_length=300, help_text="What was asked for: a file's name, a kind, how many titles."
    )
    wiki = models.ForeignKey(Wiki, on_delete=models.PROTECT, null=True, related_name="fetch_runs")
    options = models.JSONField(default=dict)
    contact = models.CharField(
        max_length=200,
        blank=True,
        help_text="Whom the wiki's operators can reach, as this fetch was asked for; empty: as the setting says.",
    )
    # Of a file: the pages with tags that it has given so far.
    queue = models.JSONField(default=list, help_text="Page ids or titles, frozen.")
    titles = models.JSONField(
        default=dict,
        help_text="Page id -> title, as the source listed the queue: of a page that is gone, the wiki gives the id "
        "alone. Empty once it is done.",
    )
    queue_frozen = models.BooleanField(default=False)
    cursor = models.PositiveIntegerField(default=0, help_text="How many of the queue are done.")
    pages = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(
        default=0, help_text="Pages whose newest revision an earlier fetch had read."
    )
    began_at = models.DateTimeField(null=True, help_text="When it was last started or resumed.")
    began_cursor = models.PositiveIntegerField(default=0, help_text="The cursor then.")
    waited = models.PositiveIntegerField(
        default=0,
        help_text="Seconds that the busy wiki made it wait since it last recorded a page.",
    )
    requests = models.PositiveIntegerField(default=0, help_text="Requests sent to the wiki.")
    received_bytes = models.PositiveBigIntegerField(
        default=0, help_text="Bytes of the wiki's answers as they came, mostly compressed."
    )
    tags_found = models.PositiveIntegerField(default=0)
    tags_new = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=FetchState.choices, default=FetchState.WAITING)
    error = models.TextField(blank=True)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=FetchState.values), name="fetch_state_is_known"
            ),
            # A wiki is asked in series, however many workers there are.
            models.UniqueConstraint(
                fields=["wiki"],
                condition=models.Q(state=FetchState.RUNNING) & ~models.Q(source="xml"),
                name="one_live_fetch_a_wiki",
            ),
        ]

    def __str__(self) -> str:
        return f"Fetch {self.pk}: {self.label}"


class FetchProblem(models.Model):
    run = models.ForeignKey(FetchRun, on_delete=models.CASCADE, related_name="problems")
    page = models.CharField(max_length=300)
    problem = models.TextField()
    seen_before = models.BooleanField(
        default=False, help_text="An earlier fetch of this wiki had the same problem with the page."
    )

    class Meta:
        ordering = ["seen_before", "pk"]
        # Each new problem is looked for among those of earlier fetches.
        indexes = [models.Index(fields=["page"], name="fetch_problem_by_page")]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "page", "problem"], name="fetch_problem_once_a_run"
            )
        ]

    def __str__(self) -> str:
        return f"{self.page}: {self.problem}"
