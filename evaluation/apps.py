from collections.abc import Collection
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from annotation.models import Campaign
    from judging.published import PublishedReport
    from protocols.declaration import Declaration


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from annotation.monitoring.campaign_figures import agreement_so_far
        from evaluation.scorers.language import TABLES, score_problems
        from judging.published import published_reports
        from judging.selections import labels_known, with_label
        from protocols.checking import key_tables, part_problems

        agreement_so_far.add(self.name, _so_far)
        labels_known.add(self.name, _labels_known)
        with_label.add(self.name, _with_label)
        published_reports.add(self.name, _published)
        key_tables.add(self.name, lambda: TABLES)
        part_problems.add(self.name, score_problems)


def _so_far(campaign: "Campaign") -> list[str]:
    # Loaded when it is asked: numpy takes as long as everything else that a command loads.
    from evaluation.sections.agreement_so_far import so_far

    return so_far(campaign)


def _labels_known(declaration: "Declaration") -> list[str]:
    from evaluation.counts.labelled import labels_known

    return labels_known(declaration)


def _with_label(declaration: "Declaration", keys: Collection[int], label: str) -> set[int]:
    from evaluation.counts.labelled import with_label

    return with_label(declaration, keys, label)


def _published(runs: Collection[int]) -> "list[PublishedReport]":
    from evaluation.frozen.publishing import published_over

    return published_over(runs)
