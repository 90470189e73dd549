"""The forms of a third person's decision and of a discussion."""

from typing import Any

from django import forms

from judging.presenting import VerdictChoice
from judging.rules.resolution import CAUSES


class DecisionForm(forms.Form):
    """A third person's decision."""

    verdict = forms.ChoiceField(widget=forms.RadioSelect)
    cause = forms.ChoiceField(
        choices=list(CAUSES.items()), widget=forms.RadioSelect, label="Why did they disagree?"
    )
    note = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4}),
        required=False,
        help_text="Required if your verdict agrees with none of the judges' verdicts.",
    )

    def __init__(self, *args: Any, choices: tuple[VerdictChoice, ...], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["verdict"].choices = [  # type: ignore[attr-defined]
            (choice.key, choice.label) for choice in choices
        ]


class DiscussionForm(DecisionForm):
    """What one of two judges proposes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["cause"].label = "Why did you disagree?"
        self.fields[
            "note"
        ].help_text = "It is kept with the verdict. Required if neither judge gave this verdict."
