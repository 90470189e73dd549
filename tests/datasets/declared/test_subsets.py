"""Subsets of a collection whose records a protocol declares: filters and strata are its slices."""

import re

import pytest
from django.core.management import CommandError, call_command

from accounts.roles import Role
from annotation.campaigns.opening import CampaignDesign, open_campaign
from datasets.drawing import SubsetPlan
from datasets.models import Subset
from datasets.subsets import Query, freeze
from leases.refusal import Refusal
from tests import conflictbank
from tests.conflictbank import file_of_records, imported, record, records
from tests.factories import person, signed_in

pytestmark = [pytest.mark.both, pytest.mark.django_db]
NEW = "/collections/conflicts/subsets/new/"
STYLE = "slice-misinformation_conflict_evidence_category"


@pytest.fixture
def admin(client):
    return signed_in(client, person("admin", Role.ADMIN))


def post(client, **entered):
    answer = client.post(NEW, {"name": "Few", "seed": 7, **entered})
    return answer.status_code, " ".join(answer.content.decode().split())


def test_the_form_has_the_declared_slices_and_nothing_of_tags(client, admin):
    conflictbank.collection(3)
    page = " ".join(client.get(NEW).content.decode().split())
    assert re.findall(r'<select name="([^"]+)"', page) == [
        "slice-relation",
        *(f"slice-{part}_evidence_category" for part in ("default", "misinformation_conflict",
                                                         "temporal_conflict", "semantic_conflict")),
        "by",
    ]  # fmt: skip
    assert "one_per_tag" not in page
    assert "Reasoning" not in page


def test_a_subset_is_drawn_from_the_strata_of_a_slice(client, admin):
    conflictbank.collection(12)
    entered = {"by": STYLE, "slice-relation": "born in"}
    _, page = post(client, show="1", **entered)
    assert re.findall(r'name="of:([^"]+)"', page) == ["book", "new", "wikipedia"]
    status, page = post(client, **entered, **{"of:book": 1, "of:new": 2})
    assert status == 302, page
    subset = Subset.objects.get()
    assert (subset.by, subset.query, subset.frame) == (STYLE, {"slice-relation": "born in"}, 6)
    assert subset.strata == [["book", 2, 1], ["new", 2, 2], ["wikipedia", 2, 0]]
    drawn = {
        (one.contradiction.fields["relation"], one.contradiction.fields[STYLE.removeprefix("slice-")])
        for one in subset.instances.all()
    }  # fmt: skip
    assert drawn == {("born in", "book"), ("born in", "new")}
    page = " ".join(
        client.get(f"/collections/conflicts/subsets/{subset.pk}/").content.decode().split()
    )
    assert "<dd>Relation: born in, without excluded ones</dd>" in page
    assert "<dt>Strata by</dt><dd>Style of the misinformation evidence</dd>" in page


def test_the_same_seed_draws_the_same_records():
    collection = conflictbank.collection(12)
    for name in ("One", "Two"):
        freeze(name, collection, Query(by="slice-relation"),
               SubsetPlan(7, wanted={"born in": 2, "founded by": 1}), by=None)  # fmt: skip
    one, two = ({row.contradiction.fields["subject"] for row in subset.instances.all()}
                for subset in Subset.objects.all())  # fmt: skip
    assert one == two
    assert sorted(one) == [
        "Quillmere Abbey 5",
        "Quillmere Abbey 7",
        "Quillmere Abbey 8",
    ]  # on both databases


def test_records_with_an_empty_slice_are_a_stratum_of_their_own(client, admin):
    imported(file_of_records(*records(2), record(3, relation="")))
    _, page = post(client, show="1", by="slice-relation")
    assert re.findall(r'name="of:([^"]+)"', page) == ["(empty)", "born in", "founded by"]
    status, _ = post(client, by="slice-relation", **{"of:(empty)": 1})
    assert status == 302
    assert Subset.objects.get().instances.get().question == record(3)["question"]


def test_no_campaign_publishes_to_records_of_a_protocol(admin):
    collection = conflictbank.collection(1)
    with pytest.raises(Refusal, match="Campaigns are for records of WikiContradict"):
        open_campaign(name="May", collection=collection, design=CampaignDesign(), by=admin)
    with pytest.raises(CommandError, match=r"Those of conflicts are of conflictbank version 1\."):
        call_command("dataset_table", "conflicts")
