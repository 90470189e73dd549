import json
from urllib.parse import urlsplit

import pytest
from django.db import IntegrityError, transaction

from evaluation.archive import bundles
from evaluation.frozen import publishing, snapshots
from evaluation.models import ReportSnapshot
from judging import discussing, rounds, studies
from judging.files.predictions import import_predictions
from judging.models import Study
from judging.published import over_runs
from leases.refusal import Conflict, NotFoundHere, Refusal
from operations import forgetting
from tests.evaluation.factories import exclude, judged_study, resolve_all, run_of_all_kinds
from tests.factories import person, signed_in
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db


@pytest.fixture
def frozen(rita):
    study = judged_study()
    studies.close_study(study)
    return snapshots.freeze(study, by=rita)[0]


def address(snapshot):
    return f"/published/{snapshot.pk}/{snapshot.token}/"


def test_whoever_has_the_address_reads_the_report_and_nothing_of_the_program(client, rita, frozen):
    shown = publishing.publish(frozen, by=rita, authors="Ada Ash and Bo Beck")
    client.logout()
    answer = client.get(address(shown))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "Ada Ash and Bo Beck" in page
    assert "/reports/" not in page
    assert "<form" not in page
    assert "site-nav" not in page
    assert "noindex" in answer["X-Robots-Tag"]
    assert answer["Referrer-Policy"] == "no-referrer"


def test_a_reader_who_is_signed_in_sees_the_same_page(client, rita, frozen):
    shown = publishing.publish(frozen, by=rita)
    signed_in = client.get(address(shown)).content
    client.logout()
    assert client.get(address(shown)).content == signed_in


def test_neither_names_nor_texts_of_responses_are_published(client, rita, frozen):
    shown = publishing.publish(frozen, by=rita)
    for ending in ("", "report.json"):
        page = client.get(address(shown) + ending).content.decode()
        for name in ("alice", "bob", "rita", rita.pseudonym, "=1+1"):
            assert name not in page, name


def test_comments_are_published_only_when_asked_for(client, rita, frozen):
    shown = publishing.publish(frozen, by=rita, with_comments=True)
    assert "=1+1" in client.get(address(shown)).content.decode()
    assert {row["comment"] for row in shown.comments} == {"=1+1"}
    publishing.unpublish(shown, reason="An error.", by=rita)
    shown.refresh_from_db()
    assert shown.comments is None


def test_who_was_forgotten_is_looked_for_before_a_report_is_published(client, rita, frozen):
    body = {**frozen.body, "study": {**frozen.body["study"], "name": "What Grace Ho saw"}}
    ReportSnapshot.objects.update(authors="Grace Ho and Bo Beck", body=body)
    Study.objects.update(name="By Grace Ho", slug="for-grace-ho")
    page = f"/reports/snapshots/{frozen.pk}/"
    assert "who was forgotten" not in client.get(page).content.decode()
    forgetting.forget(person("grace", name="Grace Ho"))
    shown = client.get(page).content.decode()
    for text in (
        "Authors: <bdi><mark>Grace Ho</mark> and Bo Beck</bdi>",
        "Name of the study: <bdi>By <mark>Grace Ho</mark></bdi>",
        "Name in addresses: <bdi>for-<mark>grace-ho</mark></bdi>",
        "Text of the report: <bdi>What <mark>Grace Ho</mark> saw</bdi>",
    ):
        assert text in shown


def test_comments_on_a_question_that_was_taken_out_are_not_published(rita, study):
    exclude(study, 1)
    studies.close_study(study)
    shown = publishing.publish(snapshots.freeze(study, by=rita)[0], by=rita, with_comments=True)
    asked = {row["question"] for row in shown.comments}
    assert asked == {f"When was abbey {n} founded?" for n in (2, 3, 4)}


def test_comments_of_verdicts_that_changed_since_are_not_published(rita, frozen):
    resolve_all(frozen.study)
    with pytest.raises(Conflict, match="Freeze the report again"):
        publishing.publish(frozen, by=rita, with_comments=True)
    assert publishing.publish(frozen, by=rita).public


@pytest.mark.parametrize("token", ["", "x", "\N{SNOWMAN}"])
def test_a_wrong_address_opens_nothing(rita, frozen, token):
    publishing.publish(frozen, by=rita)
    with pytest.raises(NotFoundHere, match="no published report"):
        publishing.published(frozen.pk, token)
    with pytest.raises(NotFoundHere, match="no published report"):
        publishing.published(frozen.pk + 1, token)


def test_a_report_that_was_never_published_has_no_address(client, rita, frozen):
    assert client.get(f"/published/{frozen.pk}/x/").status_code == 404


def test_a_withdrawn_address_says_why_for_good(client, rita, frozen):
    first = publishing.publish(frozen, by=rita)
    page = f"/reports/snapshots/{frozen.pk}/unpublish/"
    assert client.post(page, {"reason": " "}).status_code == 400
    assert client.get(address(first)).status_code == 200
    for _ in range(2):
        assert client.post(page, {"reason": "Table 2 is <wrong>."}).status_code == 302
    again = publishing.publish(frozen, by=rita)
    assert again.token != first.token
    for ending in ("", "report.json"):
        gone = client.get(address(first) + ending)
        assert gone.status_code == 410
        assert "Table 2 is &lt;wrong&gt;." in gone.content.decode()
        assert "noindex" in gone["X-Robots-Tag"]
    assert frozen.withdrawn.count() == 1
    assert client.get(address(again)).status_code == 200


@pytest.mark.both
def test_publishing_twice_keeps_the_address(rita, frozen):
    first = publishing.publish(frozen, by=rita)
    assert publishing.publish(frozen, by=rita).token == first.token


def test_an_open_study_is_not_published_for_its_judges_to_read(rita, study):
    frozen, _ = snapshots.freeze(study, by=rita)
    with pytest.raises(Conflict, match="still judges"):
        publishing.publish(frozen, by=rita)


@pytest.mark.parametrize("other", [lambda run: run, judging.copy_of], ids=["run", "its file"])
def test_nor_is_a_closed_one_whose_responses_somebody_judges_in_another_study(rita, other):
    drawn_from = run_of_all_kinds()
    study = judged_study(drawn_from=drawn_from)
    studies.close_study(study)
    judging.open_study("carl", "dora", name="Again", drawn_from=other(drawn_from))
    frozen, _ = snapshots.freeze(study, by=rita)
    with pytest.raises(Conflict, match="still judges"):
        publishing.publish(frozen, by=rita)


def warned(client, address, **posted):
    answer = client.post(address, posted) if posted else client.get(address)
    return 'id="published"' in answer.content.decode()


@pytest.mark.parametrize("where", ["the study", "another", "its file"])
def test_nor_is_one_whose_responses_judges_still_discuss(rita, where):
    run = run_of_all_kinds()
    talk = judging.open_study(drawn_from=run, resolved_by="discussion")
    for name, verdict in (("alice", "correct"), ("bob", "incorrect")):
        judging.hand_in(talk, name, verdict)
    studies.close_study(talk)
    study = talk
    if where != "the study":
        other = judging.copy_of(run) if where == "its file" else run
        study = judging.open_study("carol", "dora", name="Another", drawn_from=other)
        studies.close_study(study)
    frozen = snapshots.freeze(study, by=rita)[0]
    with pytest.raises(Conflict, match="still discuss"):
        publishing.publish(frozen, by=rita)
    discussing.leave_all(talk, by=rita)
    assert publishing.publish(frozen, by=rita).public


@pytest.mark.parametrize("other", [lambda run: run, judging.copy_of], ids=["run", "its file"])
def test_a_study_over_published_runs_says_so_before_it_opens(client, rita, frozen, other):
    study, run = frozen.study, other(frozen.study.items.first().response.run)
    draft = judging.draft("Later", drawn_from=run)
    signed_in(client, study.created_by)
    label = "a report on it is published"
    assert label not in client.get("/studies/new/").content.decode()
    assert not warned(client, f"/studies/{draft.pk}/")
    shown = publishing.publish(frozen, by=rita)
    choice = f"{run.name}: {run.responses.count()} finished responses, {label}"
    assert choice in client.get("/studies/new/").content.decode()
    page = client.get(f"/studies/{draft.pk}/").content.decode()
    assert f'<a href="/reports/snapshots/{shown.pk}/">{study.name}</a>' in page
    judges = [judging.judge(name).pk for name in ("alice", "bob")]
    assert warned(client, f"/studies/{draft.pk}/plan/", judges=judges)
    publishing.unpublish(shown, reason="An error.", by=rita)
    assert not warned(client, f"/studies/{draft.pk}/")


def test_a_report_is_over_the_runs_that_it_counts_and_not_over_those_of_a_later_model(rita, frozen):
    study, first = frozen.study, frozen.study.items.first().response.run
    publishing.publish(frozen, by=rita)
    later = judging.later_run()
    judges = [judging.judge("dora"), judging.judge("emil")]
    plan = rounds.RoundPlan("A further model", study.rubric, False, judges)
    added = rounds.AddedResponses(rounds.Selection([later]), 50)
    rounds.add_responses(study, added, plan, by=study.created_by)
    assert [one.run for one in over_runs([first.pk, later.pk])] == [first.pk]


def test_so_does_each_way_to_open_a_closed_study(client, rita, frozen):
    study = frozen.study
    publishing.publish(frozen, by=rita)
    signed_in(client, study.created_by)
    for which in ("again", "added"):
        assert warned(client, f"/studies/{study.pk}/rounds/{which}/")


def test_a_study_closed_early_says_it_next_to_opening_it_again(client, rita):
    study, *_ = judging.closed_early()
    signed_in(client, study.created_by)
    assert not warned(client, f"/studies/{study.pk}/")
    publishing.publish(snapshots.freeze(study, by=rita)[0], by=rita)
    assert warned(client, f"/studies/{study.pk}/")


def test_authors_that_are_too_long_are_refused(rita, frozen):
    with pytest.raises(Refusal, match="300 characters"):
        publishing.publish(frozen, by=rita, authors="x" * 301)


def test_the_database_keeps_no_public_report_without_an_address(frozen):
    with pytest.raises(IntegrityError), transaction.atomic():
        ReportSnapshot.objects.filter(pk=frozen.pk).update(public=True)


def test_the_page_of_the_snapshot_gives_address_and_citation(client, rita, frozen):
    page = f"/reports/snapshots/{frozen.pk}/"
    client.post(f"{page}publish/", {"authors": "A & B"})
    frozen.refresh_from_db()
    shown = client.get(page).content.decode()
    assert f"http://testserver{address(frozen)}" in shown
    assert "A \\&amp; B" in shown


def test_what_is_served_is_to_the_byte_what_was_frozen(client, rita, frozen):
    shown = publishing.publish(frozen, by=rita)
    before = client.get(f"/reports/snapshots/{frozen.pk}.json").content
    assert client.get(address(shown) + "report.json").content == before == frozen.text.encode()
    resolve_all(frozen.study)
    assert client.get(address(shown) + "report.json").content == before
    body = json.loads(before)
    assert body["snapshot"]["body_sha256"] == bundles.body_hash(body)


def test_published_files_open_without_signing_in_and_pictures_are_not_among_them(
    client, rita, frozen
):
    base = address(publishing.publish(frozen, by=rita))
    client.logout()
    for ending in ("agreement.csv", "verdicts.csv", "charts/flow.svg", "charts/flow.csv"):
        assert client.get(base + ending).status_code == 200, ending
    assert client.get(base + "charts/flow.png").status_code == 404
    assert client.get(base + "rows.csv").status_code == 404


def test_the_address_is_long_and_random(rita, frozen):
    shown = publishing.publish(frozen, by=rita)
    assert len(urlsplit(address(shown)).path.split("/")[3]) >= 32


def test_a_published_report_says_first_how_a_judge_model_does_on_the_held_out_half(client, rita):
    study = judged_study()
    lines = [f"{n},evaluation: correct" for n in study.items.values_list("position", flat=True)]
    import_predictions(study, "\n".join(["item,reply", *lines]).encode(), "Elsewhere")
    studies.close_study(study)
    shown = publishing.publish(snapshots.freeze(study, by=rita)[0], by=rita)
    client.logout()
    page = client.get(address(shown)).content.decode()
    placed = [
        page.index(words)
        for words in (
            "One variant of a judge model was tried",
            "1 variant has been compared with people on the held-out half",
            '<h3 dir="auto">Elsewhere (model)</h3>',
            "On the held-out half of the articles, Elsewhere (model) gives",
            "On prompt 1, Elsewhere (model) gives",
        )
    ]
    assert placed == sorted(placed)
