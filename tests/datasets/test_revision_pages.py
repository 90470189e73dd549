"""The pages on which revised passages are written and checked."""

import pytest

from accounts.roles import Role
from datasets import revisions
from datasets.models import Instance, RevisedPassage
from tests.datasets.factories import annotation, mills, record
from tests.datasets.test_revisions import AGREED, acts, written
from tests.factories import person

pytestmark = pytest.mark.django_db

TYPED = AGREED._asdict()


@pytest.fixture
def question():
    collection = mills(record(), record(title="Other", given=annotation(question1="When?")))
    return Instance.objects.get(contradiction__collection=collection, contradiction__position=0)


def address(question):
    return f"/contradictions/{question.contradiction_id}/questions/{question.n}/revised/"


def press(client, who, question, act, **fields):
    client.force_login(who)
    made = RevisedPassage.objects.filter(instance=question).last()
    return client.post(
        address(question), {"act": act, "revision": made.pk if made else "", **fields}
    )


def test_from_the_empty_form_to_checked_passages(client, see, question, anna, olga):
    empty = see(anna, address(question))
    assert "The Old Mill was built in 1791.</textarea>" in empty
    assert press(client, anna, question, "write", **TYPED).status_code == 302
    waiting = see(olga, address(question))
    assert "<del>1791</del><ins>1803</ins>" in waiting
    assert "1 waits for a check" in see(anna, "/collections/mills/")
    assert "Waiting for a check" in see(anna, f"/contradictions/{question.contradiction_id}/")
    assert press(client, olga, question, "accept").status_code == 302
    assert "Runs use these passages." in see(anna, address(question))
    assert "1 checked" in see(anna, "/collections/mills/")


def test_an_annotator_writes_and_does_not_check(client, see, question, anna):
    written(question, person("bob", Role.ANNOTATOR))
    assert "A researcher or an admin checks them." in see(anna, address(question))
    for act in ("accept", "reject"):
        assert press(client, anna, question, act, note="No").status_code == 403
    assert RevisedPassage.objects.get().state == "proposed"


@pytest.mark.parametrize(
    ("state", "titles"),
    [
        ("", {"Old Mill, Ahrfeld", "Other"}),
        ("checked", {"Old Mill, Ahrfeld"}),
        ("waiting", {"Other"}),
        ("none", set()),
        ("nonsense", {"Old Mill, Ahrfeld", "Other"}),
    ],
)
def test_the_list_says_which_are_checked_wait_or_have_none(
    client, question, anna, olga, state, titles
):
    acts(question, written(question, anna).pk)["accept"](olga)
    other = Instance.objects.exclude(pk=question.pk).get()
    written(other, anna)
    client.force_login(anna)
    page = client.get("/collections/mills/revised/", {"state": state})
    assert {row.instance.contradiction.title for row in page.context["rows"]} == titles
    assert page.context["progress"] == revisions.Progress(2, 1, 1, 0)


@pytest.mark.parametrize(
    ("before", "who", "act", "typed", "status", "says"),
    [
        (None, "anna", "write", {**TYPED, "answer": ""}, 400, "Give the one answer"),
        (None, "anna", "write", {**TYPED, "passage_2": " "}, 400, "A passage is empty"),
        ("written", "carl", "write", {**TYPED, "answer": "Mine"}, 409, "wait for a check already"),
        ("written", "olga", "reject", {"note": ""}, 400, "Say what is wrong"),
        ("written", "anna", "accept", {"note": "Typed"}, 403, "for the role"),
        ("checked", "carl", "reject", {"note": "It still says 1791"}, 409, "is checked"),
        (None, "carl", "reject", {"note": "It still says 1791"}, 409, "no longer there"),
        (None, "carl", "vanish", {"answer": "Typed"}, 400, "one of the buttons"),
    ],
)
def test_a_refused_form_says_why_and_keeps_what_was_typed(
    client, question, anna, olga, before, who, act, typed, status, says
):
    if before:
        made = written(question, anna)
    if before == "checked":
        acts(question, made.pk)["accept"](olga)
    somebody = {"anna": anna, "olga": olga}.get(who) or person(who, Role.RESEARCHER)
    answer = press(client, somebody, question, act, **typed)
    page = answer.content.decode()
    assert answer.status_code == status
    assert says in page
    assert all(text in page for text in typed.values())


def test_a_rejected_revision_is_read_and_begun_from_again(client, see, question, anna, olga):
    written(question, anna)
    press(client, olga, question, "reject", note="It still says 1791 somewhere.")
    page = see(anna, address(question))
    assert "It still says 1791 somewhere." in page
    assert f"{AGREED.passage_1}</textarea>" in page
    assert "1791.</textarea>" in see(anna, f"{address(question)}?from=originals")


def test_typed_text_is_escaped(see, client, question, anna):
    press(client, anna, question, "write", **{**TYPED, "passage_1": "<script>alert(1)</script>"})
    page = see(anna, address(question))
    assert "<script>" not in page.split("<main")[1]
    assert "script" in page.split("<main")[1]


def test_the_api_lists_them_with_their_states(client, question, anna, olga):
    acts(question, written(question, anna).pk)["accept"](olga)
    client.force_login(anna)
    (result,) = client.get("/api/collections/mills/revised/").json()["results"]
    assert (result["state"], result["author"], result["checker"], result["answer"]) == (
        "checked",
        anna.pseudonym,
        olga.pseudonym,
        "1803",
    )


def test_the_list_asks_the_database_no_more_for_more_rows(
    client, question, anna, olga, django_assert_max_num_queries
):
    client.force_login(olga)
    with django_assert_max_num_queries(16):
        client.get("/collections/mills/revised/")
