"""The form of the six steps shows its own draft; and the statements that its pages take."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import RoleGrant
from annotation import guidelines
from annotation.guideline_text import parts_of
from annotation.models import Annotation, Assignment
from annotation.views import annotate
from annotation.workflow import claiming
from tests.annotation import factories as make
from tests.annotation.test_annotate_pages import form_of, page_of, post, text_of
from wikifetch.history.pages_seen import HiddenParts
from wikifetch.purging import purge
from wikifetch.recording import record_htmls
from wikifetch.source.htmls import HtmlAsked

pytestmark = pytest.mark.django_db


def shown(client, annotation):
    return client.get(page_of(annotation)).content.decode()


def saved(alice, campaign, **entries):
    return make.draft(alice, within=campaign, **entries)


def test_each_draft_shows_its_own_texts_and_options(client, alice):
    campaign = make.campaign(tags=3)
    first = saved(alice, campaign, span_1="one <b>", confidence=2, validity="Valid")
    second = saved(alice, campaign, span_1="two", confidence=3, validity="Valid")
    third = saved(alice, campaign, span_1="three", confidence=2, validity="Valid")
    for draft, text, chosen in (
        (first, "one &lt;b&gt;", 2),
        (second, "two", 3),
        (third, "three", 2),
    ):
        page = shown(client, draft)
        assert f"\n{text}</textarea>" in page
        assert f'value="{chosen}" checked' in " ".join(page.split())
        others = {"one &lt;b&gt;", "two", "three"} - {text}
        assert not [other for other in others if f"\n{other}</textarea>" in page]


def test_the_cells_of_each_question_are_its_own(client, alice):
    campaign = make.campaign(tags=2)
    cells = [
        {"question": f"Which {n}?", "answer_1": f"a{n}", "answer_2": "", "derived_1": n == 2, "derived_2": False}
        for n in (1, 2)
    ]  # fmt: skip
    saved(alice, campaign, questions=cells[:1])
    page = shown(client, saved(alice, campaign, questions=cells))
    assert page.index("\nWhich 1?<") < page.index("\na1<") < page.index("\nWhich 2?<")
    assert 'name="questions-1-derived_1" checked' in page
    assert 'name="questions-0-derived_1" checked' not in page


def test_a_guideline_changed_while_a_form_is_open_leaves_its_form_and_shows_in_the_next(
    client, alice
):
    admin, campaign = make.admin("anna"), make.campaign(tags=3)
    first = make.draft(alice, within=campaign)
    before = guidelines.current_guideline()
    old = shown(client, first)
    texts = {**parts_of(before.body), "step-1": "Look twice, as the new version says."}
    guidelines.save_guideline(texts, base=before.version, by=admin)
    guidelines.use_current_guideline(campaign, admin)

    assert "as the new version says" not in shown(client, first)
    assert f"/{before.version}/#step-1" in old
    answer = post(client, first, make.whole(), action="submit")

    assert answer.status_code == 200
    assert "as the new version says" in answer.content.decode()
    assert Annotation.objects.get(pk=first.pk).guideline == before


def test_kept_html_whose_revision_was_purged_is_never_served_again(client, alice, draft):
    secret = "It was libel."
    record_htmls(
        [HtmlAsked(draft.sighting.revision_id, f"<p>The mill was built in 1801. {secret}</p>")]
    )
    draft.sighting.block_kind, draft.sighting.block_clean = (
        "paragraph",
        f"The mill was built in 1801. {secret}",
    )
    draft.sighting.save()
    assert secret in shown(client, draft)
    revision = draft.sighting.revision
    purge(revision.article.wiki, {revision.revid: HiddenParts(text=True)})
    page = shown(client, draft)
    assert secret not in page
    assert "built in 1801" not in page


def test_a_role_taken_away_acts_on_the_next_save_and_submission(client, alice, draft):
    assert shown(client, draft)
    RoleGrant.objects.filter(person=alice).delete()
    refused = post(client, draft, make.whole(), action="submit")
    assert refused.status_code == 403
    assert make.WHOLE["statement_1"] in text_of(refused)
    assert client.get(page_of(draft)).status_code == 403
    assert Annotation.objects.get().version == 0


def test_a_process_killed_between_a_claim_and_its_page_leaves_the_tag_in_hand(
    client, alice, monkeypatch
):
    campaign = make.campaign(tags=3)
    first = make.draft(alice, within=campaign)

    def killed(*_, **__):
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(annotate, "shown", killed)
        with pytest.raises(SystemExit):
            post(client, first, make.whole(), action="submit")
    claimed = Annotation.objects.exclude(pk=first.pk).get()
    again = post(client, first, make.whole(), action="submit")
    assert again.context["annotation"] == claimed
    assert Assignment.objects.filter(person=alice).count() == 2
    assert claiming.held_by(claimed.assignment_id, alice)


def statements(act):
    with CaptureQueriesContext(connection) as captured:
        act()
    sent = [query["sql"].split()[0] for query in captured]
    return sum(verb in ("SELECT", "INSERT", "UPDATE", "DELETE") for verb in sent)


def test_a_page_a_save_and_a_submission_take_few_statements(client, alice):
    first = make.draft(alice, within=make.campaign(tags=3))
    form = form_of(
        make.whole(),
        version=1,
        action="submit",
        annotation=str(first.pk),
        step="types",
        seconds="5",
    )

    def save():
        changes = {"entries": {"span_1": "here"}, "step": "reason", "seconds": 3}
        answer = client.patch(
            f"/api/drafts/{first.pk}/",
            json.dumps(changes),
            content_type="application/json",
            headers={"if-match": '"0"'},
        )
        assert answer.status_code == 200

    def submit():
        assert client.post(page_of(first), form).status_code == 200

    assert statements(lambda: shown(client, first)) <= 8
    assert statements(save) <= 13
    assert statements(submit) <= 26
