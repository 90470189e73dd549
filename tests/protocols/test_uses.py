"""What uses a version is listed, and keeps it from being removed; hidden runs are not named to who judges."""

import pytest

from datasets.models import Collection
from evaluation.models import ReportSnapshot
from generation import access
from generation.models import Run
from judging.models import Study
from protocols.installed import install, remove, use
from protocols.models import Protocol
from protocols.uses import Use, in_words, uses_of
from tests.protocols.factories import TEXT, changed, installed
from tests.races import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def used(olga):
    """A version that a collection, a run, a study and a report use."""
    row = installed()
    use(row)
    collection = Collection.objects.create(name="watermills", protocol=row)
    Run.objects.create(name="<b>Settings</b>", collection=collection)
    study = Study.objects.create(
        name="Figure 3", slug="figure-3", protocol=row, judges_per_response=0
    )
    ReportSnapshot.objects.create(study=study, body={}, created_by=olga)
    return row


@pytest.mark.both
def test_collections_runs_studies_and_reports_use_a_version(used, olga):
    later = installed(changed("version = 1", "version = 2"))
    found = uses_of([used.pk, later.pk], olga)
    report = ReportSnapshot.objects.get().pk
    assert [str(one) for one in found[used.pk]] == [
        "collection watermills",
        "run <b>Settings</b>",
        "study Figure 3",
        f"report {report} of Figure 3",
    ]
    assert found[later.pk] == []


@pytest.mark.parametrize("path", ["/protocols/", "/protocols/mills/1/"])
def test_pages_name_what_uses_a_version(client, olga, used, path):
    client.force_login(olga)
    page = client.get(path).content.decode()
    run = Run.objects.get().pk
    assert f'Run <a href="/runs/{run}/">&lt;b&gt;Settings&lt;/b&gt;</a>' in page
    assert '<a href="/collections/watermills/">watermills</a>' in page
    assert "Figure 3</a>" in page


@pytest.mark.parametrize("path", ["/protocols/", "/protocols/mills/1/", "/api/protocols/mills/1/"])
def test_a_hidden_run_is_not_named(client, olga, used, monkeypatch, path):
    hidden = {Run.objects.get().pk}
    monkeypatch.setattr(access.hides_runs, "providers", {"test": lambda who, runs: hidden})
    client.force_login(olga)
    page = client.get(path).content.decode()
    assert "watermills" in page
    assert "Settings" not in page


def test_a_version_that_a_run_uses_is_not_removed_and_the_refusal_names_it(client, olga, used):
    client.force_login(olga)
    page = client.post("/protocols/mills/1/remove/", follow=True).content.decode()
    assert (
        "mills version 1 stays: it is used by collection watermills, run &lt;b&gt;Settings&lt;/b&gt;, study Figure 3"
        in page
    )
    assert Protocol.objects.filter(pk=used.pk).exists()


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "run 1"),
        (5, "run 1, run 2, run 3, run 4, run 5"),
        (7, "run 1, run 2, run 3, run 4, run 5 and 2 more"),
    ],
)
def test_a_sentence_names_the_first(count, words):
    assert in_words([Use("run", str(n), "") for n in range(1, count + 1)]) == words


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_two_uploads_of_one_file_at_once_make_one():
    made = []
    refused = at_once(*[lambda: made.append(install(TEXT.encode(), "mills.toml"))] * 2)
    assert refused == [None, None]
    assert sorted(is_new for _, is_new in made) == [False, True]
    assert Protocol.objects.count() == 1


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_removing_and_using_at_once_leaves_one_of_them_refused(olga):
    row = installed()
    refused = at_once(lambda: remove(row, olga), lambda: use(row))
    assert sum(refusal is not None for refusal in refused) == 1
    assert Protocol.objects.filter(used_at=None).count() == 0
