from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"

    def ready(self) -> None:
        from generation.guards import hidden_run_guards
        from judging.blindness import hides_run

        hidden_run_guards.append(hides_run)
