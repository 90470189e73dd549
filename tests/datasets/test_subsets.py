"""Subsets of a collection: their pages, and what they keep."""

import re

import pytest

from accounts.roles import Role
from datasets import exclusions
from datasets.drawing import SubsetPlan
from datasets.models import Collection, Contradiction, Instance, Subset
from datasets.records import link_same_tag
from datasets.subsets import Query, framed, freeze, superseded_in
from datasets.taxonomy import EXPLICIT, IMPLICIT
from tests.datasets.factories import asked, newer
from tests.factories import person, signed_in

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.fixture
def mills():
    """Ten questions: six explicit, three implicit, one without a type."""
    collection = Collection.objects.create(name="mills")
    for n in range(10):
        kind = EXPLICIT if n < 6 else IMPLICIT if n < 9 else None
        asked(
            collection,
            n,
            f"When was mill {n} built?",
            ("1791", "1803"),
            title=f"Mill {n}",
            type_4=kind,
        )
    return collection


@pytest.fixture
def admin(client):
    return signed_in(client, person("admin", Role.ADMIN))


def question(text: str, *, of: Contradiction) -> None:
    Instance.objects.create(
        contradiction=of, n=1, question=text, kind="wh", answer_1="1791", answer_2="1803"
    )


def post(client, **entered):
    answer = client.post("/collections/mills/subsets/new/", {"name": "Few", "seed": 7, **entered})
    return answer.status_code, " ".join(answer.content.decode().split())


def test_a_subset_keeps_how_it_was_drawn(client, admin, mills):
    status, page = post(
        client, by="reasoning", **{"of:explicit": 4, "of:implicit": 2, "of:untyped": ""}
    )
    assert status == 302, page[page.find("error-summary") :][:600]
    subset = Subset.objects.get()
    assert (subset.seed, subset.by, subset.frame, subset.created_by) == (7, "reasoning", 10, admin)
    assert subset.strata == [["Explicit", 6, 4], ["Implicit", 3, 2], ["No type IV", 1, 0]]
    page = " ".join(client.get(f"/collections/mills/subsets/{subset.pk}/").content.decode().split())
    assert "6 of 10 that could be drawn" in page
    assert "Reasoning (type IV)" in page
    assert "Few" in client.get("/collections/mills/subsets/").content.decode()


def test_showing_the_strata_stores_nothing_and_keeps_what_was_typed(client, admin, mills):
    status, page = post(client, name="Half", by="reasoning", show="1")
    assert status == 200
    assert 'value="Half"' in page
    assert re.findall(r"of (\d+)</p>", page) == ["6", "3", "1"]
    assert not Subset.objects.exists()


@pytest.mark.parametrize(
    ("entered", "sentence"),
    [
        ({"by": "reasoning", "of:explicit": 7}, "There are only 6. Ask for fewer."),
        ({"by": "reasoning", "of:gone": 1}, "No question that matches is in the stratum “gone”."),
        ({"by": "reasoning"}, "Give a number for at least one stratum, or choose no strata."),
        ({"kind": "yes-no"}, "No question matches. Choose All in one of the boxes."),
        ({"of:": 0}, "Nothing would be drawn."),
        ({"seed": ""}, "This field is required."),
    ],
)
def test_a_subset_that_cannot_be_drawn_is_refused_and_keeps_what_was_typed(
    client, admin, mills, entered, sentence
):
    status, page = post(client, name="Half", **entered)
    assert status == 400
    assert sentence in page
    assert 'value="Half"' in page
    assert not Subset.objects.exists()


def test_a_name_is_given_once_in_a_collection(client, admin, mills):
    post(client)
    status, page = post(client, seed=8)
    assert status == 400
    assert "a subset named &#x27;Few&#x27; already" in page


def test_excluded_questions_are_not_drawn(client, admin, mills):
    question = mills.contradictions.get(position=3).instances.get()
    ben = person("ben", Role.ADMIN)
    exclusions.exclude(instance=question, reason="Ambiguous.", by=ben)
    post(client)
    assert question not in Subset.objects.get().instances.all()


@pytest.mark.parametrize("superseded", [[], [0], [1], [0, 1]])
@pytest.mark.parametrize("when", ["before", "after"])
def test_two_contradictions_of_one_tag_count_as_one_tag(mills, superseded, when):
    rows = [mills.contradictions.get(position=place) for place in (0, 1)]
    if when == "after":
        link_same_tag(*rows)
    for place in superseded:
        rows[place].refresh_from_db()
        rows[place] = newer(rows[place])
        question("And when?", of=rows[place])
    if when == "before":
        link_same_tag(*rows)
    assert len(framed(mills, Query(), SubsetPlan(7, one_per_tag=True))) == 9


def test_the_frame_is_read_without_texts_in_two_statements(mills, django_assert_num_queries):
    with django_assert_num_queries(2) as read:
        framed(mills, Query(by="passages"), SubsetPlan(7))
    assert not any("answer_1" in one["sql"] or "paragraph" in one["sql"] for one in read)


@pytest.mark.parametrize("typed", ["7.0", "+7", " 7"])
def test_a_seed_written_otherwise_draws_the_same(client, admin, mills, typed):
    post(client, seed=7, **{"of:": 4})
    post(client, name="Other", seed=typed, **{"of:": 4})
    first, second = Subset.objects.order_by("pk")
    assert second.seed == 7
    assert set(first.instances.all()) == set(second.instances.all())


def test_a_subset_keeps_its_questions_when_a_contradiction_is_superseded(client, admin, mills):
    subset = freeze("All", mills, Query(), SubsetPlan(7), by=admin)
    before = set(subset.instances.values_list("pk", flat=True))
    old = mills.contradictions.get(position=3)
    newer(old)
    assert set(subset.instances.values_list("pk", flat=True)) == before
    assert list(superseded_in(subset)) == [old]
    page = " ".join(client.get(f"/collections/mills/subsets/{subset.pk}/").content.decode().split())
    assert "1 contradiction has a newer version since." in page


@pytest.mark.parametrize("name", ["passages", "kind", "type-1", "type-2", "type-3"])
def test_every_slice_parts_all_questions(client, admin, mills, name):
    status, page = post(client, by=name, show="1")
    assert status == 200
    assert "of 10" in page
