"""Which finished responses a study draws."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import QuerySet

from datasets.models import Subset
from datasets.subsets import superseded_in
from generation.models import LONG, LanguageModel, Response, Run
from generation.states import ResponseState
from leases.refusal import Refusal


@dataclass(frozen=True)
class Selection:
    """Which responses a study draws: those of the runs to these prompts, by these models, to a subset's questions.

    Empty means all; `instances` are keys of questions. `superseded` takes a subset's questions also where their
    contradiction has a newer version.
    """

    runs: Collection[Run]
    prompts: Collection[str] = ()
    models: Collection[LanguageModel] = ()
    subset: Subset | None = None
    superseded: bool = False
    instances: Collection[int] = ()

    def responses(self) -> QuerySet[Response]:
        chosen = Response.objects.filter(run__in=self.runs)
        if self.subset:
            asked = self.subset.instances.order_by().values("pk")
            chosen = chosen.filter(instance__in=asked)
        if self.instances:
            chosen = chosen.filter(instance__in=self.instances)
        if self.prompts:
            chosen = chosen.filter(prompt__in=self.prompts)
        return chosen.filter(model__in=self.models) if self.models else chosen

    def done(self) -> QuerySet[Response]:
        return self.responses().filter(state=ResponseState.DONE)

    def chosen(self) -> list[Response]:
        """The finished responses with their questions and models; raises Refusal where they cannot be judged."""
        self.check_subset()
        responses = list(
            self.done().defer(*LONG).select_related("instance__contradiction", "model")
        )
        if not responses:
            raise Refusal(
                "No finished response matches. Choose runs with finished responses, or other prompts, models and "
                "questions."
            )
        return responses

    def left_out(self) -> int:
        """How many selected responses have no text yet, and are left out."""
        return self.responses().exclude(state=ResponseState.DONE).count()

    def unanswered(self) -> int:
        """How many of the subset's questions have no finished response here."""
        if self.subset is None:
            return 0
        answered = self.done().order_by().values("instance")
        return self.subset.instances.exclude(pk__in=answered).count()

    def check_subset(self) -> None:
        """Raise Refusal where the subset has changed since it was drawn, unless that is accepted."""
        if self.subset is None or self.superseded:
            return
        titles = [row.title for row in superseded_in(self.subset)]
        if titles:
            more = f" and {len(titles) - 3} more" if len(titles) > 3 else ""
            raise Refusal(
                f"Since the subset {self.subset} was drawn, newer versions were made of: "
                f"{', '.join(titles[:3])}{more}. Responses to its questions answer the older versions. "
                "Tick that these are judged, or draw another subset."
            )
