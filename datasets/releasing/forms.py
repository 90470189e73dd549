"""Forms: what a collection says of itself; a DOI and an erratum of a release; publishing and withdrawing one."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms

from datasets.description import COLUMNS, LANGUAGE
from datasets.models import Collection
from datasets.releasing.describing import BadCreator, creators_in, lines_of
from datasets.releasing.publishing import NAME, REASON_LIMIT

# Without braces and backslashes, which would end or change its field in BibTeX.
DOI = re.compile(r"10\.\d{4,9}/[^\s{}\\]{1,180}\Z")


class DescriptionForm(forms.Form):
    """The columns of COLUMNS (datasets/description.py)."""

    title = forms.CharField(required=False, max_length=200)
    description = forms.CharField(
        required=False, max_length=10_000, widget=forms.Textarea(attrs={"rows": 4})
    )
    creators = forms.CharField(
        required=False,
        max_length=100_000,
        help_text="One on each line, in the order of the citation: NAME | ORCID | AFFILIATION. The name is enough.",
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
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
    source_citation = forms.CharField(
        required=False,
        max_length=5000,
        label="How the source is cited",
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, data: Mapping[str, Any] | None, *, collection: Collection) -> None:
        super().__init__(
            data, initial=collection.about | {"creators": lines_of(collection.creators)}
        )

    def clean_creators(self) -> list[dict[str, str]]:
        try:
            return creators_in(self.cleaned_data["creators"])
        except BadCreator as bad:
            raise forms.ValidationError(str(bad)) from None

    @property
    def entered(self) -> dict[str, Any]:
        """The columns of a valid form."""
        return {name: self.cleaned_data[name] for name in COLUMNS}


class AmendForm(forms.Form):
    """What can be added to a release that is frozen."""

    doi = forms.CharField(
        required=False,
        max_length=200,
        label="DOI",
        help_text="Such as 10.5281/zenodo.1234567, from the archive where you deposit the files.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    erratum = forms.CharField(
        required=False,
        max_length=5000,
        label="New erratum",
        help_text="What was found wrong. It is shown with today's date and cannot be changed.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean_doi(self) -> str:
        doi: str = re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", self.cleaned_data["doi"])
        if doi and not DOI.match(doi):
            raise forms.ValidationError("Write a DOI, such as 10.5281/zenodo.1234567.")
        return doi


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
