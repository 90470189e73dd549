"""Forms: what a collection says of itself; a version to freeze; its DOI and errata; publishing and withdrawing one."""

from collections.abc import Mapping
from typing import Any

from django import forms

from datasets.description import ANNOTATED_BY, COLUMNS, LANGUAGE, LINK, PEOPLE, YEAR, doi_of
from datasets.models import Collection
from datasets.releasing.describing import (
    BadCreator,
    creators_in,
    doi_in,
    lines_of,
)
from datasets.releasing.freezing import VERSION
from datasets.releasing.publishing import NAME, REASON_LIMIT
from leases.refusal import Refusal


class DoiField(forms.CharField):
    """A DOI, also where its address was pasted; cleaned to what follows the resolver."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            required=False,
            max_length=200,
            label="DOI",
            widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
            **options,
        )

    def clean(self, value: Any) -> str:
        try:
            return doi_in(super().clean(value))
        except Refusal as refused:
            raise forms.ValidationError(refused.message) from None


class LinkField(forms.CharField):
    """The address of a page; a DOI becomes its address."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            required=False,
            max_length=300,
            widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
            **options,
        )

    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        doi = doi_of(text)
        link = f"https://doi.org/{doi}" if doi else text
        if link and not LINK.match(link):
            raise forms.ValidationError("Write an address that begins with https://, or a DOI.")
        return link


def _words(label: str, help_text: str) -> forms.CharField:
    area = forms.Textarea(attrs={"rows": 3})
    return forms.CharField(
        required=False, max_length=10_000, label=label, help_text=help_text, widget=area
    )


def _people(help_text: str, rows: int = 4, **options: Any) -> forms.CharField:
    area = forms.Textarea(attrs={"rows": rows, "spellcheck": "false"})
    return forms.CharField(
        required=False, max_length=100_000, help_text=help_text, widget=area, **options
    )


class DescriptionForm(forms.Form):
    """The columns of COLUMNS (datasets/description.py)."""

    title = forms.CharField(required=False, max_length=200)
    description = forms.CharField(
        required=False, max_length=10_000, widget=forms.Textarea(attrs={"rows": 4})
    )
    creators = _people(
        "One on each line, in the order of the citation: NAME | ORCID | AFFILIATION. The name is enough."
    )
    licence = forms.CharField(
        required=False,
        max_length=200,
        label="Licence of the annotations",
        help_text="As an SPDX name, such as CC-BY-4.0. The passages keep the licence of their wiki.",
    )
    language = forms.RegexField(
        LANGUAGE,
        max_length=35,
        label="Language of the texts",
        help_text="A code such as en, ar or pt-BR.",
        error_messages={"invalid": "Write a language code, such as en, ar or pt-BR."},
    )
    keywords = forms.CharField(
        required=False,
        max_length=500,
        help_text="With commas between them. Catalogues list it by them.",
    )
    funding = forms.CharField(
        required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 2})
    )
    contact = forms.CharField(
        required=False,
        max_length=200,
        help_text="Where readers of a release ask. It is published with the release.",
    )
    source = forms.CharField(
        required=False, max_length=300, help_text="Where the records come from, if from elsewhere."
    )
    source_title = forms.CharField(
        required=False,
        max_length=300,
        label="Title of the source",
        help_text="Of its paper or data set.",
    )
    source_authors = _people(
        "One on each line, as the creators. All files that say how to cite the release name them.",
        label="Authors of the source",
    )
    source_year = forms.RegexField(
        YEAR,
        required=False,
        max_length=4,
        label="Year of the source",
        error_messages={"invalid": "Write a year, such as 2024."},
    )
    source_citation = forms.CharField(
        required=False,
        max_length=5000,
        label="How the source is cited",
        help_text="As a sentence.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    source_paper = LinkField(label="Paper of the source", help_text="Its address or DOI.")
    source_data = LinkField(label="Data of the source", help_text="Their address or DOI.")
    annotated_by = forms.ChoiceField(
        required=False, label="Who annotated", choices=[("", "Not said"), *ANNOTATED_BY]
    )
    how_made = _words(
        "How it was made",
        "How records were chosen, who annotated them and by which rules. Numbers are counted from the records.",
    )
    limits = _words("Limits", "What the data do not show, and what they are not for.")
    biases = _words("Biases", "What is over- or underrepresented, as far as you know.")
    personal_data = _words(
        "Personal data",
        "Whether texts are about living people or name somebody, and what was done about it.",
    )

    def __init__(self, data: Mapping[str, Any] | None, *, collection: Collection) -> None:
        about = collection.about
        super().__init__(data, initial=about | {name: lines_of(about[name]) for name in PEOPLE})

    def clean_creators(self) -> list[dict[str, str]]:
        return self._cleaned("creators")

    def clean_source_authors(self) -> list[dict[str, str]]:
        return self._cleaned("source_authors")

    def _cleaned(self, name: str) -> list[dict[str, str]]:
        try:
            return creators_in(self.cleaned_data[name])
        except BadCreator as bad:
            raise forms.ValidationError(str(bad)) from None

    @property
    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields below headings."""
        names = list(self.fields)
        source, made = names.index("source"), names.index("annotated_by")
        parts = {
            "The data set": names[:source],
            "Where the records come from": names[source:made],
            "How it was made": names[made:],
        }
        return [(heading, [self[name] for name in part]) for heading, part in parts.items()]

    @property
    def entered(self) -> dict[str, Any]:
        """The columns of a valid form."""
        return {name: self.cleaned_data[name] for name in COLUMNS}


class ReleaseForm(forms.Form):
    """A version for a release of the collection."""

    version = forms.RegexField(
        VERSION,
        max_length=40,
        label="Version",
        help_text="Such as 1.0. It can be given once and never changes.",
        error_messages={
            "invalid": "Use letters, digits, . _ - only, starting with a letter or digit."
        },
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    notes = forms.CharField(
        required=False, max_length=5000, label="Notes", widget=forms.Textarea(attrs={"rows": 3})
    )
    doi = DoiField(
        help_text="If an archive has reserved one for this version: the files then say it. It can be added later too."
    )


class AmendForm(forms.Form):
    """What can be added to a release that is frozen."""

    doi = DoiField(
        help_text="From the archive where you deposit the files, such as 10.5281/zenodo.1234567."
    )
    erratum = forms.CharField(
        required=False,
        max_length=5000,
        label="New erratum",
        help_text="What was found wrong. It is shown with today's date and cannot be changed.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class PublishForm(forms.Form):
    """Where a release is read without signing in."""

    name = forms.RegexField(
        NAME,
        required=False,
        max_length=60,
        label="Name in the address",
        help_text="Lower-case letters, digits, . _ - only. Left empty, the address is random, and nobody can guess it.",
        error_messages={
            "invalid": "Use up to 60 lower-case letters, digits, . _ - only, starting with a letter or digit."
        },
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class WithdrawForm(forms.Form):
    """Why what was published is withdrawn."""

    reason = forms.CharField(
        max_length=REASON_LIMIT,
        help_text="Whoever follows the address reads it, without signing in. Name nobody.",
        error_messages={"required": "Give a reason: whoever follows the address reads it."},
        widget=forms.Textarea(attrs={"rows": 3}),
    )
