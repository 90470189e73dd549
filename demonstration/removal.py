"""Remove the demonstration set with all that depends on it, and nothing else.

Rows that hold on to what is removed are removed first, and those that hold on to these, whatever room they are in. Only
of people it is not so: a row of other work that needs an invented person stops the whole removal.
"""

from collections import Counter, defaultdict
from typing import Any

from django.db import transaction
from django.db.models import F, Model, ProtectedError, Q, QuerySet

from accounts.models import Person, RoleGrant
from annotation.models import Annotation, Campaign
from datasets.models import Collection
from demonstration.annotating import BASE
from generation.models import LanguageModel, Run
from judging.models import Study
from leases.refusal import Conflict
from wikifetch.models import Tag, Wiki
from writing.models import Writing

MARKED = Q(is_demonstration=True)


class Scope:
    """The marked rows, and the campaigns, forms, runs and studies based on them. Keys are read once."""

    def __init__(self) -> None:
        self.wikis = _all(Wiki, base_url=BASE)
        self.collections = _all(Collection, MARKED)
        on_them = Q(collection__in=self.collections)
        its_tags = Q(assignments__tag__article__wiki__in=self.wikis)
        self.campaigns = _all(Campaign, MARKED | on_them | its_tags)
        self.writings = _all(Writing, on_them)
        self.runs = _all(Run, MARKED | on_them)
        # The authors of given texts are asked by no run.
        asked = Q(runs__in=self.runs) | Q(responses__run__in=self.runs)
        self.models = _all(LanguageModel, asked)
        judges_them = Q(items__response__run__in=self.runs)
        warms_up = Q(gold_items__response__run__in=self.runs)
        self.studies = _all(Study, MARKED | judges_them | warms_up)
        self.people = _all(Person, MARKED)

    def others_work(self) -> list[str]:
        """People's own work based on the demonstration set, by name."""
        kinds = (("campaign", self.campaigns), ("run", self.runs), ("study", self.studies))
        named = [
            f"{kind} “{row}”"
            for kind, rows in kinds
            # A person's run on demonstration questions is marked too, so its creator decides.
            for row in rows.exclude(created_by__in=self.people)
        ]
        return [*named, *(f"form “{row}”" for row in self.writings)]

    def remove(self) -> Counter[str]:
        """Delete the rows; returns how many of each kind. Raises ProtectedError."""
        Tag.objects.filter(article__wiki__in=self.wikis).update(latest=None)
        # Of other tags, and withdrawn or continued in another campaign since.
        left = Annotation.objects.filter(first_assignment__campaign__in=self.campaigns)
        left.update(first_assignment=F("assignment"))
        deleted = Counter[str]()
        works = (self.studies, self.runs, self.writings, self.campaigns)
        for rows in (*works, self.collections, self.wikis):
            deleted += _with_dependants(rows)
        unused = self.models.filter(runs=None, responses=None, judging_as=None)
        for rows in (unused, RoleGrant.objects.filter(person__in=self.people), self.people):
            deleted.update(rows.delete()[1])
        return deleted


@transaction.atomic
def remove(*, with_work_built_on_it: bool = False) -> Counter[str]:
    """Delete all of it or nothing; returns the deleted rows by kind. Raises Conflict naming work based on it."""
    scope = Scope()
    if not with_work_built_on_it and (others := scope.others_work()):
        raise Conflict(
            f"Work of this installation is based on the demonstration set: {', '.join(others)}. "
            "Nothing was removed. --with-work-built-on-it removes that too."
        )
    try:
        return scope.remove()
    except ProtectedError as error:
        named = sorted({f"{row._meta.verbose_name} “{row}”" for row in error.protected_objects})
        raise Conflict(
            f"Other rows hold on to the demonstration set: {', '.join(named[:5])}. Nothing was removed."
        ) from error


def _all(model: type[Model], *which: Q, **columns: Any) -> QuerySet[Any]:
    """Those rows, by keys that are read now."""
    rows = model._default_manager.filter(*which, **columns)
    keys = list(rows.order_by().values_list("pk", flat=True).distinct())
    return model._default_manager.filter(pk__in=keys).order_by("pk")


def _with_dependants(rows: QuerySet[Any]) -> Counter[str]:
    """Delete them, and before them the rows whose keys protect them."""
    deleted = Counter[str]()
    while True:
        try:
            return deleted + Counter(rows.delete()[1])
        except ProtectedError as error:
            held = defaultdict[type[Model], list[int]](list)
            for row in error.protected_objects:
                held[type(row)].append(row.pk)
            for model, keys in held.items():
                deleted += _with_dependants(model._base_manager.filter(pk__in=keys))
