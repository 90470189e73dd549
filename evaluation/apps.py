from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from annotation.models import Campaign


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from annotation.monitoring.figures import agreement_so_far

        agreement_so_far.add(self.name, _so_far)


def _so_far(campaign: "Campaign") -> list[str]:
    # Loaded when it is asked: numpy and scipy take as long as everything else that a command loads.
    from evaluation.annotators.campaign import so_far

    return so_far(campaign)
