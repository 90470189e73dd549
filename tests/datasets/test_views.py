import json

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains

from accounts.roles import Role
from datasets.importers import import_jobs
from datasets.models import Collection, Contradiction, ImportJob, Release
from datasets.records import current
from datasets.releasing.freezing import freeze
from tests.datasets.factories import annotation, edited, imported, mills, record, text_of
from tests.datasets.importing import brought, checked, confirmed, page_of, sent
from tests.factories import person

pytestmark = pytest.mark.django_db


@pytest.fixture
def as_a(client):
    """`as_a(Role.ADMIN)`: the client, signed in as somebody with those roles."""

    def sign_in(*roles):
        client.force_login(person("alice", *roles))
        return client

    return sign_in


@pytest.mark.parametrize(
    "address",
    [
        "/collections/none/",
        "/collections/none/questions/",
        "/collections/mills/export/xlsx/",
        "/collections/mills/export/..%2F..%2Fetc/",
        "/collections/mills/releases/9/files/wikicontradict-csv/",
        "/contradictions/999999/",
        "/api/collections/none/records/",
    ],
)
def test_what_is_not_there_is_404(as_a, address):
    mills()
    assert as_a(Role.ADMIN).get(address).status_code == 404


def page(client, address):
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_empty_list_says_what_to_do(as_a):
    assert "Import a file" in page(as_a(Role.ADMIN), "/collections/")


def test_an_annotator_is_not_sent_to_a_page_that_stays_shut(as_a):
    assert reverse("datasets:import") not in page(as_a(Role.ANNOTATOR), "/collections/")


@pytest.mark.both
def test_the_list_counts_newest_versions_only(as_a):
    collection = mills(record(title="A"), record(title="B"))
    first = current(collection).first()
    edited(first, title="A2")
    answer = as_a(Role.RESEARCHER).get("/collections/")
    assert answer.context["rows"] == [(collection, 2, 2)]


COUNTED = [
    ("reasoning", "explicit", 2),
    ("reasoning", "implicit", 1),
    ("reasoning", "untyped", 2),
    ("passages", "same", 1),
    ("passages", "different", 4),
    ("kind", "yes-no", 1),
    ("kind", "wh", 4),
]


def a_varied_collection():
    implicit = {
        "taxonomy": [["Contradict type IV", "Implicit (reasoning required)"]],
        "Contradict type IV": "Implicit (reasoning required)",
    }
    asked = {"question2": "Did it?", "question2_answer1": "Yes", "question2_answer2": "No"}
    return mills(
        record(given=annotation(**asked)),
        record(given=annotation(**implicit, wikitag_label_samepassage="Same")),
        record(given=annotation(**{"Contradict type IV": None})),
        record(given=annotation(**{"Contradict type IV": "?"}, wikitag_label_samepassage=None)),
        record(given={"wikitag_label_valid": "Invalid"}),
    )


@pytest.mark.both
@pytest.mark.parametrize(("parameter", "value", "number"), COUNTED)
def test_a_count_is_the_number_of_rows_of_its_link(as_a, parameter, value, number):
    a_varied_collection()
    client = as_a(Role.RESEARCHER)
    counts = client.get("/collections/mills/").context["counts"]
    assert {one.facet.value: one.questions for one in counts.facets}[value] == number
    answer = client.get("/collections/mills/questions/", {parameter: value})
    assert answer.context["page"].paginator.count == number


def test_an_unknown_filter_narrows_nothing(as_a):
    a_varied_collection()
    answer = as_a(Role.RESEARCHER).get("/collections/mills/questions/?kind=why&reasoning=")
    assert answer.context["page"].paginator.count == 5


@pytest.mark.both
def test_invalid_tags_can_be_listed_alone(as_a):
    a_varied_collection()
    answer = as_a(Role.RESEARCHER).get("/collections/mills/?validity=Invalid")
    assert [row.validity for row in answer.context["page"]] == ["Invalid"]


@pytest.mark.both
@pytest.mark.parametrize(
    ("wanted", "titles"),
    [
        ("burn", ["A"]),
        ("DISCUSS", ["B"]),
        ("b", ["A", "B"]),
        ("zzz", []),
        ("%", []),
        ("", ["A", "B"]),
    ],
)
def test_a_search_looks_into_titles_tags_and_questions(as_a, wanted, titles):
    mills(
        record(title="A", given=annotation(question1="Did it burn?")),
        record(title="B", tag="inconsistent|discuss=yes"),
    )
    answer = as_a(Role.RESEARCHER).get("/collections/mills/", {"q": wanted})
    assert [row.title for row, _ in answer.context["rows"]] == titles


def shown(client, collection):
    return page(client, reverse("datasets:contradiction", args=[current(collection).get().pk]))


def test_the_contradicted_spans_are_marked_in_their_passages(as_a):
    text = shown(as_a(Role.ANNOTATOR), mills())
    assert "The Old Mill was built in <mark>1791</mark>." in text
    assert "Begun in <mark>1803</mark>, the Old Mill" in text


def test_text_of_a_record_is_escaped(as_a):
    script = "<script>alert(1)</script>"
    changes = dict.fromkeys(
        (
            "paragraphA_information_standalone",
            "relevantInfo_comment_A_Span",
            "question1",
            "valid_comment",
        ),
        script,
    )
    held = mills(record(title=script, paragraph_A=script, given=annotation(**changes)))
    held.contradictions.update(url="javascript:alert(1)")
    text = shown(as_a(Role.ANNOTATOR), held)
    assert "<script>alert" not in text
    assert "<mark>&lt;script&gt;alert(1)&lt;/script&gt;</mark>" in text
    assert 'href="javascript:' not in text


@pytest.mark.parametrize(
    ("url", "oldid", "link"),
    [
        ("https://en.wikipedia.org/wiki/A", None, "https://en.wikipedia.org/wiki/A"),
        ("https://en.wikipedia.org/wiki/A", 7, "https://en.wikipedia.org/wiki/A?oldid=7"),
        ("https://en.wikipedia.org/w/?curid=3", 7, "https://en.wikipedia.org/w/?curid=3"),
        ("JavaScript:alert(1)", None, ""),
        ("http://[broken", None, ""),
        ("", None, ""),
    ],
)
def test_only_a_web_page_becomes_a_link(url, oldid, link):
    from datasets.contradiction_page import source_link

    assert source_link(url, oldid) == link


def test_an_old_version_points_at_the_newer(as_a):
    old = current(mills()).get()
    new = edited(old, tag="x")
    text = page(as_a(Role.RESEARCHER), f"/contradictions/{old.pk}/")
    assert f'href="/contradictions/{new.pk}/">Open version 2' in text


@pytest.mark.both
def test_deviations_can_be_narrowed_to_a_kind(as_a):
    odd = annotation(confidence="", relevantInfo_comment_A_Span="1792")
    mills(record(title="Plain"), record(title="Odd", given=odd))
    answer = as_a(Role.RESEARCHER).get("/collections/mills/deviations/?kind=SPAN")
    assert [(kind, count) for _, kind, count in answer.context["kinds"]] == [
        ("SPAN", 1),
        ("CONFIDENCE", 1),
    ]
    assert [line.contradiction["title"] for line in answer.context["page"]] == ["Odd"]


def test_an_admin_sends_a_file_reads_the_report_and_imports_it(as_a):
    client = as_a(Role.ADMIN)
    job = checked(client, text_of(record(), record()), name="mills <1>.json")
    text = page_of(client, job)
    assert "<dt>Would be added</dt><dd>1 of 2</dd>" in text
    assert "record 2 equals 1" in text
    assert not Collection.everything.exists()
    address = f"/imports/{job.pk}/"
    assert f'href="{address}"' in page(client, "/imports/")
    for _ in range(2):  # a double click
        assert confirmed(client, job).url == address
    import_jobs.carry_out(job.pk)
    text = page_of(client, job)
    assert "<dt>Added</dt><dd>1 of 2</dd>" in text
    assert 'href="/collections/mills/"' in text
    collection = Collection.objects.get()
    assert (collection.created_by.username, collection.source) == ("alice", "mills <1>.json")


def test_while_an_import_waits_its_page_asks_again(as_a):
    client = as_a(Role.ADMIN)
    address = sent(client, text_of(record())).url
    assert f'hx-get="{address}"' in page(client, address)
    part = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<div id="import"')
    client.post(f"{address}discard/")
    part = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert "It was discarded." in part
    assert "hx-get" not in part


def test_a_refused_file_is_shown_with_every_problem_and_the_form_is_kept(as_a):
    client = as_a(Role.ADMIN)
    job = checked(client, text_of(record(title=None), record(hue="red")))
    text = page_of(client, job)
    assert "2 of 2 records cannot be read; nothing was imported." in text
    assert "record 1 (index 0): 'title' is missing" in text
    assert "'hue' is not a key of this format" in text
    again = f"/collections/new/import/?from={job.pk}"
    assert f'href="{again}"' in text
    assert 'value="mills"' in page(client, again)
    assert not Contradiction.objects.exists()


def test_the_form_is_filled_in_from_ones_own_imports_alone(as_a, client):
    job = checked(as_a(Role.ADMIN), text_of(record()))
    client.force_login(person("bob", Role.ADMIN))
    for key in (job.pk, "x", "9" * 30):
        assert 'value="mills"' not in page(client, f"/collections/new/import/?from={key}")
    assert client.get(f"/imports/{job.pk}/").status_code == 404


def test_an_import_is_undone_until_its_records_are_used(as_a):
    client = as_a(Role.ADMIN)
    brought(client, text_of(record()))
    address = f"/imports/{ImportJob.objects.get().pk}/"
    release = freeze(collection=Collection.objects.get(), version="1.0")
    answer = client.post(f"{address}undo/", follow=True)
    assert answer.redirect_chain[-1][0] == address
    assertContains(answer, "are used: release 1.0. Undo those first")
    release.rows.all().delete()
    release.delete()
    client.post(f"{address}undo/")
    client.post(f"{address}undo/")  # a double click
    assert "It was undone" in page(client, address)
    assert "Had been added</dt><dd>1 of 1" in page_of(client, ImportJob.objects.get())
    assert not Collection.objects.exists()


def test_an_import_that_came_to_nothing_claims_to_have_added_nothing(as_a):
    client = as_a(Role.ADMIN)
    job = checked(client, text_of(record(given=annotation(confidence=""))))
    client.post(f"/imports/{job.pk}/discard/")
    text = page_of(client, job)
    assert "Would have been added</dt><dd>1 of 1" in text
    assert "<dt>With deviations</dt> <dd>1</dd>" in text
    answer = confirmed(client, job)
    assert "it cannot be changed that way any more" in page(client, answer.url)


def test_both_pages_say_that_undoing_removes_what_a_later_import_found_there(as_a):
    client = as_a(Role.ADMIN)
    assert "also what later imports found there?" in brought(client, text_of(record()))
    shown = brought(client, text_of(record(), record(title="B")))
    assert "1; removed where the import that added them is undone" in shown


@pytest.mark.parametrize(
    ("changes", "data", "says"),
    [
        ({"collection": "My Mills"}, text_of(record()), "Lower-case letters, digits"),
        ({"format": "xlsx"}, text_of(record()), "xlsx is not one of the available choices"),
        ({"file": ""}, b"", "This field is required"),
        ({}, b"", "The submitted file is empty"),
    ],
)
def test_a_bad_upload_says_what_is_wrong(as_a, changes, data, says):
    assertContains(sent(as_a(Role.ADMIN), data, **changes), says, status_code=400)
    assert not Collection.objects.exists()


def test_an_upload_over_the_limit_is_refused_unread(as_a, monkeypatch):
    monkeypatch.setattr("datasets.forms.MAX_BYTES", 1024)
    answer = sent(as_a(Role.ADMIN), b"\xff" * 2000)
    assertContains(answer, "The file is larger than", status_code=400)


def downloaded(client, address):
    answer = client.get(address)
    return b"".join(answer.streaming_content), answer


def test_a_download_is_the_export(as_a):
    mills()
    data, answer = downloaded(
        as_a(Role.RESEARCHER), "/collections/mills/export/wikicontradict-json/"
    )
    assert json.loads(data) == [record()]
    assert answer["Content-Disposition"] == 'attachment; filename="mills-records.json"'
    assert answer["Content-Type"] == "application/json; charset=utf-8"
    assert int(answer["Content-Length"]) == len(data)


def test_an_admin_freezes_a_release_and_a_researcher_gets_its_rows(as_a, client):
    mills()
    answer = as_a(Role.ADMIN).post("/collections/mills/releases/", {"version": "1.0", "notes": "n"})
    assert answer.status_code == 302
    release = Release.objects.get()
    assert (release.version, release.notes, release.created_by.username) == ("1.0", "n", "alice")
    imported(record(title="Later"))
    client.force_login(person("bob", Role.RESEARCHER))
    assert release.sha256 in page(client, "/collections/mills/releases/1.0/")
    data, answer = downloaded(client, "/collections/mills/releases/1.0/files/wikicontradict-json/")
    assert json.loads(data) == [record()]
    assert answer["Content-Disposition"] == 'attachment; filename="mills-1.0-records.json"'


@pytest.mark.parametrize(
    ("version", "says"), [("1.0", "exists and never changes"), ("a b", "Use letters")]
)
def test_a_refused_release_keeps_what_was_written(as_a, version, says):
    freeze(collection=mills(), version="1.0")
    answer = as_a(Role.ADMIN).post(
        "/collections/mills/releases/", {"version": version, "notes": "My notes"}
    )
    assertContains(answer, says, status_code=400)
    assert "My notes" in answer.content.decode()
    assert Release.objects.count() == 1


def test_pages_ask_the_database_no_more_for_more_rows(as_a, django_assert_max_num_queries):
    mills(*(record(title=f"Mill {n}") for n in range(40)))
    client = as_a(Role.ADMIN)
    with django_assert_max_num_queries(24):
        page(client, "/collections/mills/")
    client.get("/api/collections/")  # a person's first makes the row that counts them
    with django_assert_max_num_queries(10):
        client.get("/api/collections/mills/records/")
