"""The time of a report and of its agreement, compared with a bare GROUP BY of its verdicts.

Two judged studies: one of the paper's size, 1,200 responses, and one of 50,000, with two verdicts each. Each is
measured in a new process, with 10,000 resamples. The bare GROUP BY counts the judges' pairs of verdicts; PostgreSQL's
own CPU is not counted. And a study of 100,000 scored responses, of 12 models to 7 prompts, next to a bare
pass over its responses and their options.
"""

import argparse
from collections import Counter
from functools import partial

from bench import world
from bench.machine import apart, arguments, measured, on_each, print_next_to

SCORED = "scored"


def main() -> None:
    on_each(measure, arguments("agreement", __doc__, responses=50_000, scored=100_000))


def measure(options: argparse.Namespace) -> None:
    sizes = {"paper": min(1_200, options.responses), "large": options.responses}
    for first, (name, responses) in enumerate(sizes.items()):
        apart(make, name, responses, 1 + first * 10_000)
    for name in sizes:
        least = measured(partial(group_by, name))
        print_next_to(least, f"{name}: agreement", measured(partial(agreement, name)))
        print_next_to(least, f"{name}: report", measured(partial(report, name)))
    apart(make_scored, options.scored)
    print_next_to(measured(bare_pass), "scored: report", measured(partial(report, SCORED)))


def make(name: str, responses: int, first: int) -> None:
    from judging.studies import close_study

    close_study(world.judged(world.answered(responses, name, first), name))
    world.some_minutes_later()


def agreement(name: str) -> None:
    from evaluation.counts.judged import Judged
    from evaluation.counts.naming import prompt_entry, prompts_of
    from evaluation.sections.study_agreement import study_agreement
    from judging.models import Study

    study = Study.objects.select_related("rubric").get(name=name)
    prompts = [prompt_entry(prompt) for prompt in prompts_of(study)]
    made = study_agreement(Judged.of_study(study), prompts)
    kappa = made["prompts"][0]["pairs"][0]["coefficients"][1]
    assert kappa["clustered"]["low"] < kappa["value"] < kappa["clustered"]["high"]
    assert kappa["clustered"]["resamples"] == 10_000


def report(name: str) -> None:
    """The whole report as its page computes it for the first time."""
    from evaluation.sections.study import study_report
    from judging.models import Study

    study_report(Study.objects.select_related("rubric").get(name=name))


def make_scored(responses: int) -> None:
    from tests.evaluation import scored

    models = [f"model-{n}" for n in range(12)]
    prompts = ("no-evidence", "default", *scored.CAUSES, "two-temporal", "two-semantic-shuffled")
    run = scored.answered(-(-responses // (len(models) * len(prompts))), models, prompts)
    scored.scored_study(run, SCORED)
    world.some_minutes_later()


def bare_pass() -> None:
    """All responses with their options' probabilities, read and looked at once."""
    from django.db import connection

    sql = """SELECT r.model_id, r.prompt, r.text, r.finding, o.mass FROM judging_studyitem i
    JOIN judging_study s ON s.id = i.study_id JOIN generation_response r ON r.id = i.response_id
    JOIN generation_optionscore o ON o.response_id = r.id WHERE s.name = %s"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [SCORED])
        assert Counter(row[:4] for row in cursor)


def group_by(name: str) -> None:
    """The pairs of verdicts by prompt, judges and article, counted by the database alone."""
    from django.db import connection

    sql = """SELECT r.prompt, a.judge_id, b.judge_id, c.title, ja.first_verdict, jb.first_verdict, COUNT(*)
    FROM judging_judgingslot a JOIN judging_judgment ja ON ja.slot_id = a.id
    JOIN judging_judgingslot b ON b.item_id = a.item_id AND b.round_id = a.round_id AND b.judge_id > a.judge_id
    JOIN judging_judgment jb ON jb.slot_id = b.id JOIN judging_studyitem i ON i.id = a.item_id
    JOIN judging_study s ON s.id = i.study_id JOIN generation_response r ON r.id = i.response_id
    JOIN datasets_instance n ON n.id = r.instance_id JOIN datasets_contradiction c ON c.id = n.contradiction_id
    WHERE s.name = %s GROUP BY 1, 2, 3, 4, 5, 6"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [name])
        assert cursor.fetchall()


if __name__ == "__main__":
    main()
