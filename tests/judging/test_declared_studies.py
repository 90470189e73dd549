"""Studies of a declared protocol: its rubric as rows, what judges are shown of given texts, and what stays hidden."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.asserts import assertContains, assertNotContains

from accounts.models import Person
from accounts.roles import Role
from datasets.blinding import check_shown, hidden_in
from datasets.models import Contradiction
from generation import prompt_versions
from judging import (
    adjudication,
    planning,
    presenting,
    queues,
    rubric_versions,
    studies,
    verdicts,
)
from judging.files import exporting
from judging.machine import control
from judging.models import JudgingSlot, Rubric, Study
from judging.presenting import Passage
from judging.rules import rubric
from judging.selections import Selection
from judging.settling import unresolved
from judging.studies import StudyDesign
from leases.refusal import NotAllowed, Refusal
from protocols.installed import install, use
from protocols.models import Protocol
from protocols.shipped import file_of
from tests import conflictbank
from tests.datasets.factories import newer
from tests.factories import person, signed_in, stored
from tests.judging import declared
from tests.judging import factories as make

pytestmark = pytest.mark.django_db
RECORD = conflictbank.record(1)


@pytest.fixture
def admin(client):
    return signed_in(client, person("admin", Role.ADMIN, Role.RESEARCHER))


# ---------------------------------------------------------------- rubrics as rows


def rows() -> list[Rubric]:
    return list(rubric_versions.versions("conflictbank").order_by("version"))


def installed(**changes: str) -> Protocol:
    text = file_of("conflictbank").decode()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return install(text.encode(), "changed.toml")[0]


def test_a_protocols_rubric_is_a_row_on_its_stored_prompts():
    conflictbank.protocol()
    [row] = rows()
    assert (str(row), row.author) == ("conflictbank-yes-no v1", None)
    asked = rubric.parse(row.body).prompts["conflictbank-entails-default"]
    assert (asked.label, asked.title) == ("CB H1d", "Does the default evidence entail its claim?")
    assert rubric_versions.current("conflictbank") == row
    assert rubric_versions.current().name == "wikicontradict"
    assert row not in rubric_versions.versions("wikicontradict")


def test_a_changed_rubric_of_a_later_protocol_is_the_next_version():
    use(conflictbank.protocol())
    installed(
        **{"version = 1\n": "version = 2\n", "Judge by the texts shown": "Judge by all texts"}
    )
    assert [str(row) for row in rows()] == ["conflictbank-yes-no v1", "conflictbank-yes-no v2"]
    assert rubric_versions.current("conflictbank").version == 2
    assert len(rows()) == 2


OTHER_VERDICTS = {'key = "yes"': 'key = "entailed"', "\nyes = [": "\nentailed = ["}
LEFT_OUT = (
    "The rubric conflictbank-yes-no is left out. The verdicts of the rubric conflictbank-yes-no are no, yes, in this "
    "order: judgments are stored under these keys. Other verdicts need a rubric of another name."
)


def with_other_verdicts(version: int = 2) -> bytes:
    text = file_of("conflictbank").decode().replace("version = 1\n", f"version = {version}\n")
    for old, new in OTHER_VERDICTS.items():
        text = text.replace(old, new)
    return text.encode()


def test_a_rubric_with_other_verdicts_is_left_out_and_its_page_and_the_install_say_so(
    client, admin, tmp_path
):
    declared.draft()
    path = tmp_path / "later.toml"
    path.write_bytes(with_other_verdicts())
    call_command("protocol", "add", str(path), stdout=(out := io.StringIO()))
    assert LEFT_OUT in out.getvalue()
    assert [row.version for row in rows()] == [1]
    assertContains(client.get("/studies/rubrics/"), LEFT_OUT)
    path.write_bytes(with_other_verdicts(3))
    with path.open("rb") as file:
        page = client.post("/protocols/install/", {"file": file}, follow=True)
    assertContains(page, "conflictbank version 3 is installed.")
    assertContains(page, LEFT_OUT)
    bare = client.get("/studies/rubrics/")
    Protocol.objects.exclude(version=1).delete()
    assertContains(bare, LEFT_OUT)
    assertNotContains(client.get("/studies/rubrics/"), "is left out")


def test_a_rubric_whose_prompt_cannot_be_used_is_left_out_with_the_reason(client, admin):
    taken = {"name": "plain", "label": "CB H1d", "title": "Plain", "template": "{question}"}
    prompt_versions.add(taken, admin)
    conflictbank.protocol()
    page = client.get("/studies/rubrics/")
    assertContains(
        page, "Of its prompts, entails-default cannot be used: Models → Prompts says why."
    )


def test_an_unchanged_one_stays_the_version_that_it_is():
    use(conflictbank.protocol())
    installed(**{"version = 1\n": "version = 2\n"})
    assert [row.version for row in rows()] == [1]


@pytest.mark.both
def test_a_text_that_no_study_has_had_goes_when_the_protocol_has_another():
    conflictbank.protocol()
    rows()
    installed(**{'key = "yes"': 'key = "entailed"', "\nyes = [": "\nentailed = ["})
    [row] = rows()
    assert (row.version, row.scale.keys) == (1, ["no", "entailed"])
    Protocol.objects.all().delete()
    assert rows() == []


def test_admins_edit_it_without_gold(client, admin):
    conflictbank.protocol()
    [row] = rows()
    address = f"/studies/rubrics/{row.pk}/edit/"
    form = client.get(address).context["form"]
    assert not [name for name in form.fields if "answer" in name]
    posted = {name: value for name, value in form.initial.items() if value not in (False, None)}
    client.post(address, {**posted, "newest": 1}, follow=True)
    assert rows() == [row]
    client.post(address, {**posted, "newest": 1, "rules": "Read both."})
    edited = rubric_versions.current("conflictbank")
    assert (edited.author, edited.version, edited.body["rules"]) == (admin, 2, ["Read both."])
    assert {**edited.body, "rules": row.body["rules"]} == row.body


def test_the_list_of_rubrics_names_only_its_own_prompts_that_people_may_judge(client, admin):
    conflictbank.protocol()
    of = {str(listed.row): listed.unwritten for listed in client.get("/studies/rubrics/").context["rows"]}  # fmt: skip
    assert of == {"conflictbank-yes-no v1": [], "wikicontradict v1": []}


# ---------------------------------------------------------------- making


@pytest.mark.parametrize("page", ["/studies/new/", "/studies/rubrics/"])
def test_further_versions_of_a_protocol_ask_the_database_no_further_times(client, admin, page):
    """Each has a rubric of its own."""
    asked = []
    for version in (1, 2, 4):
        installed(
            **{"version = 1": f"version = {version}", "the criteria are ours": f"ours: {version}"}
        )
        client.get(page)
        with CaptureQueriesContext(connection) as read:
            assert client.get(page).status_code == 200
        asked.append(len(read))
    assert len(set(asked)) == 1
    assert Rubric.objects.filter(name__startswith="conf").count() == 3


@pytest.mark.both
@pytest.mark.parametrize(
    ("page", "module"),
    [
        ("/studies/new/", rubric_versions),
        ("/studies/rubrics/", rubric_versions),
        ("/prompts/", prompt_versions),
    ],
)
def test_a_page_stores_what_protocols_declare_once(client, admin, page, module, monkeypatch):
    declared.given_run()
    calls, store = [], module.store
    monkeypatch.setattr(module, "store", lambda: calls.append(1) or store())
    assert client.get(page).status_code == 200
    assert len(calls) == 1


def test_the_form_is_of_one_protocol(client, admin):
    run, other = declared.given_run(), make.finished_run()
    shown = client.get(f"/studies/new/?run={run.pk}").context["form"]
    assert [*shown.fields["runs"].queryset] == [run]
    assert [*shown.fields["rubric"].queryset] == rows()
    assert {key for key, _ in shown.fields["prompts"].choices} == {*run.prompts}
    page = client.get("/studies/new/?protocol=wikicontradict")
    assert [*page.context["form"].fields["runs"].queryset] == [other]
    assertContains(page, "ConflictBank: conflicts in retrieved knowledge")
    answer = client.post(
        "/studies/new/?protocol=wikicontradict", {"name": "Pilot", "runs": [run.pk]}
    )
    assert answer.status_code == 400


def test_a_protocol_without_a_rubric_is_counted_and_not_judged(client, admin):
    run = declared.given_run()
    text = file_of("conflictbank").decode().replace('name = "conflictbank"', 'name = "counted"')
    bare = text[: text.index("[[rubric]]")] + text[text.index("[[scorer]]") :]
    run.collection.protocol, _ = install(bare.encode(), "counted.toml")
    run.collection.save()
    page = client.get(f"/studies/new/?run={run.pk}")
    assert not page.context["form"].is_judged
    with pytest.raises(Refusal, match="The protocol counted has no rubric"):
        studies.create("Check", Selection([run]), StudyDesign(), by=admin)


def test_the_wikicontradict_rubric_judges_none_of_it(admin):
    run = declared.given_run()
    with pytest.raises(Refusal, match="is for prompts of wikicontradict"):
        declared.draft(run, rubric=rubric_versions.current())


# ---------------------------------------------------------------- what judges see


def view_of(run, prompt: str) -> presenting.ResponseView:
    rows = run.responses.filter(prompt=f"conflictbank-{prompt}")
    response = rows.select_related("instance__contradiction").order_by("instance").first()
    [row] = rubric_versions.versions("conflictbank")
    known = rubric.parse(row.body)
    if response.prompt not in known.prompts:
        known.prompts[response.prompt] = known.prompts["conflictbank-entails-default"]
    return presenting.response_view(response, known)


@pytest.mark.parametrize(
    ("prompt", "question", "passage", "text"),
    [
        ("entails-default", "Does this evidence entail the claim?",
         Passage("Claim", RECORD["default_claim"]), RECORD["default_evidence"]),
        ("contradicts-misinformation", "Do these two pieces of evidence contradict each other?",
         Passage("First evidence", RECORD["default_evidence"]),
         RECORD["misinformation_conflict_evidence_evidence"]),
    ],
)  # fmt: skip
def test_a_given_text_is_judged_next_to_the_fields_that_its_prompt_shows(
    prompt, question, passage, text
):
    view = view_of(declared.given_run(1), prompt)
    assert (view.question, view.passages, view.text) == (question, (passage,), text)
    heading = "Evidence" if prompt.startswith("entails") else "Second evidence"
    assert (view.gold, view.is_given, view.heading) == ((), True, heading)
    assert (view.prompt_label, view.prompt_title) == ("", "")
    assert [choice.key for choice in view.choices] == ["yes", "no"]


@pytest.mark.parametrize(
    ("prompt", "order", "fields"),
    [
        ("no-evidence", None, []),
        ("two-misinformation-first", None,
         ["misinformation_conflict_evidence_evidence", "default_evidence"]),
        ("two-temporal-shuffled", ["default_evidence", "temporal_conflict_evidence"],
         ["default_evidence", "temporal_conflict_evidence"]),
        ("two-temporal-shuffled", ["temporal_conflict_evidence", "default_evidence"],
         ["temporal_conflict_evidence", "default_evidence"]),
    ],
)  # fmt: skip
def test_an_answer_is_judged_with_the_passages_of_its_text_in_the_drawn_order(
    prompt, order, fields
):
    run = declared.answered(prompt, drawn=order and {"order": order})
    view = view_of(run, prompt)
    assert view.question == RECORD["question"]
    assert [passage.text for passage in view.passages] == [RECORD[field] for field in fields]
    assert all("evidence" in passage.name for passage in view.passages)
    assert (view.is_given, view.heading) == (False, "Response")


def test_the_judges_page_names_neither_author_nor_other_fields(client):
    declared.open_study(run=declared.given_run(1, ["entails-default"]))
    signed_in(client, make.judge("alice"))
    page = client.get(f"/judge/{Study.objects.get().pk}/next/", follow=True)
    assertContains(page, RECORD["default_evidence"])
    assertContains(page, "<h3>Claim</h3>")
    assertContains(page, "<h3>Evidence</h3>")
    for words in (declared.AUTHOR, "Gold", RECORD["temporal_conflict_evidence"], RECORD["options"][2]):  # fmt: skip
        assertNotContains(page, words)
    slot = JudgingSlot.objects.filter(judge__person__username="alice").get()
    shown = client.get(f"/api/slots/{slot.pk}/").json()["response"]
    assert shown["passages"] == [{"name": "Claim", "text": RECORD["default_claim"]}]


def test_nothing_tells_who_judges_or_decides_the_cause_of_a_conflict(client):
    """Names of prompts and fields do: labels of the protocol stand over the texts, with the mark of the question."""
    study = declared.open_study(run=declared.given_run(1, ["contradicts-misinformation"]))
    slots = JudgingSlot.objects.order_by("judge__person__username")
    pages = [f"/judge/{study.pk}/", f"/judge/{study.pk}/next/", "/judge/"]
    read = []
    for name, verdict in (("alice", "no"), ("bob", "yes")):
        signed_in(client, Person.objects.get(username=name))
        mine = slots.get(judge__person__username=name)
        read += [client.get(path, follow=True) for path in pages]
        read.append(client.get(f"/api/slots/{mine.pk}/"))
        make.hand_in(study, name, verdict)
        read.append(client.get(pages[0]))
    signed_in(client, person("charlie", Role.ADJUDICATOR))
    listed, decide = f"/resolve/{study.pk}/", f"/resolve/items/{study.items.get().pk}/"
    read.append(client.get(listed))
    client.post(decide, {"verdict": "no", "cause": "slip"})
    read += [client.get(listed), client.get(decide)]
    for page in read:
        for words in ("isinformation", "CB H", "efault evidence"):
            assertNotContains(page, words)
    assertContains(read[0], "Texts are shown one at a time, with what is asked about them")
    for page in (read[1], read[-1]):
        assertContains(page, "Question <span")
        assertContains(page, "Ours: in no paper")


def test_the_studys_list_names_no_prompt_of_a_given_text_either(client, admin):
    study = declared.open_study(run=declared.given_run(1, ["contradicts-misinformation"]))
    for name, verdict in (("alice", "no"), ("bob", "yes")):
        make.hand_in(study, name, verdict)
    [row] = client.get(f"/studies/{study.pk}/").context["unresolved"]
    assert (row.item.prompt_label, {*row.verdicts}) == ("", {"No", "Yes"})


def test_labels_are_neutral_where_a_protocol_declares_none(client):
    study = declared.many_passages(["First.", "Second."], "alice")
    view = presenting.response_view(study.items.first().response, rubric.parse(study.rubric.body))
    assert [passage.name for passage in view.passages] == ["Text 1", "Text 2"]
    assert view.heading == "Text to judge"


def test_a_verdict_on_a_given_text_is_stored_and_in_the_files(admin):
    study = declared.open_study(run=declared.given_run(1, ["entails-default"]))
    for name in ("alice", "bob"):
        make.hand_in(study, name, "yes")
    whole = json.loads("".join(exporting.FORMATS["json"].chunks(stored(study))))
    [item] = whole["items"]
    assert (item["final"]["verdict"], item["response"]) == ("yes", RECORD["default_evidence"])
    lines = csv.DictReader(io.StringIO("".join(exporting.FORMATS["csv"].chunks(study))))
    assert [line["first_verdict"] for line in lines] == ["yes", "yes"]
    assert "published" not in exporting.formats_of(study)
    with pytest.raises(Refusal, match="'correct' is not a verdict here"):
        verdicts.give(JudgingSlot.objects.first(), "correct")


def test_the_files_have_the_drawn_order(admin):
    order = ["temporal_conflict_evidence", "default_evidence"]
    run = declared.answered("two-temporal-shuffled", drawn={"order": order})
    study = studies.create(
        "Counted", Selection([run]), StudyDesign(judges_per_response=0), by=admin
    )
    whole = json.loads("".join(exporting.FORMATS["json"].chunks(study)))
    assert whole["items"][0]["drawn_order"] == order


def test_the_dry_run_counts_the_words_that_are_read(admin):
    study = declared.draft(declared.given_run(1, ["entails-default"]))
    read = planning._texts(rubric.parse(study.judged_by.body), planning.by_place(study.items.all()))
    words = f"Does this evidence entail the claim? {RECORD['default_claim']}".split()
    assert [one.shared for one in read.values()] == [len(words)]


@pytest.mark.parametrize("made", [make.finished_run, declared.given_run])
def test_making_a_study_and_its_cost_read_no_record_by_itself(
    admin, made, django_assert_max_num_queries
):
    """Their fields are long, and left out of the statement that reads all responses."""
    chosen = Selection([made(12)])
    rubric_versions.current(chosen.declaration().name)
    with django_assert_max_num_queries(30):
        studies.would_cost(chosen, StudyDesign())
    with django_assert_max_num_queries(30):
        studies.create("Check", chosen, StudyDesign(), by=admin)


def test_lists_of_responses_leave_the_records_in_the_database(client, admin):
    """A record's fields are long, and many responses are about the same record."""
    study, rosa = declared.open_study(), person("rosa", Role.RESEARCHER)
    make.hand_in(study, "alice", "yes")
    make.hand_in(study, "bob", "no")
    studies.close_study(study)
    disputed = list(unresolved(study))
    adjudication.decide(disputed[0], by=rosa, verdict="yes", cause="slip")
    with CaptureQueriesContext(connection) as read:
        planning.by_place(study.items.all())
        list(queues.resolved(Person.objects.get(username="alice"), study))
        adjudication.decided_by(rosa, study)
        list(exporting.FORMATS["json"].chunks(study))
        client.get(f"/studies/{study.pk}/")
    assert len(disputed) > 1
    assert not [sql for sql in read if '"datasets_contradiction"."fields"' in sql["sql"]]


def test_judge_models_are_refused(admin):
    study = declared.open_study()
    with pytest.raises(Refusal, match="judged by passages, which it would not see"):
        control.begin(study, make.language_model(), [], "")


@pytest.mark.parametrize(
    ("changes", "names_itself"),
    [
        ({}, False),
        ({"default_evidence": "As Llama, I say that Quillmere Abbey 1 is old."}, True),
        ({"subject": "The Llama", "default_evidence": "The Llama is an abbey."}, False),
    ],
)
def test_a_given_text_that_names_its_author_is_marked(admin, changes, names_itself):
    made = conflictbank.imported(conflictbank.file_of_records(conflictbank.record(1, **changes)))
    run = declared.run_over(made.collection, ["entails-default"])
    assert declared.draft(run).items.get().names_its_model is names_itself


# ---------------------------------------------------------------- the record stays hidden


@pytest.fixture
def alice(client):
    """Judges one of two records, and is a researcher."""
    run = declared.given_run(2, ["entails-default"])
    first = Contradiction.objects.order_by("position").first()
    study = studies.create(
        "Check",
        Selection([run], instances=first.instances.values_list("pk", flat=True)),
        StudyDesign(judges_per_response=1, rubric=rubric_versions.current("conflictbank")),
        by=person("admin", Role.ADMIN),
    )
    alice = person("alice", Role.JUDGE, Role.RESEARCHER)
    studies.open_study(study, [alice])
    return signed_in(client, alice)


def test_a_judge_is_refused_the_record_until_the_study_is_closed(client, alice):
    judged, other = Contradiction.objects.order_by("position")
    of = "/contradictions"
    page = client.get(f"{of}/{judged.pk}/")
    assertContains(page, "it shows which text is which", status_code=403)
    assert client.get(f"{of}/{other.pk}/").status_code == 200
    listed = client.get("/collections/conflicts/")
    assertContains(listed, other.title)
    assertNotContains(listed, judged.title)
    assertContains(listed, "judge or resolve texts of it in a study that is still open")
    studies.close_study(Study.objects.get())
    assert client.get(f"{of}/{judged.pk}/").status_code == 200


def test_exports_with_the_record_are_refused(client, alice):
    for name in ("records", "records-csv", "complete-json"):
        address = f"/collections/conflicts/export/{name}/"
        assert client.get(address).status_code == 403, address
    studies.close_study(Study.objects.get())


def test_records_are_hidden_in_each_collection_by_their_own_places():
    judged = [conflictbank.collection(2), conflictbank.collection(2, "further")]
    spared = conflictbank.collection(2, "spared")
    for number, of in enumerate(judged):
        run = declared.run_over(of, ["entails-default"])
        studies.open_study(
            declared.draft(run, f"Check {number}"), [make.judge("alice"), make.judge("bob")]
        )
    counted = [hidden_in(make.judge("alice"), of) for of in [*judged, spared]]
    assert counted == [2, 2, 0]


def test_a_judge_of_other_studies_reads_all(client):
    make.open_study("alice", "bob")
    conflictbank.collection(1)
    alice = make.judge("alice")
    alice.grants.create(role=Role.RESEARCHER)
    signed_in(client, alice)
    record = Contradiction.objects.get(collection__name="conflicts")
    assert client.get(f"/contradictions/{record.pk}/").status_code == 200


def test_a_later_version_of_the_record_is_hidden_too(client, alice):
    later = newer(Contradiction.objects.order_by("position").first())
    with pytest.raises(NotAllowed):
        check_shown(alice, Contradiction.objects.filter(pk=later.pk))
