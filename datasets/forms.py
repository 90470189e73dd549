"""Forms: a file to import, its controls, a subset to draw."""

import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.html import format_html

from datasets.drawing import ALL, SubsetPlan
from datasets.facets import chosen_facets, filters_of
from datasets.importers.formats import formats
from datasets.importers.record_imports import OPTIONS
from datasets.labelstudio.controls import DATA
from datasets.labelstudio.naming import DATUM, checked_names
from datasets.labelstudio.reading import Taken
from datasets.models import Collection
from datasets.readers.json_text import MAX_BYTES
from datasets.schema import ANNOTATION_KEYS, TAXONOMY
from datasets.subsets import Query, framed, slices_of, strata
from leases.refusal import Refusal
from pages.counting import how_many
from protocols.declaration import Declaration


def _formats() -> list[tuple[str, str]]:
    return [(name, known.importer.label) for name, known in formats().items()]


def _parted() -> list[Declaration]:
    """The protocols with a file for each value of a slice."""
    declared = [known.protocol.declaration for known in formats().values() if known.protocol]
    return [one for one in declared if one.file.by]


def files_of_parts() -> list[tuple[str, str]]:
    return [pair for one in _parted() for pair in one.file.stems]


def _parts() -> list[tuple[str, Any]]:
    """By the titles of their protocols, the values."""
    parts = [(one.title, [(value, value) for value in one.file.names]) for one in _parted()]
    return [("", "By the file's name"), *parts]


class ImportForm(forms.Form):
    """A file for a new or existing collection."""

    collection = forms.CharField(
        max_length=80,
        label="Collection",
        help_text="A new name makes a new collection. Lower-case letters, digits, . _ - only.",
        validators=Collection._meta.get_field("name").validators,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    format = forms.ChoiceField(label="Format", choices=_formats)
    part = forms.ChoiceField(
        required=False,
        label="Part of the data set",
        choices=_parts,
        help_text="Of a data set with a file for each level or the like. Choose it if the file's name does not say it.",
    )
    taken = forms.ChoiceField(
        required=False,
        label="Of several annotations of a task in Label Studio",
        choices=[
            (Taken.LATEST, "Take the latest"),
            (Taken.GROUND_TRUTH, "Take the ground truth"),
            (Taken.ONE_ANNOTATOR, "Take those of one annotator"),
        ],
        help_text="The others are counted. The report offers a collection for each annotator's work.",
    )
    annotator = forms.CharField(
        required=False,
        max_length=254,
        label="Annotator in Label Studio",
        help_text="The number, e-mail address or pseudonym by which the file names one annotator.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    file = forms.FileField(
        label="File",
        help_text=f"UTF-8, at most {MAX_BYTES // 2**20} MB, or any size by manage.py import_dataset. It is checked "
        "first: you read a report and decide. The whole file is imported, or nothing.",
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if given.get("taken") == Taken.ONE_ANNOTATOR and not given.get("annotator"):
            self.add_error("annotator", "Name the annotator whose annotations are taken.")
        return given

    def asked(self) -> dict[str, Any]:
        """What import_jobs.begin takes of it."""
        given = self.cleaned_data
        names = OPTIONS.get(given["format"], ())
        return {
            "file": given["file"],
            "collection_name": given["collection"],
            "format": given["format"],
            "part": given["part"],
            "options": {name: given[name] for name in names if given.get(name)},
        }

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(
                f"The file is larger than {MAX_BYTES // 2**20} MB. Import it by manage.py import_dataset, or split it."
            )
        return file


_ENTRIES = [(key.key, key.key) for key in ANNOTATION_KEYS] + [(TAXONOMY, TAXONOMY)]
_NUMBER = re.compile(r"(?<![0-9])[1-9][0-9]?(?![0-9])")
_OF_TASK = [(key, key) for key in DATA]


def _questions(controls: Sequence[Mapping[str, Any]], to_name: int) -> list[tuple[str, str]]:
    """Those of at least ten questions, and of as many as the file may have: a further one has three controls."""
    texts = " ".join(one[part] for one in controls for part in ("name", "key", "proposed"))
    most = max((0, *map(int, _NUMBER.findall(texts)))) + to_name // 3
    parts = ("", "_answer1", "_answer2")
    names = [f"question{n}{part}" for n in range(1, min(max(most, 10), 99) + 1) for part in parts]
    return [(name, name) for name in names]


class ControlsForm(forms.Form):
    """A choice for each control that is none of the study's, or was named before; what is proposed is chosen."""

    def __init__(
        self, controls: Sequence[Mapping[str, Any]], data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(data)
        self._controls = {
            f"control-{n}": one for n, one in enumerate(controls) if one["key"] != one["name"]
        }
        questions = _questions(controls, len(self._controls))
        for field, one in self._controls.items():
            groups = [("", "Nothing in the record")]
            if one["kind"] != DATUM:
                groups += [("Entries", _ENTRIES), ("Questions", questions)]  # type: ignore[list-item]
            if one["kind"] in ("", DATUM):
                groups += [("Of the tag", _OF_TASK)]  # type: ignore[list-item]
            kind = one["kind"] or "JSON_MIN names no kind"
            said = f"{kind}, {how_many(one['n'], 'entry', 'entries')}"
            self.fields[field] = forms.ChoiceField(
                required=False,
                label=one["name"],
                choices=groups,
                initial=one["key"] or one["proposed"],
                help_text=format_html("{}, such as “<bdi>{}</bdi>”", said, one["example"])
                if one.get("example")
                else said,
            )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        try:
            checked_names(self.names())
        except Refusal as refusal:
            self.add_error(None, refusal.message)
        return given

    def names(self) -> dict[str, str]:
        chosen = {one["name"]: self.cleaned_data.get(at) for at, one in self._controls.items()}
        return {name: key for name, key in chosen.items() if key}


class MoveForm(forms.Form):
    """A later version of the collection's protocol. Whether there is one is asked again when it is moved."""

    version = forms.IntegerField(min_value=1, max_value=2**31 - 1, label="Version")

    def __init__(self, versions: list[int], data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.fields["version"].widget = forms.Select(choices=[(n, n) for n in versions])


LARGEST_SEED = 2**53
NUMBER = "of:"


class SubsetForm(forms.Form):
    """A subset: its name, which questions may be drawn, how they are parted, how many of each part."""

    name = forms.CharField(max_length=80, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    one_per_tag = forms.BooleanField(
        required=False,
        label="At most one question of each tag",
        help_text="Which one is drawn from the seed. Otherwise all questions of a tag can be drawn.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        help_text="The same seed and the same questions give the same subset.",
    )

    def __init__(
        self, collection: Collection, data: dict[str, Any] | None, *, is_bound: bool
    ) -> None:
        given = data or {"seed": str(secrets.randbelow(2**31))}
        super().__init__(data if is_bound else None, initial=given)
        self.given, self._collection = given, collection
        for name, (title, facets) in filters_of(collection).items():
            choices = [("", "All"), *((facet.value, facet.label) for facet in facets)]
            self.fields[name] = forms.ChoiceField(required=False, choices=choices, label=title)
        self.slices = slices_of(collection)
        parts = [(name, part.title) for name, part in self.slices.items()]
        self.fields["by"] = forms.ChoiceField(
            required=False,
            choices=[("", "No strata"), *parts],
            label="Strata by",
            help_text="Then “Show the strata”, and give a number for each.",
        )
        if collection.is_declared:
            del self.fields["one_per_tag"]  # a record has one question
        self.fits = strata(framed(collection, self.query(), self._plan()))
        for stratum, size in self.fits.items():
            self.fields[NUMBER + stratum] = forms.IntegerField(
                required=False,
                min_value=0,
                max_value=size,
                label=self.query().label(stratum) if stratum else "Questions to draw",
                help_text=f"of {size}" if stratum else f"of {size}; if empty, all of them",
                error_messages={"max_value": f"There are only {size}. Ask for fewer."},
            )

    def query(self) -> Query:
        """From what was entered so far, valid or not; a value that does not exist is left out."""
        chosen = chosen_facets(self._collection, self.given)
        by = self.given.get("by", "")
        kept = {facet.parameter: facet.value for facet in chosen}
        return Query(dict(sorted(kept.items())), by if by in self.slices else "")

    def _plan(self, wanted: Mapping[str, int] | None = None) -> SubsetPlan:
        try:
            seed = self.fields["seed"].clean(self.given.get("seed"))
        except forms.ValidationError:
            seed = 0  # for the strata; the form is refused
        return SubsetPlan(seed, bool(self.given.get("one_per_tag")), wanted)

    @property
    def filters(self) -> list[forms.BoundField]:
        return [self[name] for name in filters_of(self._collection)]

    @property
    def numbers(self) -> list[forms.BoundField]:
        return [self[NUMBER + stratum] for stratum in self.fits]

    def clean(self) -> dict[str, Any]:
        entered = super().clean() or self.cleaned_data
        gone = [
            name.removeprefix(NUMBER)
            for name, value in self.given.items()
            if name.startswith(NUMBER) and name not in self.fields and value not in ("", "0")
        ]
        if not self.fits:
            self.add_error(None, "No question matches. Choose All in one of the boxes.")
        elif gone:
            named = ", ".join(f"“{label or 'all'}”" for label in gone)
            self.add_error(
                None,
                f"No question that matches is in the stratum {named}. Show the strata again, and choose among those.",
            )
        elif (
            ALL not in self.fits
            and not self.errors
            and not any(entered.get(NUMBER + stratum) for stratum in self.fits)
        ):
            self.add_error(None, "Give a number for at least one stratum, or choose no strata.")
        return entered

    def plan(self) -> SubsetPlan:
        numbers = {stratum: self.cleaned_data.get(NUMBER + stratum) for stratum in self.fits}
        if ALL in numbers and numbers[ALL] is None:
            return self._plan()
        return self._plan({stratum: number for stratum, number in numbers.items() if number})
