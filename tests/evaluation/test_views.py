import csv
import html
import json
import re

import pytest

from accounts.roles import Role
from datasets.models import Instance
from evaluation.frozen import snapshots
from evaluation.models import ReportSnapshot
from evaluation.sections.study import study_report
from generation.models import Response
from judging import studies
from tests.evaluation.factories import judged_study, resolve_all
from tests.factories import person
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db


def rows_of(response):
    text = b"".join(response.streaming_content).decode()
    return list(csv.reader(text.splitlines(keepends=True)))


def addresses(study, snapshot):
    base, frozen = f"/reports/{study.pk}", f"/reports/snapshots/{snapshot.pk}"
    sheets = ("agreement", "confusion", "verdicts")
    return [
        f"{base}/",
        f"{base}.json",
        f"{base}/rows/",
        f"{base}/rows.csv",
        f"{base}/disagreements/",
        *(f"{base}/{sheet}.csv" for sheet in sheets),
        f"{frozen}/",
        f"{frozen}.json",
        *(f"{frozen}/{sheet}.csv" for sheet in sheets),
    ]


def frozen(study, by):
    return snapshots.freeze(study, by=by)[0]


@pytest.mark.parametrize(
    ("role", "status"),
    [(Role.RESEARCHER, 200), (Role.ANNOTATOR, 403), (Role.JUDGE, 403), (Role.ADJUDICATOR, 403)],
)
def test_researchers_read_every_page_and_other_roles_none(client, role, status, study):
    snapshot = frozen(study, person("rita", Role.RESEARCHER))
    client.force_login(person("otto", role))
    for address in ["/reports/", *addresses(study, snapshot)]:
        assert client.get(address).status_code == status, address


def test_the_signed_out_are_sent_to_sign_in(client, study):
    for address in ["/reports/", *addresses(study, frozen(study, person("rita")))]:
        response = client.get(address)
        assert response.status_code == 302, address
        assert "next=" in response["Location"]


def test_a_judge_of_an_open_study_sees_none_of_its_numbers(client, study):
    snapshot = frozen(study, person("rita"))
    alice = study.judges.get(person__username="alice").person
    alice.grants.create(role=Role.RESEARCHER)
    alice.grants.create(role=Role.ADMIN)
    client.force_login(alice)
    for address in addresses(study, snapshot):
        assert client.get(address).status_code == 403, address
    assert client.post(f"/reports/{study.pk}/freeze/").status_code == 403
    listed = client.get("/reports/").content.decode()
    assert f'href="/reports/{study.pk}/"' not in listed
    assert "hidden" in listed
    studies.close_study(study)
    assert client.get(f"/reports/{study.pk}/").status_code == 200


def test_the_list_is_honest_when_empty(client, rita):
    page = client.get("/reports/").content.decode()
    assert "No study to report on yet" in page
    assert 'href="/studies/"' in page


def test_a_report_that_is_not_there(client, rita):
    assert client.get("/reports/999999/").status_code == 404
    assert client.get("/reports/snapshots/999999/").status_code == 404
    assert client.get(f"/reports/{judging.draft().pk}/other.csv").status_code == 404


def test_the_page_shows_numbers_with_n_and_interval(client, rita, study):
    page = client.get(f"/reports/{study.pk}/").content.decode()
    (pair,) = study_report(study)["agreement"]["prompts"][2]["pairs"]
    first, second = pair["judges"]
    agreed = "agree on 6 of 8 responses (75.0 %; 95 % interval 40.9 to 92.9 %, Wilson&#x27;s)."
    assert f"{first} and {second} {agreed}" in page
    assert "first verdicts, before resolution and exclusions" in page
    assert "final verdicts, after exclusions" in page
    assert "3 of 4" in page  # one response waits for a third person


def test_the_page_obeys_the_policy(client, rita, study):
    response = client.get(f"/reports/{study.pk}/")
    page = response.content.decode()
    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_one_judge_and_nothing_judged_say_why(client, rita):
    alone = judged_study("alice", judges_per_response=1)
    page = client.get(f"/reports/{alone.pk}/").content.decode()
    assert "Agreement is not measured" in page
    assert "Each response is for one judge" in page


def test_nothing_judged_yet_says_what_to_do(client, rita):
    study = judging.open_study()
    page = client.get(f"/reports/{study.pk}/").content.decode()
    assert "No response has two first verdicts yet" in page
    assert "hand in" in page


def test_json_twin_is_the_report(client, rita, study):
    assert json.loads(client.get(f"/reports/{study.pk}.json").content) == study_report(study)


def test_cells_that_a_spreadsheet_would_run_are_text(client, rita, study):
    Response.objects.update(text="@SUM(A1)")
    Instance.objects.update(question="-1+1")
    header, *rows = rows_of(client.get(f"/reports/{study.pk}/rows.csv"))
    columns = [header.index(name) for name in ("comment", "response", "question")]
    assert {tuple(row[c] for c in columns) for row in rows} == {("'=1+1", "'@SUM(A1)", "'-1+1")}


def test_rows_csv_keeps_the_choice(client, rita, study):
    resolve_all(study)
    query = {"of": "final", "prompt": "both-passages", "verdict": "partially correct"}
    header, *rows = rows_of(client.get(f"/reports/{study.pk}/rows.csv", query))
    assert len(rows) == 4  # two responses, two judges each
    assert {row[header.index("how")] for row in rows} == {"third_person"}


def test_the_page_of_rows_shows_both_verdicts_and_keeps_markup_as_text(client, rita, study):
    Response.objects.update(text="<script>alert(1)</script>")
    query = {"of": "first", "prompt": "both-passages", "first_1": "correct", "first_2": "incorrect"}
    other_way = {**query, "first_1": "incorrect", "first_2": "correct"}
    answers = [client.get(f"/reports/{study.pk}/rows/", way) for way in (query, other_way)]
    pages = [answer.content.decode() for answer in answers]
    page = next(page for page in pages if "2 responses" in page)
    assert page.count("=1+1") == 4
    assert "No final verdict yet" in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_responses_that_lack_verdicts_are_chosen_and_counted_apart(client, rita):
    study, *_ = judging.closed_early()
    page = client.get(f"/reports/{study.pk}/rows/?verdict=incomplete").content.decode()
    assert "3 responses" in page
    assert page.count("The study closed before all its judges came to it.") == 3
    ways = client.get(f"/reports/{study.pk}.json").json()["resolution"]
    assert {way["how"]: way["count"] for way in ways} == {
        "unanimous": 1,
        "incomplete": 3,
        "skipped": 1,
        "disagreement": 1,
    }


def test_an_unknown_choice_is_refused_with_the_known_ones(client, rita):
    response = client.get(f"/reports/{judged_study().pk}/rows/", {"verdict": "maybe"})
    assert response.status_code == 400
    assert "partially correct" in response.content.decode()


def test_freezing_twice_makes_one_snapshot(client, rita, study):
    first = client.post(f"/reports/{study.pk}/freeze/", {"note": ""})
    again = client.post(f"/reports/{study.pk}/freeze/", {"note": ""})
    snapshot = ReportSnapshot.objects.get()
    assert first["Location"] == again["Location"] == f"/reports/snapshots/{snapshot.pk}/"
    assert snapshot.created_by == rita


def hidden_fields(page, action):
    form = page[page.index(f'action="{action}"') :].partition("</form>")[0]
    result = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', form)
    return {name: value for name, value in result if name != "csrfmiddlewaretoken"}


def test_the_form_freezes_what_the_page_shows(client, rita, study):
    query = {"cluster": "tag", "resamples": "500", "seed": "9"}
    page = client.get(f"/reports/{study.pk}/", query).content.decode()
    freeze = f"/reports/{study.pk}/freeze/"
    assert hidden_fields(page, freeze) == query
    answer = client.post(freeze, hidden_fields(page, freeze))
    snapshot = " ".join(client.get(answer["Location"]).content.decode().split())
    assert "Frozen with whole tags resampled 500 times from seed 9." in snapshot
    wrong = client.post(freeze, {"cluster": "judge"})
    assert wrong.status_code == 400


def test_names_chosen_for_a_paper_are_frozen_from_their_page(client, rita, study):
    model = study_report(study)["models"][0]["id"]
    query = {"form": "full", f"name-model-{model}": "Ours & <co>", "seed": "9"}
    page = client.get(f"/reports/{study.pk}/paper/", query).content.decode()
    freeze = f"/reports/{study.pk}/freeze/"
    fields = {name: html.unescape(value) for name, value in hidden_fields(page, freeze).items()}
    assert fields == query
    address = client.post(freeze, fields)["Location"]
    assert "names and an order of its own" in client.get(address).content.decode()
    tables = client.get(f"{address}paper/tables.tex").content.decode()
    assert r"Ours \& \textless{}co\textgreater{}" in tables
    assert "longtable" in tables
    page = client.get(f"{address}paper/").content.decode()
    assert 'value="Ours &amp; &lt;co&gt;"' in page
    assert freeze not in page


def test_freezing_needs_a_post(client, rita, study):
    assert client.get(f"/reports/{study.pk}/freeze/").status_code == 405
    assert not ReportSnapshot.objects.exists()


def test_a_snapshot_says_whether_its_verdicts_changed(client, rita, study):
    address = f"/reports/snapshots/{frozen(study, rita).pk}/"
    assert "have not changed" in client.get(address).content.decode()
    kept = client.get(f"{address[:-1]}.json").content
    resolve_all(study)
    assert "have changed since" in client.get(address).content.decode()
    assert client.get(f"{address[:-1]}.json").content == kept


def test_a_study_of_any_name_gives_files_of_plain_names(client, rita):
    """A study's name may hold what no header may."""
    study = judged_study(name='Löwe "2"\r\nX-Made-Up: 1')
    for address in addresses(study, frozen(study, rita)):
        if address.endswith(".csv"):
            answer = client.get(address)
            assert answer.status_code == 200
            assert re.fullmatch(
                r'attachment; filename="[\w.-]+\.csv"', answer["Content-Disposition"], re.ASCII
            )


@pytest.mark.parametrize("model", ["9" * 19, "9" * 5_000, "²", "٣", "m"])
def test_a_model_that_no_number_links_to_is_refused(client, rita, model, study):
    assert client.get(f"/reports/{study.pk}/rows/", {"model": model}).status_code == 400
