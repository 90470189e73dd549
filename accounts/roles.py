"""The roles a person may hold. One person may hold several; none implies another."""

from django.db.models import TextChoices


class Role(TextChoices):
    ANNOTATOR = "annotator", "Annotator"
    JUDGE = "judge", "Judge"
    ADJUDICATOR = "adjudicator", "Adjudicator"
    RESEARCHER = "researcher", "Researcher"
    ADMIN = "admin", "Admin"


WHAT_THEY_DO = {
    Role.ANNOTATOR: "turns tagged passages into questions with contradicting answers",
    Role.JUDGE: "gives verdicts on model responses, blind",
    Role.ADJUDICATOR: "resolves disagreements between two judges",
    Role.RESEARCHER: "reads agreement and result tables, downloads datasets",
    Role.ADMIN: "fetches pages, assigns work, runs models, invites people",
}
