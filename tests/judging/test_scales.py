"""Studies of two and of six verdicts: judged, discussed, resolved, warmed up, judged again and by models."""

import dataclasses
import json
import re

import pytest
from django.core.management import CommandError, call_command
from pytest_django.asserts import assertContains, assertNotContains
from structlog.testing import capture_logs

from accounts.roles import Role
from generation import prompt_versions
from generation.asking.turn import take_turn
from judging import (
    adjudication,
    discussing,
    rounds,
    rubric_versions,
    settling,
    studies,
    verdicts,
    warmup,
)
from judging.files.predictions import import_predictions
from judging.forms.rubric_form import RubricForm
from judging.machine import control, judge_prompts
from judging.machine.calls import JudgeQueue
from judging.models import GoldVerdict, Judgment, Resolution, Study
from judging.rules import rubric
from leases.refusal import Refusal
from tests.factories import person, signed_in
from tests.generation.factories import echo
from tests.judging import factories as make
from tests.judging.scales import SCALES, body_of, keys_of, scales

__all__ = ["scales"]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("scales")]


@pytest.fixture(params=SCALES)
def name(request):
    return request.param


def opened(name, instances=3, **options):
    """A study of a prompt, with three responses by default."""
    run = make.finished_run(instances, prompts=["both-passages"], models=make.MODEL_IDS[:1])
    return make.open_study(drawn_from=run, rubric=rubric_versions.written(name), **options)


def differing(name, **options):
    """Alice gives the best verdict throughout, bob the worst."""
    study, keys = opened(name, **options), keys_of(name)
    make.hand_in(study, "alice", keys[-1])
    make.hand_in(study, "bob", keys[0])
    return study


def closed(name):
    """A third person has decided on all with the best verdict."""
    study, carol = differing(name), person("carol", Role.ADJUDICATOR)
    for item in settling.unresolved(study):
        adjudication.decide(item, by=carol, verdict=keys_of(name)[-1], cause="slip")
    studies.close_study(study)
    return Study.objects.get(pk=study.pk)


def test_a_rubric_in_the_folder_can_be_chosen_for_a_study(client, name):
    signed_in(client, person("olga", Role.ADMIN))
    make.finished_run()
    assertContains(client.get("/studies/new/"), f"{name} v1: WikiContradict")
    page = client.get(f"/studies/rubrics/{rubric_versions.versions().get(name=name).pk}/")
    for verdict in SCALES[name]:
        assertContains(page, f"{verdict['label']} (stored as “{verdict['key']}”)")


def test_each_verdict_has_its_button_key_and_tone_and_is_stored(client, name):
    study, keys = opened(name, len(SCALES[name])), keys_of(name)
    signed_in(client, make.judge("alice"))
    for slot, key in zip(make.slots(study, make.judge("alice")), keys, strict=True):
        page = client.get(f"/judge/slots/{slot.pk}/")
        for place, verdict in enumerate(study.rubric.scale.offered, start=1):
            tone = f'data-label="{verdict.label}" data-tone="{verdict.tone}"'
            assertContains(page, f'value="{verdict.key}" data-hotkey="{place}"')
            assertContains(page, tone)
        client.post(f"/judge/slots/{slot.pk}/", {"verdict": key, "version": 0})
    assert sorted(Judgment.objects.values_list("verdict", flat=True)) == sorted(keys)
    assertContains(client.get(f"/judge/{study.pk}/"), SCALES[name][0]["label"])


def test_the_api_takes_the_rubrics_verdicts_and_names_them_to_who_gives_another(client, name):
    study, keys = opened(name), keys_of(name)
    signed_in(client, make.judge("alice"))
    address = f"/api/slots/{make.slots(study, make.judge('alice'))[0].pk}/"
    shown = client.get(address).json()["response"]["choices"]
    assert [choice["key"] for choice in shown] == keys[::-1]

    def give(verdict):
        body = json.dumps({"verdict": verdict})
        version = {"If-Match": '"0"'}
        return client.post(f"{address}verdict/", body, "application/json", headers=version)

    refused = give("correct")
    assert refused.status_code == 400
    assert f"Choose one of: {', '.join(keys[::-1])}." in refused.content.decode()
    assert give(keys[0]).json()["verdict"] == keys[0]


def test_a_third_person_decides_with_the_rubrics_verdicts(client, name):
    study, keys = differing(name), keys_of(name)
    signed_in(client, person("carol", Role.ADJUDICATOR))
    item = settling.unresolved(study).first()
    page = client.get(f"/resolve/items/{item.pk}/")
    for place, verdict in enumerate(SCALES[name], start=1):
        assertContains(page, verdict["label"])
        assertContains(page, f"<kbd>{place}</kbd>")
    assertContains(page, f'<span class="badge badge-ok">{SCALES[name][-1]["label"]}</span>')
    assertContains(page, f'<span class="badge badge-bad">{SCALES[name][0]["label"]}</span>')
    client.post(f"/resolve/items/{item.pk}/", {"verdict": keys[0], "cause": "slip", "note": ""})
    assert Resolution.objects.get(item=item).verdict == keys[0]
    assertContains(client.get(f"/resolve/{study.pk}/"), SCALES[name][0]["label"])


def test_two_judges_discuss_and_sign_one_of_the_rubrics_verdicts(client, name):
    differing(name, resolved_by="discussion")
    best, label = keys_of(name)[-1], SCALES[name][-1]["label"]
    mine = discussing.open_for(make.judge("alice")).first()
    with pytest.raises(Refusal, match="is not a verdict here"):
        discussing.propose(mine, version=0, verdict="correct", cause="slip")
    discussing.propose(mine, version=0, verdict=best, cause="slip")
    signed_in(client, make.judge("bob"))
    other = discussing.open_for(make.judge("bob")).get(item=mine.item)
    address = f"/judge/discussions/{other.pk}/"
    assertContains(client.get(address), f'<p><span class="badge badge-ok">{label}</span></p>')
    client.post(address, {"act": "sign", "version": 1})
    assert Resolution.objects.get().verdict == best


def test_a_judge_reads_afterwards_what_both_said_by_the_rubrics_labels(client, name):
    study = closed(name)
    signed_in(client, make.judge("bob"))
    page = client.get(f"/judge/{study.pk}/resolved/")
    for tone, verdict in (("bad", SCALES[name][0]), ("ok", SCALES[name][-1])):
        assertContains(page, f'<span class="badge badge-{tone}">{verdict["label"]}</span>', count=3)


def test_a_warm_up_is_drawn_from_studies_of_the_same_rubric(client, name):
    source = closed(name)
    make.run("other")
    abouts = [make.instance(n) for n in range(20, 23)]
    run = make.run("later")
    make.responses(run, abouts, ["both-passages"], make.MODEL_IDS[:1])
    drafted = make.draft("New", drawn_from=run, rubric=source.rubric)
    of_three = make.draft("Of three verdicts", drawn_from=run)
    assert source not in warmup.sources(of_three, source.created_by)
    with pytest.raises(Refusal, match="has 0 that can be used"):
        warmup.draw(of_three, source, 1)
    warmup.draw(drafted, source, 1)
    studies.open_study(drafted, [make.judge("dora"), make.judge("emil")])
    dora = signed_in(client, make.judge("dora"))
    address = f"/judge/{drafted.pk}/warm-up/1/"
    page = client.post(address, {"verdict": keys_of(name)[0]}, follow=True)
    labels = [verdict["label"] for verdict in SCALES[name]]
    assertContains(page, f"You: {labels[0]}. The final verdict: {labels[-1]}.")
    assert GoldVerdict.objects.get(judge__person=dora).verdict == keys_of(name)[0]


def test_a_further_round_chooses_by_the_rubrics_verdicts_and_stays_with_the_rubric(client, name):
    study, keys = closed(name), keys_of(name)
    client.force_login(study.created_by)
    page = client.get(f"/studies/{study.pk}/rounds/again/")
    for verdict in SCALES[name]:
        assertContains(page, f'name="verdicts" value="{verdict["key"]}"')
    assertNotContains(page, "wikicontradict v1")
    judges = [make.judge("dora"), make.judge("emil")]
    other = rounds.RoundPlan("Why", rubric_versions.written("wikicontradict"), True, judges)
    with pytest.raises(Refusal, match=f"judged by the rubric {name}"):
        rounds.would_judge_again(study, rounds.JudgedAgain(), other)
    plan = rounds.RoundPlan("Why", study.rubric, True, judges)
    again = rounds.JudgedAgain(verdicts=[keys[-1]])
    assert rounds.judge_again(study, again, plan, by=study.created_by).items.count() == 3
    with pytest.raises(Refusal, match="No response matches"):
        rounds.JudgedAgain(verdicts=[keys[0]]).items(study)


def test_what_closing_leaves_is_counted_over_all_verdicts(client, name):
    study, keys = opened(name, 2), keys_of(name)
    client.force_login(study.created_by)
    for who, given in (("alice", keys), ("bob", [keys[0], keys[0]])):
        for slot in make.slots(study, make.judge(who)):
            verdicts.give(slot, given[slot.item.position])
    page = client.get(f"/studies/{study.pk}/close/")
    assertContains(page, "1 response stays without a final verdict: 1 for a third person to decide")


def test_a_judge_model_is_read_by_the_rubrics_labels_and_keys(name, fake, local):
    study, labels = opened(name), [verdict["label"] for verdict in SCALES[name]]
    fake.answer = lambda request: f"comment: no\n\nevaluation: {labels[0].upper()}."
    judge = control.begin(
        study, echo(), asked_with=judge_prompt(f"{labels[0]} or {keys_of(name)[1:]}")
    )
    take_turn("local", [JudgeQueue()])
    assert set(judge.machine_verdicts.values_list("verdict", flat=True)) == {keys_of(name)[0]}
    said = [labels[-1], keys_of(name)[0], "correct"]
    lines = "".join(f"{n},evaluation: {word}\n" for n, word in enumerate(said))
    imported = import_predictions(study, f"item,reply\n{lines}".encode(), "Elsewhere").judge
    read = imported.machine_verdicts.order_by("item__position").values_list("verdict", flat=True)
    assert list(read) == [keys_of(name)[-1], keys_of(name)[0], None]


def judge_prompt(words):
    template = f"{{Question}} {{Answer1}} | {{Answer2}} {{LLM response}} evaluation: {words}"
    return judge_prompts.save("T", template, source="", note="", by=person("wanda", Role.ADMIN))


def test_a_judge_prompt_that_does_not_ask_for_a_verdict_is_refused(name, local):
    study = opened(name)
    label = SCALES[name][-1]["label"]
    with pytest.raises(Refusal, match=f"does not ask for .*, {label}; write one that does."):
        control.begin(study, echo(), asked_with=judge_prompts.numbered(1))
    others = judge_prompt(", ".join(keys_of(name)[:-1]))
    with pytest.raises(Refusal, match=f"This judge prompt does not ask for {label}; write"):
        control.begin(study, echo(), asked_with=others)


def test_of_a_prompts_authors_proposal_the_form_shows_what_the_scale_has(name):
    prompt = prompt_versions.known()["passage-1"]
    asked = {
        proposed: dataclasses.replace(prompt, name=proposed, verdicts=verdicts, criteria="Mine.")
        for proposed, verdicts in {
            "others": ("correct", "incorrect"),
            "some": ("correct", keys_of(name)[0]),
            "none": (),
        }.items()
    }
    form = RubricForm(based_on=rubric.parse(body_of(name)), text=body_of(name), asked=asked)
    shown = [fields.proposal for fields in form.prompts]
    assert shown == ["", f"Verdicts: {keys_of(name)[0]}.\nMine.", "Mine."]


def test_a_version_keeps_the_keys_and_their_order_and_may_change_labels(name):
    first = rubric_versions.written(name)
    body = body_of(name)
    by = person("olga", Role.ADMIN)
    relabelled = {
        **body,
        "verdicts": [{**one, "label": f"{one['label']}!"} for one in SCALES[name]],
    }
    assert rubric_versions.save(relabelled, newest=1, by=by).version == 2
    with pytest.raises(Refusal, match="judgments are stored under these keys"):
        rubric_versions.save({**body, "verdicts": SCALES[name][::-1]}, newest=2, by=by)
    assert first.scale.keys == keys_of(name)


def test_the_paper_is_compared_with_studies_of_its_rubric_alone(name):
    study = closed(name)
    with pytest.raises(CommandError, match="so no cell of it can be compared"):
        call_command("compare_with_paper", study.name)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "yes-no.json is not JSON in UTF-8: "),
        ("[]", "The rubric is not of the expected shape: "),
        (json.dumps(body_of("six")), "yes-no.json holds the rubric six: call the file six.json."),
    ],
)
def test_a_file_that_cannot_be_used_is_logged_and_left_out(client, text, reason):
    (rubric.FOLDER / "yes-no.json").write_text(text, encoding="utf-8")
    signed_in(client, person("olga", Role.ADMIN))
    with capture_logs() as logs:
        names = {row.name for row in rubric_versions.versions()}
    assert names == {"wikicontradict", "six"}
    (line,) = logs
    assert (line["log_level"], line["rubric"]) == ("warning", "yes-no")
    assert line["reason"].startswith(reason)
    assertContains(client.get("/studies/rubrics/"), "six v1")
    with pytest.raises(Refusal, match=re.escape(reason)):
        rubric_versions.written("yes-no")


def test_the_command_takes_a_version_of_a_named_rubric(name):
    run = make.finished_run()
    person("olga", Role.ADMIN)
    call_command("make_study", "S", by="olga", run=[run.pk], rubric=f"{name}/1", open=False)
    assert Study.objects.get().rubric.name == name
