"""The time of a report and of its agreement, compared with a bare GROUP BY of its rows; and of a million labels.

Two judged studies: one of the paper's size (48 questions from 40 articles, 5 models, 5 prompts, 2 judges), and
one of 100,000 judgments (2,000 questions from 1,700 articles). Each is measured in a new process, with 10,000
resamples. The bare GROUP BY is the query of the judges' pairs, without use of its result. A file of a million
labels is compared with csv.reader alone.
"""

import argparse
import csv
import io
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.machine import apart, arguments, on_each, peak

PROMPTS = (
    "internal-knowledge",
    "passage-1",
    "passage-2",
    "both-passages",
    "both-passages-comprehensive",
)
MODELS = 5


def main() -> None:
    options = arguments("agreement", __doc__, questions=2_000, lines=1_000_000)
    on_each(measure_sizes, options)
    with tempfile.TemporaryDirectory(prefix="sicetnon-bench-") as folder:
        apart(of_file, Path(folder) / "labels.csv", options.lines)


def measure_sizes(options: argparse.Namespace) -> None:
    sizes = {"paper": (48, 40), "large": (options.questions, options.questions * 17 // 20)}
    for size, (questions, articles) in sizes.items():
        apart(make, size, questions, articles)
    for size in sizes:
        apart(measure, size)
        apart(measure_report, size)


def make(size: str, questions: int, articles: int) -> None:
    """A closed study of this size, as rows."""
    from datasets.models import Collection, Contradiction, Instance
    from generation.models import LanguageModel, Response, Run
    from judging.models import Judge, Round, Study, StudyItem
    from judging.rubric_versions import current
    from leases.planner import learn_sizes

    collection = Collection.objects.create(name=size)
    run = Run.objects.create(name=size, collection=collection, state="done", prompts=list(PROMPTS))
    tags = Contradiction.objects.bulk_create(
        Contradiction(
            collection=collection,
            position=n,
            external_id=f"{size}-{n}",
            title=f"Article {n % articles}",
            validity="Valid",
        )
        for n in range(questions)
    )
    instances = Instance.objects.bulk_create(
        Instance(contradiction=tag, n=1, question="When?", kind="wh") for tag in tags
    )
    models = [
        LanguageModel.objects.create(service=size, model_id=f"model-{n}", options_hash="0" * 64)
        for n in range(MODELS)
    ]
    responses = Response.objects.bulk_create(
        (
            Response(
                run=run,
                instance=instance,
                model=model,
                prompt=prompt,
                prompt_hash="0" * 64,
                rendered="Q",
                text="A",
                state="done",
            )
            for instance in instances
            for model in models
            for prompt in PROMPTS
        ),
        batch_size=2_000,
    )
    study = Study.objects.create(name=size, slug=size, rubric=current(), state="closed", seed=7)
    first_round = Round.objects.create(study=study, rubric=study.rubric)
    items = StudyItem.objects.bulk_create(
        (
            StudyItem(study=study, response=response, position=place, round=first_round)
            for place, response in enumerate(responses)
        ),
        batch_size=5_000,
    )
    judges = [
        Judge.objects.create(study=study, pseudonym=name, external=name) for name in ("P-1", "P-2")
    ]
    _judge(first_round, judges, items)
    learn_sizes()


def _judge(first_round: Any, judges: list[Any], items: list[Any]) -> None:
    from judging.models import JudgingSlot, Judgment, Resolution, Verdict

    rng = np.random.Generator(np.random.PCG64(1))
    verdicts = rng.choice(3, len(items), p=[0.2, 0.3, 0.5])
    others = np.where(
        rng.random(len(items)) < 0.8, verdicts, rng.choice(3, len(items), p=[0.2, 0.3, 0.5])
    )
    for seat, (judge, given) in enumerate(zip(judges, (verdicts, others), strict=True), start=1):
        slots = JudgingSlot.objects.bulk_create(
            (
                JudgingSlot(
                    round=first_round,
                    item=item,
                    seat=seat,
                    judge=judge,
                    order=place,
                    state="locked",
                )
                for place, item in enumerate(items)
            ),
            batch_size=2_000,
        )
        Judgment.objects.bulk_create(
            (
                Judgment(slot=slot, verdict=verdict, first_verdict=verdict)
                for slot, verdict in zip(slots, np.array(Verdict.values)[given], strict=True)
            ),
            batch_size=2_000,
        )
    Resolution.objects.bulk_create(
        (
            Resolution(
                item=item, final_for=item, round=first_round, verdict=verdict, how="majority"
            )
            for item, verdict in zip(items, np.array(Verdict.values)[verdicts], strict=True)
        ),
        batch_size=2_000,
    )


def measure(size: str) -> None:
    before = peak()
    worked = time.process_time()
    cold = seconds(lambda: agreement(size))
    worked = time.process_time() - worked
    after = peak()
    bare = min(seconds(lambda: group_by(size)) for _ in range(3))
    print(
        f"  {size:6} agreement, all coefficients, cold {cold:6.2f} s ({worked:.2f} s of processor), "
        f"{after - before:4.0f} MB more; bare GROUP BY {bare:6.3f} s; {cold / bare:5.1f} times",
        flush=True,
    )


def measure_report(size: str) -> None:
    """The whole report as its page computes it for the first time."""
    from evaluation.sections.study import study_report
    from judging.models import Study

    study = Study.objects.select_related("rubric").get(slug=size)
    before, worked = peak(), time.process_time()
    taken = seconds(lambda: study_report(study))
    worked = time.process_time() - worked
    print(
        f"  {size:6} report {taken:6.2f} s ({worked:.2f} s of processor), {peak() - before:4.0f} MB more",
        flush=True,
    )


def agreement(size: str) -> None:
    from evaluation.counts.judged import Judged
    from evaluation.counts.naming import prompt_entry, prompts_of
    from evaluation.sections.agreement import study_agreement
    from judging.models import Study

    study = Study.objects.select_related("rubric").get(slug=size)
    prompts = [prompt_entry(name) for name in prompts_of(study)]
    agreement = study_agreement(Judged.of(study), prompts)
    kappa = agreement["prompts"][0]["pairs"][0]["coefficients"][1]
    assert kappa["clustered"]["low"] < kappa["value"] < kappa["clustered"]["high"]
    assert kappa["clustered"]["resamples"] == 10_000


def group_by(size: str) -> None:
    """The pairs of verdicts by prompt, judges and article, counted by the database alone."""
    from django.db import connection

    sql = """SELECT r.prompt, a.judge_id, b.judge_id, c.title, ja.first_verdict, jb.first_verdict, COUNT(*)
    FROM judging_judgingslot a JOIN judging_judgment ja ON ja.slot_id = a.id
    JOIN judging_judgingslot b ON b.item_id = a.item_id AND b.round_id = a.round_id AND b.judge_id > a.judge_id
    JOIN judging_judgment jb ON jb.slot_id = b.id JOIN judging_studyitem i ON i.id = a.item_id
    JOIN judging_study s ON s.id = i.study_id JOIN generation_response r ON r.id = i.response_id
    JOIN datasets_instance n ON n.id = r.instance_id JOIN datasets_contradiction c ON c.id = n.contradiction_id
    WHERE s.slug = %s GROUP BY 1, 2, 3, 4, 5, 6"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [size])
        assert cursor.fetchall()


def of_file(path: Path, lines: int) -> None:
    """Labels of two raters on half as many items, ten in a cluster."""
    rng = np.random.Generator(np.random.PCG64(2))
    names = ("incorrect", "partially correct", "correct")
    with path.open("w", encoding="utf-8") as file:
        file.write("item,rater,label,cluster\n")
        for item, (first, again) in enumerate(
            zip(rng.integers(0, 3, lines // 2), rng.random(lines // 2) < 0.8, strict=True)
        ):
            cluster = f"article-{item // 10}"
            file.write(f"item-{item},alice,{names[first]},{cluster}\n")
            file.write(f"item-{item},bob,{names[first if again else 2]},{cluster}\n")
    bare = min(seconds(lambda: read_only(path, lines)) for _ in range(3))
    before = peak()
    taken = seconds(lambda: label_file(path, lines))
    print(
        f"{lines:,} labels in a file: {taken:.1f} s, {peak() - before:.0f} MB more; csv.reader alone {bare:.1f} s; "
        f"{taken / bare:.1f} times"
    )


def read_only(path: Path, lines: int) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        assert sum(1 for _ in csv.reader(file)) == lines + 1


def label_file(path: Path, lines: int) -> None:
    from evaluation.labels.agreement import Wanted, agreement_of
    from evaluation.labels.file import read
    from evaluation.labels.scale import scale_of
    from evaluation.statistics.bootstrap import Plan

    with io.BufferedReader(path.open("rb", buffering=0)) as stream:
        ratings = read(stream)
    agreement = agreement_of(ratings, scale_of(ratings.label_names), Wanted(Plan()))
    assert agreement["n_labels"] == lines


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
