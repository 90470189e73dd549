"""A small installation made by the app's own functions, and many copies of its rows, made by the database."""

import random
from itertools import chain
from pathlib import Path
from typing import Any

from bench.common import prose, read_pages

VERDICTS = ("correct", "partially correct", "incorrect")
STEP = 10_000_000  # no key of the first part is as high
ROOMS = ("wikifetch", "datasets", "annotation", "generation", "judging")
SHARED = {
    *("Wiki", "FetchRun", "Guideline", "Rubric", "LanguageModel", "PromptVersion", "JudgePrompt"),
}
COPIES = (
    "(WITH RECURSIVE c(k) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT k + 1 FROM c WHERE k < {last}) "
    "SELECT k FROM c) AS c"
)


def first_part(folder: Path, tags: int, annotated: int, responses: int) -> dict[str, int]:
    """A wiki, a campaign, a run and its study, by the app's own functions, and a person of each role.

    Returns the keys of campaign, run and study, and of the last tag and response.
    """
    from accounts.roles import Role
    from annotation.reviewing.publishing_tags import publish_campaign
    from tests.annotation import factories as annotating
    from tests.factories import person
    from wikifetch.models import Tag

    read_pages(folder, tags)
    people = {role.value: person(role.value, role) for role in Role}
    campaign = annotating.campaign(by=people["admin"], tags=0, people=2, name="Large")
    authors = (people["annotator"], annotating.annotator("anna"))
    for n in range(annotated):
        both = [annotating.submitted(who, within=campaign) for who in authors]
        if n % 2:
            annotating.decide(both[0], people["admin"])
    publish_campaign(campaign, people["admin"])
    asked = answered(responses)
    study = judged(asked)
    last = {"tag": Tag.objects.latest("pk").pk, "response": asked.responses.latest("pk").pk}
    return {"campaign": campaign.pk, "run": asked.pk, "study": study.pk, **last}


def answered(responses: int, name: str = "Mills asked", first: int = 1) -> Any:
    """A finished run of about so many responses; its questions, numbered from `first` on, have the paper's length."""
    from leases.planner import learn_sizes_on_commit
    from tests.judging import factories as judging

    asked, drawn = judging.run(name), random.Random(5)
    texts = [f"passage_{n}_{form}" for n in (1, 2) for form in ("copied", "standalone")]
    questions = -(-responses // (len(judging.PROMPTS) * len(judging.MODEL_IDS)))
    about = [
        judging.instance(n, **{name: f"{prose(drawn, 400)}." for name in texts})
        for n in range(first, first + questions)
    ]
    judging.responses(asked, about)
    learn_sizes_on_commit("generation")  # as a run does when it is made
    return asked


def judged(asked: Any) -> Any:
    """A study of the run's responses; its two judges, who mostly agree, have handed in."""
    from tests.evaluation.factories import judge_all
    from tests.judging import factories as judging

    study, drawn = judging.open_study("judge", "bob", drawn_from=asked), random.Random(6)
    return judge_all(study, lambda who, slot: drawn.choices(VERDICTS, (8, 1, 1))[0])


def some_minutes_later() -> None:
    """The planner's statistics that come by themselves: the scheduler makes SQLite's, autovacuum PostgreSQL's.

    The PostgreSQL of the benches has no autovacuum.
    """
    from django.db import connection

    from leases.planner import learn_growth, learn_sizes

    learn_sizes() if connection.vendor == "postgresql" else learn_growth()


def copy(parts: int) -> None:
    """Copy the first part so often that there are so many: the same rows with every key moved, people shared."""
    from django.apps import apps
    from django.db import connection, transaction

    tables = [apps.get_app_config(room).get_models(include_auto_created=True) for room in ROOMS]
    copied = [model for model in chain(*tables) if model.__name__ not in SHARED]
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # else it looks up each key of each copied row
            cursor.execute("SET LOCAL session_replication_role = replica")
        for model in copied if parts > 1 else ():
            columns = {field: _moved(model, field) for field in model._meta.concrete_fields}
            into = ", ".join(f'"{field.column}"' for field in columns)
            table = model._meta.db_table
            cursor.execute(
                f'INSERT INTO "{table}" ({into}) SELECT {", ".join(columns.values())} '
                f'FROM "{table}" AS t CROSS JOIN {COPIES.format(last=parts - 1)}'
            )
    some_minutes_later()


def _moved(model: Any, field: Any) -> str:
    """The column of a copy, in SQL."""
    column, is_key = f't."{field.column}"', _is_moved(field)
    if not is_key and field.name not in _told_apart(model):
        return column
    kind = (field.target_field if field.is_relation else field).get_internal_type()
    if kind == "UUIDField":
        return _other_uuid(column)
    is_text = not is_key and kind in ("CharField", "TextField", "SlugField")
    return f"{column} || '-' || c.k" if is_text else f"{column} + c.k * {STEP}"


def _is_moved(field: Any) -> bool:
    """Whether the column is a key of rows that are copied."""
    if not field.is_relation:
        return bool(field.primary_key)
    about = field.related_model
    return about._meta.app_label in ROOMS and about.__name__ not in SHARED


def _told_apart(model: Any) -> set[str]:
    """The columns without which a copy would break a unique key that holds no moved column."""
    unique = [
        [model._meta.get_field(name) for name in constraint.fields]
        for constraint in model._meta.total_unique_constraints
    ]
    unique += [[field] for field in model._meta.concrete_fields if field.unique]
    return {key[-1].name for key in unique if not any(_is_moved(field) for field in key)}


def _other_uuid(column: str) -> str:
    from django.db import connection

    if connection.vendor == "sqlite":
        return f"substr({column}, 1, 24) || printf('%08x', c.k)"
    return f"(substr(replace({column}::text, '-', ''), 1, 24) || lpad(to_hex(c.k), 8, '0'))::uuid"
