"""A rubric as one form, and the text that a filled-in form makes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms.boundfield import BoundField

from generation.prompts.prompting import ANSWERS, Prompt
from judging.rules.rubric import ParsedRubric
from judging.rules.verdict_scale import LONGEST_LABEL, label_problems

# How a prompt takes a verdict.
PROPOSED, UNUSUAL, REFUSED = "proposed", "unusual", "refused"
USES = {PROPOSED: "Proposed", UNUSUAL: "Allowed with a warning", REFUSED: "Refused"}
# Who wrote a prompt's criteria, where they were changed in the app.
TEAM = "team"
# The passage that a gold answer belongs to.
PASSAGES = {"answer_1": 1, "answer_2": 2}
MOST_TEXT = 5_000


@dataclass(frozen=True)
class PromptFields:
    """The fields on one prompt: its gold answers, and (use, criteria, warning) of each verdict, best first.

    `proposal` is what the prompt's author proposes, while the rubric has nothing on it.
    """

    title: str
    heading: BoundField
    gold: list[BoundField]
    verdicts: list[tuple[str, BoundField, BoundField, BoundField]]
    is_open: bool
    proposal: str


def text_field(label: str, **options: Any) -> forms.CharField:
    return forms.CharField(max_length=MOST_TEXT, label=label, strip=True, **options)


def lines_field(label: str, rows: int, **options: Any) -> forms.CharField:
    return text_field(label, required=False, widget=forms.Textarea(attrs={"rows": rows}), **options)


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


class RubricForm(forms.Form):
    """The verdicts' labels, the rules, and for each prompt its gold answers and criteria."""

    title = text_field("Title")
    source = text_field("Source", help_text="What it follows, such as a paper and its section.")
    rules = lines_field(
        "Rules for all prompts",
        6,
        help_text="One rule a line. Judges read them under “How to judge”.",
    )

    def __init__(
        self,
        *args: Any,
        based_on: ParsedRubric,
        text: Mapping[str, Any],
        asked: Mapping[str, Prompt],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.based_on, self.text, self.asked = based_on, text, asked
        self.initial = {
            "title": based_on.title,
            "source": based_on.source,
            "rules": "\n".join(based_on.rules),
        }
        for place, verdict in enumerate(based_on.scale.verdicts):
            self.fields[f"label_{place}"] = forms.CharField(
                max_length=LONGEST_LABEL, label=f"Label of “{verdict.key}”"
            )
            self.initial[f"label_{place}"] = verdict.label
        for prompt in self.asked.values():
            self._add_prompt(prompt)

    def _add_prompt(self, prompt: Prompt) -> None:
        where = f"prompt {prompt.label}"
        known = self.based_on.prompts.get(prompt.name)
        self._add(
            prompt.name,
            "title",
            text_field(f"Title ({where})"),
            known.title if known else prompt.title,
        )
        gold = {part.source: part.text for part in known.gold} if known else {}
        fixed = text_field(
            f"A fixed gold answer ({where})", required=False, help_text="Such as yes, or no."
        )
        self._add(prompt.name, "text", fixed, gold.get("text", ""))
        for source in self._answers(prompt):
            ticked = forms.BooleanField(required=False, label=f"{ANSWERS[source]} ({where})")
            self._add(prompt.name, source, ticked, source in gold)
        for place, verdict in enumerate(self.based_on.scale.verdicts):
            of = f"{verdict.label.lower()}, {where}"
            use = forms.ChoiceField(choices=list(USES.items()), label=f"Use ({of})")
            self._add(prompt.name, f"use_{place}", use, _use(known, verdict.key))
            written = known.criteria.get(verdict.key, ()) if known else ()
            criteria = lines_field(f"Criteria, one a line ({of})", 5)
            self._add(prompt.name, f"criteria_{place}", criteria, "\n".join(written))
            warning = lines_field(f"Warning ({of})", 2)
            shown = known.unusual.get(verdict.key, "") if known else ""
            self._add(prompt.name, f"warning_{place}", warning, shown)

    def _add(self, prompt: str, name: str, field: forms.Field, initial: object) -> None:
        self.fields[f"{prompt}:{name}"] = field
        self.initial[f"{prompt}:{name}"] = initial

    def _answers(self, prompt: Prompt) -> list[str]:
        if not self.based_on.needs_gold:
            return []
        return [source for source in ANSWERS if source != "revised_answer" or prompt.revised]

    def _proposal(self, prompt: Prompt) -> str:
        """Empty where its author wrote for other verdicts."""
        verdicts = [verdict for verdict in prompt.verdicts if verdict in self.based_on.scale.keys]
        if prompt.verdicts and not verdicts:
            return ""
        said = f"Verdicts: {', '.join(verdicts)}." if verdicts else ""
        return "\n".join(filter(None, [said, prompt.criteria]))

    @property
    def labels(self) -> list[BoundField]:
        """The fields for the verdicts' labels, best first."""
        return [
            self[f"label_{place}"] for place in reversed(range(len(self.based_on.scale.verdicts)))
        ]

    @property
    def prompts(self) -> Iterator[PromptFields]:
        for prompt in self.asked.values():
            mine = {name: self[name] for name in self.fields if name.startswith(f"{prompt.name}:")}
            of = {name.partition(":")[2]: bound for name, bound in mine.items()}
            yield PromptFields(
                f"Prompt {prompt.label}: {prompt.title}",
                of["title"],
                [of["text"], *(of[source] for source in self._answers(prompt))],
                [
                    (
                        verdict.label,
                        of[f"use_{place}"],
                        of[f"criteria_{place}"],
                        of[f"warning_{place}"],
                    )
                    for place, verdict in reversed([*enumerate(self.based_on.scale.verdicts)])
                ],
                any(bound.errors for bound in mine.values()),
                "" if prompt.name in self.based_on.prompts else self._proposal(prompt),
            )

    def clean(self) -> dict[str, Any]:
        entered = super().clean() or self.cleaned_data
        fields = {
            verdict.key: f"label_{place}"
            for place, verdict in enumerate(self.based_on.scale.verdicts)
        }
        labels = {key: entered[name] for key, name in fields.items() if name in entered}
        for key, problem in label_problems(labels).items():
            self.add_error(fields[key], problem)
        for prompt in self.asked.values():
            if not self._is_empty(prompt.name):
                self._check(prompt)
        return entered

    def _of(self, prompt: str, name: str) -> Any:
        return self.cleaned_data.get(f"{prompt}:{name}")

    def _is_empty(self, prompt: str) -> bool:
        """Whether the rubric has nothing on the prompt: no study can open on it, and nothing is missing."""
        places = range(len(self.based_on.scale.verdicts))
        return all(
            self._of(prompt, f"use_{place}") == REFUSED
            and not self._of(prompt, f"criteria_{place}")
            for place in places
        )

    def _check(self, prompt: Prompt) -> None:
        uses = []
        for place, verdict in enumerate(self.based_on.scale.verdicts):
            use = self._of(prompt.name, f"use_{place}")
            uses.append(use)
            if use in (PROPOSED, UNUSUAL) and not lines(
                self._of(prompt.name, f"criteria_{place}") or ""
            ):
                self.add_error(
                    f"{prompt.name}:criteria_{place}",
                    f"Write when a response is {verdict.label.lower()}, or refuse it.",
                )
            if use == UNUSUAL and not self._of(prompt.name, f"warning_{place}"):
                self.add_error(
                    f"{prompt.name}:warning_{place}", "Write the warning that judges read."
                )
        if PROPOSED not in uses:
            self.add_error(
                f"{prompt.name}:use_{len(uses) - 1}",
                "Propose at least one verdict, or refuse all and empty their criteria.",
            )
        if self.based_on.needs_gold and not self._gold(prompt):
            self.add_error(
                f"{prompt.name}:text", "Choose the gold answers that judges compare with."
            )

    def _gold(self, prompt: Prompt) -> list[dict[str, Any]]:
        fixed = self._of(prompt.name, "text")
        gold: list[dict[str, Any]] = [{"source": "text", "text": fixed}] if fixed else []
        for source in self._answers(prompt):
            if self._of(prompt.name, source):
                passage = PASSAGES.get(source)
                gold.append({"source": source, **({"passage": passage} if passage else {})})
        return gold

    def body(self) -> dict[str, Any]:
        """The text of the version that this valid form makes; equal to the one it began with where nothing changed."""
        given = self.cleaned_data
        others = {
            name: entry for name, entry in self.text["prompts"].items() if name not in self.asked
        }
        written = {
            prompt.name: self._entry(prompt)
            for prompt in self.asked.values()
            if not self._is_empty(prompt.name)
        }
        of = {} if self.based_on.needs_gold else {"protocol": self.based_on.protocol}
        return {
            "name": self.based_on.name,
            **of,
            **{
                key: self.text[key]
                for key in ("ordered", "weights", "excludes")
                if key in self.text
            },
            "title": given["title"],
            "source": given["source"],
            "verdicts": [
                {**entry, "label": given[f"label_{place}"]}
                for place, entry in enumerate(self.text["verdicts"])
            ],
            "rules": lines(given["rules"]),
            "prompts": {**others, **written},
        }

    def _entry(self, prompt: Prompt) -> dict[str, Any]:
        def by_verdict(name: str) -> list[tuple[str, str]]:
            places = reversed([*enumerate(self.based_on.scale.verdicts)])
            return [
                (verdict.key, self._of(prompt.name, f"{name}_{place}") or "")
                for place, verdict in places
            ]

        uses, warnings = dict(by_verdict("use")), dict(by_verdict("warning"))
        before = self.text["prompts"].get(prompt.name, {})
        entry = {
            "label": before.get("label", prompt.label),
            "title": self._of(prompt.name, "title"),
            "written_by": before.get("written_by", TEAM),
            "gold": self._gold(prompt),
            "proposed": [key for key, use in uses.items() if use == PROPOSED],
            "unusual": {key: warnings[key] for key, use in uses.items() if use == UNUSUAL},
            "criteria": {key: lines(text) for key, text in by_verdict("criteria") if lines(text)},
        }
        return entry if entry == before else {**entry, "written_by": TEAM}


def _use(known: Any, verdict: str) -> str:
    if known is None:
        return REFUSED
    return (
        UNUSUAL if verdict in known.unusual else PROPOSED if verdict in known.proposed else REFUSED
    )
