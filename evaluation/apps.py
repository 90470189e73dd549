from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from accounts.models import Person
    from annotation.models import Campaign
    from datasets.models import Collection as CollectionRow
    from datasets.releasing.bundle.counted import Annotated
    from judging.published import PublishedReport
    from protocols.declaration import Declaration
    from protocols.uses import Use


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from annotation.monitoring.campaign_figures import agreement_so_far
        from datasets.releasing.bundle.writing import annotated_records
        from evaluation.report.example_tables import table_blocks
        from evaluation.scorers.language import TABLES, score_problems
        from generation.elsewhere.undoing import run_uses
        from judging.published import published_reports
        from judging.selections import labels_known, with_label
        from protocols.checking import key_tables, part_problems
        from protocols.example_record import part_blocks
        from protocols.uses import uses

        agreement_so_far.add(self.name, _so_far)
        annotated_records.add(self.name, _annotated)
        labels_known.add(self.name, _labels_known)
        with_label.add(self.name, _with_label)
        published_reports.add(self.name, _published)
        run_uses.add(self.name, _reports_over)
        key_tables.add(self.name, lambda: TABLES)
        part_blocks.add(self.name, table_blocks)
        uses.add(self.name, _reports)
        part_problems.add(self.name, score_problems)


def _so_far(campaign: "Campaign") -> list[str]:
    # Loaded when it is asked: numpy takes as long as everything else that a command loads.
    from evaluation.sections.agreement_so_far import so_far

    return so_far(campaign)


def _annotated(collection: "CollectionRow", keys: AbstractSet[int]) -> "Annotated":
    from evaluation.sections.released_records import annotated

    return annotated(collection, keys)


def _labels_known(declaration: "Declaration") -> list[str]:
    from evaluation.counts.labelled import labels_known

    return labels_known(declaration)


def _with_label(declaration: "Declaration", keys: Collection[int], label: str) -> set[int]:
    from evaluation.counts.labelled import with_label

    return with_label(declaration, keys, label)


def _reports(person: "Person", protocols: Collection[int]) -> "Iterator[tuple[int, Use]]":
    """The frozen reports of studies that were opened with these protocols."""
    from django.urls import reverse

    from evaluation.models import ReportSnapshot
    from protocols.uses import Use

    rows = ReportSnapshot.objects.filter(study__protocol__in=protocols).order_by("pk")
    for of, key, name in rows.values_list("study__protocol", "pk", "study__name"):
        yield of, Use("report", f"{key} of {name}", reverse("evaluation:snapshot", args=[key]))


def _reports_over(run: int) -> "list[Use]":
    """The frozen reports that count responses of this run."""
    from django.urls import reverse

    from evaluation.models import ReportSnapshot
    from protocols.uses import Use

    rows = ReportSnapshot.objects.filter(runs=run).order_by("pk").values_list("pk", "study__name")
    return [
        Use("report", f"{key} of {name}", reverse("evaluation:snapshot", args=[key]))
        for key, name in rows
    ]


def _published(runs: Collection[int]) -> "list[PublishedReport]":
    from evaluation.frozen.publishing import published_over

    return published_over(runs)
