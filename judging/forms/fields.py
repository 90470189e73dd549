"""The fields of judging's forms, and what can be chosen in them."""

from functools import cached_property
from typing import Any

from django import forms
from django.db.models import Count, Q, QuerySet

from accounts.models import Person
from datasets.models import Collection, Subset
from generation.models import Run
from generation.states import ResponseState
from judging.blinding import hidden_run_ids
from judging.published import over_runs
from judging.selections import labels_of
from pages.counting import how_many
from protocols.declaration import WIKICONTRADICT, Declaration


class ResponseModelsField(forms.ModelMultipleChoiceField):
    """Language models, shown with their service because names repeat."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj} ({obj.source})"


class JudgeModelField(forms.ModelChoiceField):
    """One language model, shown in the same way."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj} ({obj.service})"


class RunsField(forms.ModelMultipleChoiceField):
    """Runs with how many of their responses can be judged (annotated by answered_runs); whether numbers are public."""

    @cached_property
    def published(self) -> set[int]:
        keys = self.queryset.values_list("pk", flat=True) if self.queryset is not None else []
        return {report.run for report in over_runs(list(keys))}

    def label_from_instance(self, obj: Any) -> str:
        public = ", a report on it is published" if obj.pk in self.published else ""
        marked = (
            f", {obj.not_verified} with a prompt that is not verified" if obj.not_verified else ""
        )
        held = f", {obj.held} held" if obj.held else ""
        return f"{obj.name}: {how_many(obj.answered, 'finished response')}{held}{marked}{public}"


class PeopleField(forms.ModelMultipleChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.name} ({obj.username})"


class PersonField(forms.ModelChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.name} ({obj.username})"


class RubricField(forms.ModelChoiceField):
    """A version of a rubric with its title and author."""

    def label_from_instance(self, obj: Any) -> str:
        program = "of its protocol" if "protocol" in obj.body else "comes with the program"
        author = obj.author.name if obj.author else program
        return f"{obj}: {obj.body['title']} ({author})"


class SubsetField(forms.ModelChoiceField):
    """A subset with its collection and size (annotated by subsets_of)."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.name} ({obj.collection.name}): {how_many(obj.size, 'question')}"


class JudgePromptField(forms.ModelChoiceField):
    """A version of the judge prompt."""

    def label_from_instance(self, obj: Any) -> str:
        return f"Version {obj.version}: {obj.title}"


class RoundJudgesField(PeopleField):
    """People, with a note at those who could read the verdicts of the rounds before."""

    def label_from_instance(self, obj: Any) -> str:
        reads = ", who may have read its verdicts" if obj.reads else ""
        return f"{obj.name} ({obj.username}){reads}"


def answered_runs(person: Person, protocol: str | None = None) -> QuerySet[Run]:
    """The runs with finished responses that `person` may see now: of all protocols, or of the one of this name."""
    done = Run.objects.filter(responses__state=ResponseState.DONE)
    if protocol:
        name = None if protocol == WIKICONTRADICT else protocol
        done = done.filter(collection__protocol__name=name)
    seen = done.exclude(pk__in=hidden_run_ids(person))
    held = Q(responses__held=True)
    return seen.annotate(
        answered=Count("responses", filter=~held),
        held=Count("responses", filter=held),
        not_verified=Count("responses", filter=Q(responses__prompt_verified=False) & ~held),
    ).order_by("-pk")


def protocols_of(runs: QuerySet[Run]) -> dict[str, str]:
    """The names of the protocols of these runs, in their order, with the titles."""
    return {declaration.name: declaration.title for declaration in _declarations(runs)}


def scorer_labels(runs: QuerySet[Run]) -> list[str]:
    """Those that the protocols of these runs have, as "SCORER=LABEL"."""
    found = (labels_of(declaration) for declaration in _declarations(runs))
    return list(dict.fromkeys(label for labels in found for label in labels))


def _declarations(runs: QuerySet[Run]) -> list[Declaration]:
    keys = dict.fromkeys(runs.values_list("collection", flat=True))
    collections = Collection.objects.select_related("protocol").in_bulk(keys)
    return [collections[key].declaration for key in keys]


def subsets_of(runs: QuerySet[Run]) -> QuerySet[Subset]:
    """The subsets of the collections that these runs ask about."""
    rows = Subset.objects.filter(collection__in=runs.order_by().values("collection"))
    return rows.select_related("collection").annotate(size=Count("instances")).order_by("-pk")
