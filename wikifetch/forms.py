"""Forms of wikifetch."""

from django import forms

from wikifetch.models import TagKind
from wikifetch.states import TagState

MAX_UPLOAD_MB = 256


class FileForm(forms.Form):
    """A MediaWiki export from the admin's machine."""

    file = forms.FileField(
        label="Export file",
        help_text=f"MediaWiki XML (.xml, .gz or .bz2) up to {MAX_UPLOAD_MB} MB, from a wiki's "
        "Special:Export or a dump. Larger files: manage.py fetch_tagged_pages --xml FILE.",
        error_messages={"empty": "This file is empty. Choose another."},
    )

    def clean_file(self) -> object:
        file = self.cleaned_data["file"]
        if file.size > MAX_UPLOAD_MB * 1024**2:
            raise forms.ValidationError(
                f"This file has {file.size / 1024**2:.0f} MB; up to {MAX_UPLOAD_MB} can be uploaded. "
                "Split it, or read it with manage.py fetch_tagged_pages --xml."
            )
        return file


class TitlesForm(forms.Form):
    """Articles by title."""

    titles = forms.CharField(
        label="Titles",
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        help_text="One article on each line, as its title stands in the wiki.",
        max_length=2_000_000,
    )


class KindForm(forms.Form):
    """Articles by the tag that they carry."""

    kind = forms.ChoiceField(label="Kind of tag", choices=TagKind.choices)
    limit = forms.IntegerField(
        label="At most",
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text="How many pages; all of them if empty.",
    )


class TagFilterForm(forms.Form):
    """What a list of tags is narrowed to; unknown values narrow nothing."""

    kind = forms.ChoiceField(
        label="Kind", required=False, choices=[("", "All kinds"), *TagKind.choices]
    )
    state = forms.ChoiceField(
        label="State", required=False, choices=[("", "Live and gone"), *TagState.choices]
    )
    words = forms.CharField(
        label="Words",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
