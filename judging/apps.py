from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"

    def ready(self) -> None:
        from datasets.witnesses import guards, witnesses
        from generation.guards import hidden_run_guards
        from judging.blindness import hidden_question_ids, hides_run
        from judging.witness import studies_known

        hidden_run_guards.append(hides_run)
        guards.append(hidden_question_ids)
        witnesses.append(studies_known)
