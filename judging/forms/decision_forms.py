"""The forms of a third person's decision and of a discussion."""

from collections.abc import Sequence
from typing import Any

from django import forms

from judging.presenting import VerdictChoice
from judging.rules.resolution import CAUSES, SKIPPED, note_problem


class DecisionForm(forms.Form):
    """A third person's decision; `given` are the first verdicts, None for a skipped one."""

    verdict = forms.ChoiceField(widget=forms.RadioSelect)
    cause = forms.ChoiceField(
        choices=list(CAUSES.items()), widget=forms.RadioSelect, label="Why did they disagree?"
    )
    note = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4}),
        required=False,
        help_text="Required if your verdict agrees with none of the judges' verdicts.",
    )

    def __init__(
        self,
        *args: Any,
        choices: tuple[VerdictChoice, ...],
        given: Sequence[str | None],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.given = given
        if None not in given:
            causes = [cause for cause in CAUSES.items() if cause[0] != SKIPPED]
            self.fields["cause"].choices = causes  # type: ignore[attr-defined]
        self.fields["verdict"].choices = [  # type: ignore[attr-defined]
            (choice.key, choice.label) for choice in choices
        ]

    def clean(self) -> None:
        verdict, note = self.cleaned_data.get("verdict"), self.cleaned_data.get("note", "")
        if verdict and (problem := note_problem(verdict, self.given, note)):
            self.add_error("note", problem)


class DiscussionForm(DecisionForm):
    """What one of two judges proposes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["cause"].label = "Why did you disagree?"
        self.fields[
            "note"
        ].help_text = "It is kept with the verdict. Required if neither judge gave this verdict."
