"""Two reports next to each other, of one study or two, or two rounds of a study: shares of a verdict, or scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.access import person_of
from evaluation.access import study_for
from evaluation.counts.first_verdicts import short_rounds
from evaluation.counts.judged import Judged
from evaluation.models import ReportSnapshot
from evaluation.report.study_facts import round_in_words
from evaluation.rows.filters import verdicts_of
from evaluation.sections.clustering import Clustering
from evaluation.sections.round_entries import changed_entries, round_entries, round_side
from evaluation.shapes.study_rounds import StudyRound
from evaluation.tables.joined import Side, scores_of_two, verdicts_of_two
from evaluation.tables.sentences import changed_sentence
from evaluation.views.reports import for_researchers, frozen, live
from judging.blinding import hidden_results
from judging.models import Round, Study
from leases.refusal import NotFoundHere, Refusal

# How many other studies are offered, the newest first.
MOST_STUDIES = 100
BOTH = "both"
RESPONSES = [("", "All of each round"), (BOTH, "With a verdict of both")]
STUDY, SNAPSHOT, ROUND = "study", "snapshot", "round"


class SideName(NamedTuple):
    """A side as addresses name it: "study-3", "snapshot-5", "round-1"."""

    kind: str
    number: int


@dataclass(frozen=True)
class ShownSide:
    """A side and what it is of: a study as it is now, as it was frozen, or in one round."""

    study: Study
    side: Side
    frozen: ReportSnapshot | None = None
    round: StudyRound | None = None
    words: str = ""


@dataclass(frozen=True)
class RoundSides:
    """The rounds of a study as sides; none for a study of one round."""

    study: Study
    clustering: Clustering

    @cached_property
    def several(self) -> list[Round]:
        rounds = list(self.study.rounds.select_related("rubric").order_by("n"))
        return rounds if len(rounds) > 1 else []

    @cached_property
    def judged(self) -> Judged:
        return Judged.of_study(self.study)

    @property
    def options(self) -> list[tuple[str, str]]:
        return [(f"{ROUND}-{round.n}", f"Round {round.n} of this study") for round in self.several]

    def named(self, name: SideName) -> Round | None:
        """The round of this name, None for a report's; raises Refusal where the study does not have it."""
        if name.kind != ROUND:
            return None
        if not self.several:
            raise Refusal("This study has one round only, which is what its report shows.")
        for round in self.several:
            if round.n == name.number:
                return round
        raise NotFoundHere(
            f"This study has no round {name.number}, but {len(self.several)} rounds."
        )

    def shown(self, round: Round, other: Round | None) -> ShownSide:
        """A round; with `other`, on the responses that have a verdict of both."""
        (entry,) = round_entries([round])
        side = round_side(self.judged, round, self.clustering, other)
        words = round_in_words(entry, short_rounds(self.judged).get(round.n, ()))
        return ShownSide(self.study, side, round=entry, words=words)

    def changed(self, round_1: Round, round_2: Round) -> str:
        """How far the verdicts of both agree, in a sentence; "" where they have no response in common."""
        entries = changed_entries(self.study, self.clustering)
        both = sorted([round_1.n, round_2.n])
        return next((changed_sentence(entry) for entry in entries if entry["rounds"] == both), "")


@for_researchers
def two(request: HttpRequest, study_id: int) -> HttpResponse:
    """`first` and `with` name the sides: "round-1" of this study; `with` also "study-3" or "snapshot-5".

    Without `first`, the first side is this study's live report. With `on` "both", two rounds are compared only on
    responses with a verdict of both.
    """
    study = study_for(person_of(request), study_id)
    rounds = RoundSides(study, Clustering.from_query(request.GET))
    first, second = request.GET.get("first", ""), request.GET.get("with", "")
    verdicts = verdicts_of(study) if study.is_judged else []
    verdict = _known(request, "verdict", [key for key, _ in verdicts])
    on = _known(request, "on", [BOTH])
    names = [_parsed(name) for name in (first or f"{STUDY}-{study.pk}", second) if name]
    if first and names[0].kind != ROUND:
        raise Refusal("First is this report, or one of its rounds. Choose from the list.")
    if len(set(names)) < len(names):
        raise Refusal("Both sides are the same. Choose two different ones.")
    chosen = [rounds.named(name) for name in names]
    if second and not all(chosen):
        on = ""  # only rounds have verdicts in common
    context = {
        "study": study,
        "cluster": study.declaration.cluster_word,
        "firsts": [("", "This report"), *rounds.options],
        "options": [("", "Choose one"), *rounds.options, *_others(request, study)],
        "responses": RESPONSES,
        "verdicts": verdicts,
        "chosen": {"first": first, "with": second, "verdict": verdict, "on": on},
    }
    if second:
        round_1, round_2 = chosen
        sides = [
            _shown(request, rounds, names[0], round_1, round_2 if on else None),
            _shown(request, rounds, names[1], round_2, round_1 if on else None),
        ]
        one, two = (shown.side for shown in sides)
        context |= {
            "sides": list(zip(("First", "Second"), sides, strict=True)),
            "tables": (
                [verdicts_of_two(one, two, verdict or verdicts[0][0])]
                if verdicts
                else scores_of_two(one, two)
            ),
            "changed": rounds.changed(round_1, round_2) if round_1 and round_2 else "",
            "only_both": on,
        }
    return render(request, "evaluation/two.html", context)


def _shown(
    request: HttpRequest,
    rounds: RoundSides,
    name: SideName,
    round: Round | None,
    other: Round | None,
) -> ShownSide:
    """The round, on responses with a verdict of `other` too where there is one; else the report of this name."""
    if round:
        return rounds.shown(round, other)
    source = (frozen if name.kind == SNAPSHOT else live)(request, name.number)
    _require_alike(rounds.study, source.study)
    side = Side.of_report(source.body, "" if source.frozen else f"{source.study.pk}/rows/")
    return ShownSide(source.study, side, source.frozen)


def _require_alike(study: Study, other: Study) -> None:
    """Raise Refusal where verdicts are of another rubric, or scores of another protocol."""
    if study.is_judged:
        what, how = "judged by the rubric", "by"
        expected, used = study.judged_by.name, other.judged_by.name
    else:
        what, how = "over the protocol", "over"
        expected, used = study.declaration.name, other.declaration.name
    if used != expected:
        raise Refusal(
            f"{other} is {what} {used}, and {study} {how} {expected}. Choose another one."
        )


def _known(request: HttpRequest, name: str, values: Sequence[str]) -> str:
    """The value of this name in the address, "" where there is none; raises Refusal for another than these."""
    value = request.GET.get(name, "")
    if value and value not in values:
        raise Refusal(f"{name}={value[:40]} is not known. Use one of: {', '.join(values)}.")
    return value


def _parsed(name: str) -> SideName:
    kind, _, number = name.partition("-")
    is_number = number.isascii() and number.isdecimal() and len(number) <= 18
    if kind not in (STUDY, SNAPSHOT, ROUND) or not is_number:
        raise Refusal("There is no such report or round. Choose one from the list.")
    return SideName(kind, int(number))


def _others(request: HttpRequest, study: Study) -> list[tuple[str, str]]:
    """What can be chosen: this study's frozen reports, then other studies whose results this person may read."""
    snapshots = ReportSnapshot.objects.filter(study=study).order_by("-pk")
    like = (
        {"rubric__name": study.judged_by.name}
        if study.is_judged
        else {"items__response__run__collection__protocol__name": study.declaration.name}
    )
    others = Study.objects.filter(**like).exclude(pk=study.pk).exclude(state="draft")
    studies = list(others.order_by("-pk").distinct()[:MOST_STUDIES])
    hidden = hidden_results(person_of(request), studies)
    return [
        *(
            (f"{SNAPSHOT}-{snapshot.pk}", f"Frozen report {snapshot.pk} of this study")
            for snapshot in snapshots
        ),
        *((f"{STUDY}-{study.pk}", study.name) for study in studies if study.pk not in hidden),
    ]
