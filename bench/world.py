"""A small installation made by the app's own functions, and many copies of its rows, made by the database.

One part has a fetched wiki, a campaign with annotations, a run, and a study whose two judges have handed in. A copy has
the same rows with every key moved, in the same tables; people, the wiki, models, guideline and rubric are shared.
"""

import random
from itertools import chain
from pathlib import Path
from typing import Any

from bench import content

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


def first_part(path: Path, tags: int, annotated: int, responses: int) -> dict[str, int]:
    """Make the first part, with a person of each role; returns the keys of its campaign, run, study, and last rows."""
    from accounts.roles import Role
    from annotation.reviewing.publishing_tags import publish_campaign
    from tests.annotation import factories as annotating
    from tests.factories import person
    from wikifetch.models import Tag

    content.write_pages(path, tags)
    content.read_pages(path)
    people = {role.value: person(role.value, role) for role in Role}
    campaign = annotating.campaign(by=people["admin"], tags=0, people=2, name="Large")
    authors = (people["annotator"], annotating.annotator("anna"))
    entries = content.entries()
    for n in range(annotated):
        both = [annotating.submitted(who, within=campaign, entries=entries) for who in authors]
        if n % 2:
            annotating.decide(both[0], people["admin"])
    publish_campaign(campaign, people["admin"])
    run = answered(responses)
    study = judged(run)
    last = {"tag": Tag.objects.latest("pk").pk, "response": run.responses.latest("pk").pk}
    return {"campaign": campaign.pk, "run": run.pk, "study": study.pk, **last}


def answered(responses: int, name: str = "Mills asked", first: int = 1) -> Any:
    """A finished run of about so many responses; their questions, numbered from `first` on, have the paper's length."""
    from leases.planner import learn_sizes_on_commit
    from tests.judging import factories as judging

    run, drawn = judging.run(name), random.Random(5)
    questions = -(-responses // (len(judging.PROMPTS) * len(judging.MODEL_IDS)))
    numbers = range(first, first + questions)
    judging.responses(run, [judging.instance(n, **content.passages(drawn)) for n in numbers])
    learn_sizes_on_commit("generation")  # as a run does when it is made
    return run


def write_long(run: Any) -> None:
    """Let the texts of its responses have about 100 words."""
    from django.db import connection, transaction

    drawn = random.Random(3)
    keys = run.responses.values_list("pk", flat=True)
    rows = [(content.prose(drawn, 600), key) for key in keys]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany("UPDATE generation_response SET text = %s WHERE id = %s", rows)


def judged(run: Any, name: str = "Large") -> Any:
    """A study of the run's responses; its two judges, who mostly agree, have handed in."""
    from tests.evaluation.factories import judge_all
    from tests.judging import factories as judging

    study = judging.open_study("judge", "bob", drawn_from=run, name=name)
    drawn = random.Random(6)
    return judge_all(study, lambda who, slot: drawn.choices(VERDICTS, (8, 1, 1))[0])


def some_minutes_later() -> None:
    """The planner's statistics that come by themselves: the scheduler makes SQLite's, autovacuum PostgreSQL's.

    The PostgreSQL of the benches has no autovacuum.
    """
    from django.db import connection

    from leases.planner import learn_growth, learn_sizes

    learn_sizes() if connection.vendor == "postgresql" else learn_growth()


def copy(parts: int) -> None:
    """Copy the first part so often that there are so many."""
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


def _is_moved(field) -> bool:
    """Whether the column is a key of rows that are copied."""
    if not field.is_relation:
        return bool(field.primary_key)
    about = field.related_model
    return about._meta.app_label in ROOMS and about.__name__ not in SHARED


def _is_number(field) -> bool:
    return "UUID" not in (field.target_field if field.is_relation else field).get_internal_type()


def _moved(model, field) -> str:
    """The column of a copy, in SQL."""
    column = f't."{field.column}"'
    if _is_moved(field):
        return f"{column} + c.k * {STEP}" if _is_number(field) else _other_uuid(column)
    if field.name in _told_apart(model):
        if not _is_number(field):
            return _other_uuid(column)
        is_text = field.get_internal_type() in ("CharField", "TextField", "SlugField")
        return f"{column} || '-' || c.k" if is_text else f"{column} + c.k * {STEP}"
    return column


def _told_apart(model) -> set[str]:
    """The columns without which a copy would break a unique key that holds no moved column."""
    unique = [
        [model._meta.get_field(name) for name in constraint.fields]
        for constraint in model._meta.total_unique_constraints
    ]
    unique += [[field] for field in model._meta.concrete_fields if field.unique]
    fixed = [key for key in unique if not any(_is_moved(field) for field in key)]
    return {key[-1].name for key in fixed}


def _other_uuid(column: str) -> str:
    from django.db import connection

    if connection.vendor == "sqlite":
        return f"substr({column}, 1, 24) || printf('%08x', c.k)"
    return f"(substr(replace({column}::text, '-', ''), 1, 24) || lpad(to_hex(c.k), 8, '0'))::uuid"
