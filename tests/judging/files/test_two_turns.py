"""Responses to prompts of two turns, with scores and to written versions in a study: its files and statements."""

import csv
import io
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.rows.listing import with_prompts
from generation import prompt_versions
from generation.models import FirstReply, OptionScore, RejectedReply
from judging import planning, studies
from judging.files import studyfile
from judging.models import Study, StudyItem
from judging.rules import rubric
from judging.rules.assignment import AssignmentRules
from judging.studies import current
from tests.generation.factories import two_turns
from tests.judging.factories import finished_run, instance, language_model, response, run

pytestmark = [pytest.mark.both, pytest.mark.django_db]

PIECES = ["You said “", "”. Is Echo sure?"]


def studied(*responses):
    study = Study.objects.create(name="S", slug="s", rubric=current(), seed=1)
    StudyItem.objects.bulk_create(studies.items_of(study, responses))
    return study


def answered_twice(text="6 km"):
    """A response whose first reply was “5 km”."""
    asked = response(run(), instance(1), two_turns(), language_model(), follow_up=PIECES, text=text)
    FirstReply.objects.create(response=asked, text="5 km", request={}, reply={})
    return asked


def table(study):
    return list(csv.DictReader(io.StringIO("".join(studyfile.csv_chunks(study)))))


def test_the_files_of_a_study_have_both_turns():
    asked = answered_twice()
    study = studied(asked)
    texts = {
        "sent": asked.rendered,
        "first_reply": "5 km",
        "sent_second": "You said “5 km”. Is Echo sure?",
        "response": "6 km",
    }
    [entry] = studyfile.entries(study)
    [line] = table(study)
    for row in (entry, line):
        assert {name: row[name] for name in texts} == texts


def test_the_files_of_a_study_of_one_turn_have_no_second():
    study = studied(*finished_run(1).responses.all())
    some = {name for names, _ in studyfile.SOME for name in names}
    assert not any(some & set(row) for row in (*studyfile.entries(study), *table(study)))


def test_the_files_of_a_study_have_the_scores_of_options():
    first, second, *_ = finished_run(2).responses.all()
    OptionScore.objects.create(response=first, option="A", mass=0.75)
    OptionScore.objects.create(response=first, option="B")
    study = studied(first, second)
    rows = [entry.get("option_scores") for entry in studyfile.entries(study)]
    assert rows == [{"A": 0.75, "B": None}, None]
    assert [line["option_scores"] for line in table(study)] == ['{"A": 0.75, "B": null}', ""]


def test_the_files_of_a_study_have_the_asked_form_and_each_reply_without_it():
    first, second, *_ = finished_run(2).responses.all()
    first.wanted = {"form": "span", "of": ["It is 5 km."], "times": 2, "alike": False}
    first.text, first.finding, first.askings = "", "skipped", 2
    first.save()
    for n, text in ((2, "Nobody\nknows"), (1, "=5")):
        RejectedReply.objects.create(response=first, n=n, text=text, request={}, reply={})
    study = studied(first, second)
    asked = {"form": "span", "times": 2, "askings": 2, "finding": "skipped"}
    entries, lines = list(studyfile.entries(study)), table(study)
    assert entries[0].items() >= (asked | {"rejected": ["=5", "Nobody\nknows"]}).items()
    assert not {*asked, "rejected"} & set(entries[1])
    assert {name: lines[0][name] for name in asked} == {n: str(v) for n, v in asked.items()}
    assert lines[0]["rejected"] == '["=5", "Nobody\\nknows"]'
    assert {lines[1][name] for name in (*asked, "rejected")} == {""}


def test_a_name_in_the_second_turn_tells_nothing_and_one_in_the_first_reply_does():
    asked = answered_twice("I am Echo, at 5 km")
    asked.answered_by = "echo"
    assert [one.names_its_model for one in studies.items_of(Study(), [asked])] == [False]
    asked.answered_by = "km"
    assert [one.names_its_model for one in studies.items_of(Study(), [asked])] == [True]


def test_a_written_version_takes_no_statement_for_each_response(rosa):
    given = {"name": "cautious", "label": "C1", "title": "C", "template": "{question} {context1}"}
    label = prompt_versions.add(given, rosa).prompt.label
    usual = rubric.parse(current().body)
    known = replace(usual, prompts={**usual.prompts, "cautious": usual.prompts["both-passages"]})
    rows = finished_run(6, [label]).responses.select_related("instance__contradiction", "model")
    items = [StudyItem(response=one) for one in rows]
    taken = []
    for some in (items[:2], items):
        with CaptureQueriesContext(connection) as asked:
            planning.cost(
                [one.response for one in some], known, AssignmentRules(seed=1, per_item=2)
            )
            with_prompts(Study(pk=1), some)
        taken.append(len(asked))
    assert taken[0] == taken[1]
