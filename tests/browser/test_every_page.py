"""Every page over the demonstration set: axe finds no violation, light and dark; nothing scrolls sideways, wide and
narrow; and (fixture `watch`) nothing is logged on the console or requested from another host.
"""

import sqlite3
from contextlib import closing

import pytest
from django.core.management import call_command
from django.db import connection
from django.urls import reverse
from playwright.sync_api import expect

from accounts import invitations
from accounts.roles import Role
from annotation import guidelines
from annotation.guideline_text import parts_of
from annotation.models import Annotation, Campaign
from annotation.states import AnnotationState
from annotation.workflow.claiming import next_assignment
from datasets import subsets
from datasets.counts import current_instances
from datasets.drawing import SubsetPlan
from datasets.exclusions import exclude, propose, undo
from datasets.models import Collection, Contradiction, Release
from datasets.releasing import publishing
from datasets.releasing.withholding import HIDDEN, withhold
from datasets.revisions import accept, originals, reject, write
from evaluation.frozen.publishing import publish
from evaluation.frozen.snapshots import freeze
from generation.models import Response
from judging import discussing, studies, verdicts, warmup
from judging.files.predictions import import_predictions
from judging.models import GoldItem, JudgingSlot, Study
from judging.selections import Selection
from judging.states import StudyState
from operations.monitoring import findings
from operations.monitoring.health import HealthReport, watch
from tests.annotation.factories import place_of
from tests.browser.axe import violations
from tests.browser.conftest import settled
from tests.datasets.factories import newer
from tests.evaluation.factories import judged_twice
from tests.factories import person
from tests.judging import factories as judging
from wikifetch.models import FetchRun, Tag


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """A database that keeps the demonstration set as it was first loaded."""
    with closing(sqlite3.connect(tmp_path_factory.mktemp("loaded") / "db.sqlite3")) as kept:
        yield kept


@pytest.fixture
def ada(transactional_db, loaded):
    """A person with every role, on the demonstration set."""
    connection.ensure_connection()
    if loaded.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        loaded.backup(connection.connection)
    else:
        call_command("load_demonstration", verbosity=0)
        connection.connection.backup(loaded)
    return person("ada", *Role)


@pytest.fixture
def rita():
    """She annotates nothing, so no report and no subset asks her first."""
    return person("rita", Role.RESEARCHER, Role.ADMIN)


def plain_pages() -> list[str]:
    names = """home accounts:account accounts:tokens api_operations accounts:people
        wikifetch:fetches wikifetch:new_fetch wikifetch:tags
        datasets:collections datasets:import datasets:imports protocols:protocols protocols:check_file annotation:queue
        annotation:own_progress annotation:campaigns
        annotation:campaign_new annotation:guidelines annotation:guideline_edit
        annotation:reviews generation:models generation:prompts generation:new_prompt generation:runs
        generation:new_run judging:studies judging:study_new judging:rubrics judging:study_import judging:queue
        judging:judge_prompts judging:resolve_queue evaluation:reports evaluation:agreement"""
    return [reverse(name) for name in names.split()]


def pages_of_rows(ada) -> list[str]:
    campaign = Campaign.objects.get(name="Demonstration")
    waiting = Annotation.objects.filter(state=AnnotationState.SUBMITTED).earliest("pk")
    response = Response.objects.filter(run__is_demonstration=True).earliest("pk")
    study = Study.objects.get(name="Demonstration")
    replies = b"item,reply\n0,evaluation: correct\n1,evaluation: partically correct\n2,No idea.\n"
    import_predictions(study, replies, "A model elsewhere")
    snapshot, _ = freeze(study, by=ada)
    pages = [
        ("accounts:person", ada.pk),
        ("operations:forget", ada.pk),
        ("wikifetch:fetch", FetchRun.objects.latest("pk").pk),
        ("wikifetch:tag", Tag.objects.earliest("pk").pk),
        ("protocols:protocol", "wikicontradict", 1),
        ("protocols:protocol", "conflictbank", 1),
        ("generation:prompt", "both-passages"),
        ("generation:edit_prompt", "both-passages"),
        ("datasets:collection", "demonstration"),
        ("datasets:questions", "demonstration"),
        ("datasets:deviations", "demonstration"),
        ("datasets:exclusions", "demonstration"),
        *excluded_questions(ada),
        ("datasets:revised", "demonstration"),
        ("datasets:subsets", "demonstration"),
        ("datasets:subset_new", "demonstration"),
        ("datasets:subset", "demonstration", subset(ada)),
        *revised_questions(ada),
        ("datasets:contradiction", Contradiction.objects.earliest("pk").pk),
        ("annotation:annotate", next_assignment(by=ada).pk),
        ("annotation:campaign", campaign.pk),
        ("annotation:campaign_progress", campaign.pk),
        ("annotation:campaign_exports", campaign.pk),
        ("annotation:assignments", campaign.pk),
        ("annotation:limits", campaign.pk),
        ("annotation:guideline", campaign.guideline.version),
        ("annotation:guideline_changes", changed_guideline(ada)),
        ("annotation:review", *place_of(waiting)),
        ("generation:run", response.run_id),
        ("generation:extend_run", response.run_id),
        ("generation:cap", response.run_id),
        ("generation:responses", response.run_id),
        ("generation:response", response.run_id, response.pk),
        ("judging:study", study.pk),
        ("judging:rubric", study.rubric_id),
        ("judging:rubric_edit", study.rubric_id),
        ("judging:judge_prompt", 1),
        ("judging:judge_prompt_edit", 1),
        ("judging:resolve_study", study.pk),
        ("evaluation:dataset", "demonstration"),
        ("evaluation:report", study.pk),
        ("evaluation:rows", study.pk),
        ("evaluation:compare", study.pk),
        ("evaluation:disagreements", study.pk),
        ("evaluation:two", study.pk),
        ("evaluation:judges", study.pk),
        ("evaluation:judge", study.pk, study.judges.filter(person__isnull=False).earliest("pk").pk),
        ("evaluation:judge_model", study.pk, study.judges.get(person=None).pk),
        ("evaluation:report_paper", study.pk),
        ("evaluation:snapshot", snapshot.pk),
    ]
    return [reverse(name, args=arguments) for name, *arguments in pages]


def subset(ada) -> int:
    """Three questions, of which one is of a contradiction that has a newer version."""
    collection = Collection.objects.get(name="demonstration")
    plan = SubsetPlan(7, wanted={"": 3})
    drawn = subsets.freeze("Three", collection, subsets.Query(), plan, by=ada)
    newer(drawn.instances.first().contradiction)
    return drawn.pk


def changed_guideline(ada) -> str:
    """A second version, whose first part has changed."""
    current = guidelines.current_guideline()
    texts = parts_of(current.body)
    texts["introduction"] += "\n\nAsk an admin if you are in doubt."
    return guidelines.save_guideline(texts, base=current.version, by=ada).version


def excluded_questions(ada) -> list[tuple[object, ...]]:
    """A question that is excluded, one that is proposed, one whose exclusion was undone, and one included."""
    questions = current_instances(Collection.objects.get(name="demonstration"))[:4]
    for question in (questions[0], questions[2]):
        made = exclude(instance=question, reason="Ambiguous. " * 150, by=ada)
    undo(instance=question, exclusion=made.pk, reason="It is clear. " * 150, by=ada)
    propose([questions[1]], "Ambiguous. " * 150)
    return [("datasets:exclusion", one.contradiction_id, one.n) for one in questions]


def revised_questions(ada) -> list[tuple[object, ...]]:
    """A question without revised passages, one whose wait for ada, one whose are checked and were rejected before."""
    eve = person("eve", Role.ANNOTATOR)
    asked = current_instances(Collection.objects.get(name="demonstration"))
    untouched, waits, done = asked.filter(contradiction__same_passage="Different")[5:8]
    for question in (waits, done):
        texts = originals(question)._replace(passage_2="It was so. " * 200, answer="So.")
        made = write(instance=question, texts=texts, by=eve)
    reject(instance=done, revision=made.pk, note="Not so.", by=ada)
    made = write(instance=done, texts=texts, by=eve)
    accept(instance=done, revision=made.pk, by=ada)
    return [("datasets:revision", q.contradiction_id, q.n) for q in (untouched, waits, done)]


def look_at(page, path: str) -> list[str]:
    """The problems of one page in all its variants."""
    answer = page.goto(path)
    if answer.status != 200:
        return [f"{path} answers {answer.status}"]
    settled(page)
    return look(page, path)


def look(page, path: str, *widths: int) -> list[str]:
    """The same of the page that is open, with the folded parts of a report; axe runs at these widths, else at 1440."""
    wrong = []
    page.locator("details.fold").evaluate_all("parts => parts.forEach(part => part.open = true)")
    for width in (320, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark") if width in (widths or (1440,)) else ():
            page.emulate_media(color_scheme=scheme)
            found = violations(page, only_colours=scheme == "dark")
            wrong += [f"{path} {width} {scheme} {line}" for line in found]
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            wrong.append(f"{path} {width} is {wide} wide")
    return wrong


def test_every_page_is_accessible(open_page, ada, rita):
    page, of_rita = open_page(ada), open_page(rita)
    paths = [*plain_pages(), *pages_of_rows(ada)]
    reports = reverse("evaluation:reports")
    wrong = [
        line
        for path in paths
        for line in look_at(
            of_rita if path.startswith(reports) or "/subsets/" in path else page, path
        )
    ]
    assert not wrong, "\n".join(wrong)


def test_the_judges_pages_are_accessible(open_page, ada):
    run = Response.objects.filter(run__is_demonstration=True).earliest("pk").run
    design = studies.StudyDesign(judges_per_response=1)
    study = studies.create("Once more", Selection([run]), design, by=ada)
    studies.open_study(study, [ada])
    slot = JudgingSlot.objects.filter(round__study=study).earliest("order")
    for place, item in enumerate(study.items.all()[:2], start=1):
        known = {"position": place, "verdict": "correct", "note": "The gold answer."}
        gold = GoldItem.objects.create(study=study, response=item.response, **known)
    warmup.give(gold, ada, "incorrect")
    page = open_page(ada)
    talk = judging.draft(
        "Talk", drawn_from=judging.finished_run(instances=1), resolved_by="discussion"
    )
    studies.open_study(talk, [ada, judging.judge("bob")])
    for who, verdict in ((ada, "correct"), (judging.judge("bob"), "incorrect")):
        for one in judging.slots(talk, who):
            verdicts.give(one, verdict)
        verdicts.hand_in(who, talk)
    first, second, *_ = discussing.listed(ada, talk)
    bobs = second.item.slots.exclude(judge=second.judge).get()
    discussing.remark(bobs, "It names one year.")
    discussing.propose(bobs, version=0, verdict="incorrect", cause="slip", note="One year.")
    paths = [
        reverse("judging:overview", args=[talk.pk]),
        reverse("judging:discussion", args=[first.pk]),
        reverse("judging:discussion", args=[second.pk]),
        reverse("judging:queue"),
        reverse("judging:overview", args=[study.pk]),
        reverse("judging:warm_up", args=[study.pk, 1]),
        reverse("judging:warm_up", args=[study.pk, 2]),
        reverse("judging:slot", args=[slot.pk]),
        reverse("judging:study", args=[study.pk]),
    ]
    wrong = [line for path in paths for line in look_at(page, path)]
    discussing.sign(second, version=1)
    studies.close_study(talk)
    wrong += look_at(page, reverse("judging:resolved", args=[talk.pk]))
    assert not wrong, "\n".join(wrong)


def test_the_pages_of_a_study_of_several_rounds_are_accessible(open_page, ada):
    study, page = judged_twice(), open_page(ada)
    rounds = [reverse(f"judging:round_{which}", args=[study.pk]) for which in ("again", "added")]
    paths = [*rounds, reverse("judging:study", args=[study.pk])]
    wrong = [line for path in paths for line in look_at(page, path)]
    wrong += look_at(page, reverse("evaluation:report", args=[study.pk]))
    next_to = reverse("evaluation:two", args=[study.pk])
    wrong += look_at(page, f"{next_to}?first=round-1&with=round-2&on=both")
    assert not wrong, "\n".join(wrong)


def test_the_pages_that_compare_models_are_accessible(open_page, ada):
    """The demonstration has one model a run."""
    run, page = judging.finished_run(), open_page(ada)
    paths = [reverse(f"generation:{name}", args=[run.pk]) for name in ("responses", "two_models")]
    paths.append(reverse("generation:response", args=[run.pk, run.responses.first().pk]))
    wrong = [line for path in paths for line in look_at(page, path)]
    assert not wrong, "\n".join(wrong)


def test_the_question_before_others_work_and_what_it_leads_to_are_accessible(open_page, ada, watch):
    watch.expect("status of 409")
    page = open_page(ada)
    campaign = Campaign.objects.get(name="Demonstration: yours to annotate")
    page.goto(reverse("evaluation:annotators", args=[campaign.pk]))
    agree = page.get_by_role("button", name="Show it and give up")
    expect(agree).to_be_visible()
    wrong = look(page, "the question")
    agree.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Agreement")
    for name in ("annotators", "annotators_rows"):
        wrong += look_at(page, reverse(f"evaluation:{name}", args=[campaign.pk]))
    wrong += look_at(page, reverse("annotation:seen", args=[campaign.pk]))
    assert not wrong, "\n".join(wrong)


def test_a_published_report_is_accessible(open_page, ada, rita):
    for study in Study.objects.filter(state=StudyState.OPEN):
        studies.close_study(study)
    frozen, _ = freeze(Study.objects.get(name="Demonstration"), by=ada)
    shown = publish(frozen, by=ada, authors="Ada Ash", with_comments=True)
    to_readers = reverse("evaluation:published", args=[shown.pk, shown.token])
    wrong = look_at(open_page(rita), reverse("evaluation:snapshot", args=[shown.pk]))
    wrong += look_at(open_page(), to_readers)
    wrong += look_at(open_page(rita), reverse("evaluation:unpublish", args=[shown.pk]))
    assert not wrong, "\n".join(wrong)


def test_the_pages_of_a_release_are_accessible(open_page, ada, rita, watch):
    """Each before and after: published, withheld, withdrawn."""
    watch.expect("status of 410")
    release = Release.objects.get(collection__name="demonstration")
    signed_in, reader = open_page(rita), open_page()
    of_release = [release.collection.name, release.version]
    own, *acts = (
        reverse(f"datasets:{name}", args=of_release)
        for name in ("release", "publish_release", "withdraw_release", "delete_release_files")
    )
    wrong = look_at(signed_in, own) + look_at(signed_in, acts[0])
    shown, _ = publishing.publish(release, by=rita, name="mills")
    public = reverse("datasets:published", args=[shown.token, shown.version])
    for page, path in ((signed_in, own), (signed_in, acts[1]), (reader, public)):
        wrong += look_at(page, path)
    withhold(
        Contradiction.objects.filter(pk__in=release.rows.values("contradiction")), HIDDEN, rita
    )
    for page, path in ((signed_in, own), (signed_in, acts[2]), (reader, public)):
        wrong += look_at(page, path)
    publishing.withdraw(release, reason="An error. " * 50, by=rita)
    reader.goto(public)
    wrong += look(reader, "withdrawn") + look_at(signed_in, own)
    assert not wrong, "\n".join(wrong)


def test_an_error_page_is_accessible(open_page, ada):
    silent = [findings.of_process(role, None, 3600.0) for role in findings.PROCESSES]
    watch.keep(HealthReport((*silent, findings.of_disk(0))), float("inf"))
    page = open_page(ada)
    page.goto(reverse("home"))
    settled(page)
    wrong = look(page, "home", 320, 1440)  # the menus of every page
    assert not wrong, "\n".join(wrong)
    alarms = page.get_by_role("region", name="Something is wrong with this installation")
    expect(alarms.get_by_role("listitem")).to_have_count(4)


def test_the_pages_before_signing_in_are_accessible(open_page):
    alice = person("alice", Role.ADMIN)
    token = invitations.invite(roles=[Role.JUDGE], by=alice)
    page = open_page()
    paths = [
        reverse("accounts:sign_in"),
        invitations.invitation_path(token),
        invitations.password_path(alice),
    ]
    wrong = [line for path in paths for line in look_at(page, path)]
    assert not wrong, "\n".join(wrong)
