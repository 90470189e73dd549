from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from annotation.monitoring.figures import agreement_so_far
        from evaluation.annotators.campaign import so_far

        agreement_so_far.add(self.name, so_far)
