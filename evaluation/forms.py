"""The form for the agreement in labels from elsewhere. Nothing of it is stored."""

import io
from typing import Any, BinaryIO

from django import forms

from evaluation.labels.file import Ratings, read_labels
from evaluation.labels.file_agreement import MOST_PAIRED, agreement_of
from evaluation.labels.scale import scale_of
from evaluation.labels.spelling import Wishes, wishes_of
from evaluation.statistics.bootstrap import RESAMPLES, ResamplePlan
from leases.refusal import Refusal

LARGEST_BYTES = 1_000_000
MOST_ROWS = 20_000
LARGEST_SEED = 2**53
# A page answers within seconds; the command takes more.
MOST_ON_PAGE = 10_000
# Pairs x labels squared: what one resample computes.
MOST_WORK = 5_000
# Items x labels squared, each item at worst unlike all others: 40 MB, of which there are a few at a time.
MOST_CELLS = 5_000_000

EXAMPLE = "item,rater,label,cluster\n1,alice,correct,Abbey\n1,bob,incorrect,Abbey\n"


class LabelsForm(forms.Form):
    """Pasted or chosen labels, their order, and what the intervals resample."""

    pasted = forms.CharField(
        label="Labels",
        required=False,
        strip=False,
        max_length=LARGEST_BYTES,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "placeholder": EXAMPLE}),
        help_text="CSV with the columns item, rater, label and perhaps cluster, or item and a column for each rater. "
        "Paste it, or choose a file.",
    )
    file = forms.FileField(
        label="File", required=False, help_text="UTF-8, at most 1 MB. It is read and forgotten."
    )
    order = forms.CharField(
        label="Order of the labels",
        required=False,
        max_length=2_000,
        help_text="From lowest to highest, with commas between. Weighted kappa and ordinal alpha need it, unless "
        "the labels are numbers.",
    )
    missing = forms.CharField(
        label="Further missing labels",
        required=False,
        max_length=2_000,
        help_text="Labels that mean a missing one, with commas between. Always missing: empty, NA, N/A, NaN, and a "
        "point where the others are numbers.",
    )
    fold = forms.BooleanField(
        label="Fold",
        required=False,
        help_text="Count as one what differs in blanks, letter case or the spelling of a number, as 1 and 1.0.",
    )
    cluster = forms.ChoiceField(
        label="Resample whole",
        choices=[("cluster", "clusters (items where there is no such column)"), ("item", "items")],
        initial="cluster",
        required=False,
    )
    resamples = forms.IntegerField(
        min_value=100, max_value=MOST_ON_PAGE, initial=RESAMPLES, required=False
    )
    seed = forms.IntegerField(min_value=0, max_value=LARGEST_SEED, initial=0, required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        try:
            wishes = wishes_of(cleaned["order"], cleaned["missing"], fold=cleaned["fold"])
            ratings = self._ratings(cleaned, wishes)
            scale = scale_of(ratings.label_names, wishes.order)
            self._check_work(ratings, len(scale.labels))
            plan = ResamplePlan(cleaned["seed"] or 0, cleaned["resamples"] or RESAMPLES)
            by_cluster = cleaned["cluster"] != "item"
            cleaned["result"] = agreement_of(ratings, scale, plan, by_cluster=by_cluster)
        except Refusal as refused:
            raise forms.ValidationError(refused.message.splitlines()) from None
        return cleaned

    def _ratings(self, cleaned: dict[str, Any], wishes: Wishes) -> Ratings:
        given, pasted = cleaned.get("file"), cleaned["pasted"]
        if given and pasted.strip():
            raise forms.ValidationError(
                "Both a file and pasted labels were given. Leave one of the two out."
            )
        if not given and not pasted.strip():
            raise forms.ValidationError("Paste labels, or choose a file with them.")
        if given and given.size > LARGEST_BYTES:
            raise forms.ValidationError(
                "The file is larger than 1 MB. Use manage.py agreement for it."
            )
        stream: BinaryIO = given.file if given else io.BytesIO(pasted.encode("utf-8", "replace"))
        return read_labels(stream, wishes, most_rows=MOST_ROWS)

    @staticmethod
    def _check_work(ratings: Ratings, labels: int) -> None:
        raters = len(ratings.rater_names)
        pairs = raters * (raters - 1) // 2 if raters <= MOST_PAIRED else 1
        if pairs * labels**2 > MOST_WORK or ratings.item_count * labels**2 > MOST_CELLS:
            raise Refusal(
                f"{raters} raters and {ratings.item_count:,} items with {labels} labels are too many for a page. Use "
                "manage.py agreement for them."
            )
