from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"

    def ready(self) -> None:
        from datasets.exposure import hidden_questions, responses_known
        from generation.access import hides_run
        from judging.blinding import hidden_question_ids, judges_responses_of, studies_known

        hides_run.add(self.name, judges_responses_of)
        hidden_questions.add(self.name, hidden_question_ids)
        responses_known.add(self.name, studies_known)
