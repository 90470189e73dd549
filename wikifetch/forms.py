"""Forms of wikifetch."""

from typing import Any

from django import forms
from django.conf import settings

from wikifetch import tagfilters
from wikifetch.models import ALL_KINDS, FetchRun, TagKind
from wikifetch.newfetch import MAX_DEPTH, USUAL_DEPTH, LiveOptions
from wikifetch.source.manners import WikiError, user_agent
from wikifetch.states import TagState

Source = FetchRun.Source
MAX_UPLOAD_MB = 256
MAX_TITLES_CHARS = 2_000_000


# A source -> the fields that it reads, and those of them that cannot be empty.
LIVE = ("wiki", "contact", "history", "dry_run")
READ: dict[str, tuple[str, ...]] = {
    Source.KIND: ("kind", "limit", *LIVE),
    Source.CATEGORY: ("category", "depth", "limit", *LIVE),
    Source.TITLES: ("titles", "titles_file", *LIVE),
    Source.XML: ("file",),
}
NEEDED = {"kind", "category", "depth", "file", "contact"}


class FetchForm(forms.Form):
    """What to fetch, and from where. The fields of the other sources keep what was entered, and are not read."""

    marks_optional = False

    source = forms.ChoiceField(
        label="What to fetch",
        initial=Source.KIND,
        widget=forms.RadioSelect,
        choices=[
            (Source.KIND, "All articles with a kind of tag"),
            (Source.CATEGORY, "The articles of a category"),
            (Source.TITLES, "A list of articles"),
            (Source.XML, "A file: an export or a dump of a wiki"),
        ],
    )
    kind = forms.ChoiceField(
        label="Kind of tag",
        required=False,
        choices=[(ALL_KINDS, "All kinds"), *TagKind.choices],
    )
    category = forms.CharField(
        label="Category",
        required=False,
        max_length=255,
        widget=forms.TextInput(attrs={"spellcheck": "false"}),
        help_text="Its name on that wiki.",
    )
    depth = forms.IntegerField(
        label="Levels of subcategories",
        required=False,
        initial=USUAL_DEPTH,
        min_value=0,
        max_value=MAX_DEPTH,
        help_text="1 also takes the articles of its subcategories, such as those for each month; 0 only its own.",
    )
    titles = forms.CharField(
        label="Titles",
        required=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        help_text="One article on each line, with its title as on the wiki.",
        max_length=MAX_TITLES_CHARS,
    )
    titles_file = forms.FileField(
        label="Or a file of titles",
        required=False,
        help_text="Text in UTF-8, a title on each line.",
    )
    file = forms.FileField(
        label="Export file",
        required=False,
        help_text=f"MediaWiki XML (.xml, .gz, .bz2 or .xz) up to {MAX_UPLOAD_MB} MB, from a wiki's "
        "Special:Export or a dump. Larger files: manage.py fetch_tagged_pages --xml FILE.",
        error_messages={"empty": "This file is empty. Choose another."},
    )
    limit = forms.IntegerField(
        label="At most",
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text="How many pages; all of them if empty.",
    )
    wiki = forms.ChoiceField(label="Wiki", required=False)
    contact = forms.CharField(
        label="Your contact",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocomplete": "email"}),
        help_text="An e-mail address or a web page. Wikis ask who is calling: they see it with every request.",
    )
    history = forms.BooleanField(
        label="Find the edit that added each tag",
        required=False,
        initial=True,
        help_text="One request a page, more for long histories.",
    )
    dry_run = forms.BooleanField(
        label="List the pages, then pause",
        required=False,
        help_text="To see how many there are before they are fetched.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        wiki = self.fields["wiki"]
        assert isinstance(wiki, forms.ChoiceField)
        wiki.choices = [(base, base.split("://", 1)[-1]) for base in settings.WIKI_ALLOWED]
        if len(settings.WIKI_ALLOWED) == 1:
            wiki.widget = forms.HiddenInput()

    def clean_file(self) -> object:
        file = self.cleaned_data["file"]
        if file and file.size > MAX_UPLOAD_MB * 1024**2:
            raise forms.ValidationError(
                f"This file has {file.size / 1024**2:.0f} MB; up to {MAX_UPLOAD_MB} can be uploaded. "
                "Split it, or read it with manage.py fetch_tagged_pages --xml."
            )
        return file

    def clean_titles_file(self) -> list[str]:
        file = self.cleaned_data["titles_file"]
        if not file:
            return []
        if file.size > MAX_TITLES_CHARS:
            raise forms.ValidationError(
                f"This file has {file.size / 1e6:.0f} MB; a list of titles may have "
                f"{MAX_TITLES_CHARS / 1e6:.0f}. Split it."
            )
        try:
            return file.read().decode("utf-8-sig").splitlines()
        except UnicodeDecodeError:
            raise forms.ValidationError(
                "This file is not text in UTF-8. Save it so, a title on each line."
            ) from None

    def clean_contact(self) -> str:
        contact: str = self.cleaned_data["contact"]
        if contact:
            try:
                user_agent("", contact, "")
            except WikiError as error:
                raise forms.ValidationError(error.message) from None
        return contact

    def clean(self) -> dict[str, Any]:
        entered = super().clean() or {}
        read = READ.get(entered.get("source", ""), ())
        for name in [name for name in self.errors if name not in (*read, "source")]:
            del self.errors[name]
        # The names of a list are shown without asking the wiki.
        is_own = entered.get("source") == Source.TITLES and "preview" in self.data
        for name in NEEDED.intersection(read) - ({"contact"} if is_own else set()):
            if name not in self.errors and entered.get(name) in (None, ""):
                self.add_error(name, self.fields[name].error_messages["required"])
        return entered

    def titles_given(self) -> list[str]:
        return [*self.cleaned_data["titles"].splitlines(), *self.cleaned_data["titles_file"]]

    def live_options(self) -> LiveOptions:
        entered = self.cleaned_data
        return LiveOptions(
            entered["wiki"], entered["history"], entered["dry_run"], entered["contact"]
        )


def _choose_fetch(field: forms.Field) -> None:
    assert isinstance(field, forms.ChoiceField)
    runs = FetchRun.objects.only("label")
    field.choices = [("", "Every fetch"), *((str(run.pk), str(run)) for run in runs)]


class TagFilterForm(forms.Form):
    """What a list of tags is narrowed to; unknown values narrow nothing."""

    kind = forms.ChoiceField(
        label="Kind", required=False, choices=[("", "All kinds"), *TagKind.choices]
    )
    state = forms.ChoiceField(
        label="State", required=False, choices=[("", "Live and gone"), *TagState.choices]
    )
    reason = forms.ChoiceField(
        label="Reason",
        required=False,
        choices=[("", "With and without"), ("yes", "Gives one"), ("no", "Gives none")],
    )
    since = forms.IntegerField(
        label="Dated since", required=False, min_value=1990, max_value=2100,
        widget=forms.NumberInput(attrs={"placeholder": "year"}),
    )  # fmt: skip
    until = forms.IntegerField(
        label="until", required=False, min_value=1990, max_value=2100,
        widget=forms.NumberInput(attrs={"placeholder": "year"}),
    )  # fmt: skip
    fetch = forms.TypedChoiceField(label="Fetch", required=False, coerce=int, empty_value=None)
    words = forms.CharField(
        label="Words",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )

    def __init__(self, *args: Any, by_fetch: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if by_fetch:
            _choose_fetch(self.fields["fetch"])
        else:  # their names are the admins'
            del self.fields["fetch"]
        for known in tagfilters.tag_filters():
            self.fields[known.name] = forms.ChoiceField(
                label=known.label, required=False, choices=known.choices()
            )
        self.order_fields([*(name for name in self.fields if name != "words"), "words"])
