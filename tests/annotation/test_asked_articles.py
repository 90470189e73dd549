"""Annotators ask for other articles: once each, within a rate, fetched by a worker and pinned to the annotation."""

import pytest
from django.urls import reverse

from annotation import tasks
from annotation.evidence.other_articles import OtherArticles
from annotation.models import AskedArticle
from annotation.workflow import asked_articles, claiming
from leases.clock import in_seconds
from leases.refusal import Conflict, Refusal, TooMany
from tests.annotation import factories as make
from tests.annotation.test_annotate_pages import page_of, post, text_of
from tests.wikifetch.fakewiki import Answer
from tests.wikifetch.livewiki import LiveWiki
from wikifetch.models import Revision, Wiki

pytestmark = pytest.mark.django_db


@pytest.fixture
def live(settings, monkeypatch):
    with LiveWiki(5) as wiki:
        settings.WIKI_ALLOWED = [wiki.address]
        settings.WIKI_CONTACT = "alice@example.org"
        settings.WIKI_REQUESTS_PER_SECOND = 1_000_000
        monkeypatch.setattr("wikifetch.source.wiki_api.MOST_HERE", 0)
        yield wiki


def address_of(live, n=3):
    return f"{live.address}/wiki/Mill_{n}"


def ask(draft, text):
    return asked_articles.ask_for(draft, text, draft.author)


def fetched(draft, text):
    row = ask(draft, text)
    assert asked_articles.fetch_asked(row.pk)
    row.refresh_from_db()
    return row


def tab_of(draft):
    return reverse("annotation:other_article", args=[draft.assignment_id])


def send(client, draft, text):
    return client.post(tab_of(draft), {"asked_article": text})


def busy(seconds="60"):
    return Answer("<html>Busy</html>", 503, {"Retry-After": seconds})


def test_a_worker_fetches_what_was_asked_for_and_pins_its_revision(live, draft):
    row = fetched(draft, address_of(live))
    assert (row.state, row.revision.revid, row.problem) == ("fetched", 7, "")
    assert OtherArticles(draft).chosen.revision == row.revision


def test_the_pinned_revision_stays_when_the_article_is_edited(live, draft):
    row = fetched(draft, address_of(live))
    live.edited = {3}
    assert ask(draft, address_of(live)) == row
    row.refresh_from_db()
    assert row.revision.revid == 7


@pytest.mark.both
def test_a_double_click_asks_once(client, live, draft):
    for _ in range(2):
        assert send(client, draft, address_of(live)).status_code == 200
    assert AskedArticle.objects.count() == 1


def test_what_failed_may_be_asked_for_again(live, draft):
    first = fetched(draft, f"{live.address}/wiki/No_mill")
    assert (first.state, first.problem) == ("failed", "The wiki has no page of this title.")
    second = ask(draft, f"{live.address}/wiki/No_mill")
    assert second.pk != first.pk
    assert [row.pk for row in OtherArticles(draft).rows] == [second.pk]


def test_a_title_without_address_is_one_of_the_tagged_articles_wiki(live, draft):
    Wiki.objects.update(base_url=f"{live.address}/wiki/")
    row = ask(draft, "Mill 3")
    assert (row.base, row.title, row.wiki) == (live.address, "Mill 3", Wiki.objects.get())


def test_of_a_wiki_that_cannot_be_asked_a_stored_article_is_shown_at_once(live, draft):
    stored = make.tag("Carr Mill").latest.revision
    row = ask(draft, "Carr Mill")
    assert (row.state, row.revision) == ("fetched", stored)
    with pytest.raises(Refusal, match=r"cannot be asked\. Paste the address"):
        ask(draft, "Odd Mill")


@pytest.mark.both
def test_a_rate_limits_one_person(client, live, draft, monkeypatch):
    monkeypatch.setattr(asked_articles, "MOST_AN_HOUR", 2)
    for n in (1, 2):
        ask(draft, address_of(live, n))
    with pytest.raises(TooMany, match="asked for 2 articles within an hour"):
        ask(draft, address_of(live, 3))
    answer = send(client, draft, address_of(live, 3))
    assert answer.status_code == 429
    assert 3_500 < int(answer["Retry-After"]) <= 3_600
    assert ask(draft, address_of(live, 2)).pk  # what is there already is no new request
    AskedArticle.objects.update(asked_at=in_seconds(-3_601))
    assert ask(draft, address_of(live, 3))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Write the title"),
        ("javascript:alert(1)", "not the address of an article"),
        ("<script>alert(1)</script>", "has the character <"),
        ("http://127.0.0.1:1/wiki/Mill", "is not among the wikis"),
        ("http://169.254.169.254/wiki/x", "is not among the wikis"),
    ],
)
def test_what_is_refused_is_not_asked(client, live, draft, text, why):
    answer = send(client, draft, text)
    assert answer.status_code == 400
    assert why in text_of(answer)
    assert "<script>" not in answer.content.decode()
    assert AskedArticle.objects.count() == 0
    assert live.asked == []


def test_a_wikis_problem_is_shown_as_text(client, live, draft):
    live.busy = iter([Answer({"query": {"pages": [
        {"title": "x", "invalid": True, "invalidreason": "<script>alert(1)</script>"}]}})])  # fmt: skip
    fetched(draft, address_of(live))
    page = client.get(tab_of(draft)).content.decode()
    assert "was not fetched" in page
    assert "<script>" not in page


def test_without_a_contact_nothing_is_asked(live, draft, settings):
    settings.WIKI_CONTACT = ""
    with pytest.raises(Refusal, match="Tell an admin"):
        ask(draft, address_of(live))


# ---------------------------------------------------------------- busy wikis, and workers that die


@pytest.mark.both
def test_a_busy_wiki_is_asked_again_when_its_wait_is_over(live, draft):
    live.busy = iter([busy()])
    row = fetched(draft, address_of(live))
    assert (row.state, row.waited, row.attempts) == ("asked", 60, 0)
    assert "busy" in row.problem
    assert not asked_articles.fetch_asked(row.pk)
    assert asked_articles.sweep_asked() == []
    Wiki.objects.update(busy_until=in_seconds(-1))
    assert asked_articles.sweep_asked() == [row.pk]
    assert asked_articles.fetch_asked(row.pk)
    row.refresh_from_db()
    assert row.state == "fetched"


def test_a_wiki_that_is_busy_for_long_is_given_up(live, draft):
    live.busy = iter([busy("1000")])
    row = fetched(draft, address_of(live))
    assert row.state == "failed"
    assert row.problem.endswith("Ask for it again later.")


def test_a_wiki_without_an_api_says_so(live, draft):
    live.busy = iter([Answer("down", 404)])
    assert "There is no API" in fetched(draft, address_of(live)).problem


def test_a_wiki_that_cannot_be_reached_is_tried_again_for_a_while(live, draft, settings):
    settings.WIKI_ALLOWED = ["http://127.0.0.1:9"]
    row = ask(draft, "http://127.0.0.1:9/wiki/Mill")
    tries = 0
    while row.state != "failed":
        assert asked_articles.fetch_asked(row.pk)
        Wiki.objects.update(busy_until=in_seconds(-1))
        row.refresh_from_db()
        tries += 1
    assert tries > 3
    assert row.waited <= asked_articles.MOST_WAITED
    assert "no connection" in row.problem


@pytest.mark.both
def test_a_wiki_is_asked_for_one_of_them_at_a_time(live, draft):
    first, second = (ask(draft, address_of(live, n)) for n in (1, 2))
    AskedArticle.objects.filter(pk=first.pk).update(state="fetching", lease_until=in_seconds(60))
    assert not asked_articles.fetch_asked(second.pk)
    AskedArticle.objects.filter(pk=first.pk).update(lease_until=in_seconds(-1))
    assert asked_articles.sweep_asked() == [first.pk, second.pk]


@pytest.mark.both
def test_what_kills_every_worker_is_given_up(live, draft):
    row = ask(draft, address_of(live))
    AskedArticle.objects.update(state="fetching", lease_until=in_seconds(-1), attempts=5)
    assert asked_articles.sweep_asked() == []
    row.refresh_from_db()
    assert (row.state, row.problem) == ("failed", "Given up after 5 workers died over it.")


@pytest.mark.both
def test_a_worker_whose_lease_was_lost_stores_nothing(live, draft, monkeypatch):
    row = ask(draft, address_of(live))
    monkeypatch.setattr(asked_articles.leases, "renew", lambda *_, **__: False)
    asked_articles.fetch_asked(row.pk)
    row.refresh_from_db()
    assert (row.state, row.revision) == ("fetching", None)


def test_an_error_of_the_program_is_a_problem_of_the_row(live, draft, monkeypatch):
    row = ask(draft, address_of(live))
    monkeypatch.setattr(asked_articles, "fetched_article", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        asked_articles.fetch_asked(row.pk)
    row.refresh_from_db()
    assert row.state == "failed"
    assert "error of this program" in row.problem


def test_a_wiki_that_is_no_longer_allowed_fails_the_row(live, draft, settings):
    row = ask(draft, address_of(live))
    settings.WIKI_ALLOWED = ["https://en.wikipedia.org"]
    asked_articles.fetch_asked(row.pk)
    row.refresh_from_db()
    assert row.state == "failed"
    assert "not among the wikis" in row.problem


def test_the_task_goes_on_with_the_next(
    live, draft, django_capture_on_commit_callbacks, monkeypatch
):
    sent = []
    monkeypatch.setattr(tasks, "send_on_commit", lambda task, pk: sent.append(pk))
    first, second = (ask(draft, address_of(live, n)) for n in (1, 2))
    tasks.fetch_asked_article(first.pk)
    assert sent == [second.pk]
    tasks.sweep_asked_articles()
    assert sent == [second.pk, second.pk]


# ---------------------------------------------------------------- the page


def test_the_tab_shows_what_is_fetched_and_what_is_awaited(client, live, draft):
    send(client, draft, address_of(live))
    assert "Fetching “Mill 3”" in text_of(client.get(page_of(draft)))
    asked_articles.fetch_asked(AskedArticle.objects.get().pk)
    page = client.get(tab_of(draft)).content.decode()
    revision = Revision.objects.get(revid=7)
    assert f'data-article-title="Mill 3" data-revision="{revision.pk}"' in page
    assert "data-waiting" not in page


def test_one_of_several_is_chosen(client, live, draft):
    first, second = (fetched(draft, address_of(live, n)) for n in (1, 2))
    assert 'data-article-title="Mill 2"' in client.get(tab_of(draft)).content.decode()
    older = client.get(tab_of(draft), {"other": first.pk}).content.decode()
    assert 'data-article-title="Mill 1"' in older
    unknown = client.get(tab_of(draft), {"other": "x"}).content.decode()
    assert f'data-shown="{second.pk}"' in unknown


def test_the_article_that_the_tag_names_is_one_of_them(client, alice, live):
    make.tag("Carr Mill")
    make.tag("Kettle Mill", other_article="Carr Mill")
    draft = make.draft(alice, within=make.campaign(tags=0))
    while not draft.sighting.other_article:
        draft = make.draft(alice, within=draft.assignment.campaign)
    assert 'data-article-title="Carr Mill"' in client.get(tab_of(draft)).content.decode()
    fetched(draft, address_of(live))
    assert [choice.key for choice in OtherArticles(draft).choices][1:] == ["named"]


def test_asking_without_script_saves_the_form_first(client, live, draft):
    answer = post(
        client, draft, make.nothing(valid_comment="Kept"), action="ask_article",
        asked_article=address_of(live),
    )  # fmt: skip
    assert answer.url == f"{page_of(draft)}#pane-other"
    draft.refresh_from_db()
    assert draft.valid_comment == "Kept"
    assert AskedArticle.objects.get().title == "Mill 3"


def test_a_refusal_without_script_is_shown_with_what_was_typed(client, live, draft):
    answer = post(
        client, draft, make.nothing(), action="ask_article", asked_article="a|b", follow=True
    )
    assert "“a|b”: No title has the character |" in text_of(answer)


def test_looking_again_without_script_saves_and_asks_nothing(client, live, draft):
    post(client, draft, make.nothing(valid_comment="Kept"), action="ask_article:look")
    draft.refresh_from_db()
    assert draft.valid_comment == "Kept"
    assert AskedArticle.objects.count() == 0


def test_a_draft_that_was_handed_back_meanwhile_keeps_its_article(client, live, draft):
    row = ask(draft, address_of(live))
    path = tab_of(draft)
    claiming.hand_back(assignment_id=draft.assignment_id, by=draft.author)
    assert client.post(path, {"asked_article": address_of(live, 1)}).status_code == 404
    assert asked_articles.fetch_asked(row.pk)
    again = claiming.take_up(annotation_id=draft.pk, by=draft.author)
    page = client.get(reverse("annotation:annotate", args=[again.pk])).content.decode()
    assert 'data-article-title="Mill 3"' in page


def test_after_submission_nothing_can_be_asked_for(live):
    submitted = make.submitted(make.annotator("bob"))
    with pytest.raises(Conflict, match="submitted"):
        ask(submitted, address_of(live))


def test_a_reviewer_sees_what_the_author_asked_for(client, live):
    submitted = make.submitted(make.annotator("bob"))
    type(submitted).objects.filter(pk=submitted.pk).update(state="sent_back")
    submitted.refresh_from_db()
    older = fetched(submitted, address_of(live, 2))
    fetched(submitted, address_of(live))
    client.force_login(make.admin("oda"))
    page = client.get(reverse("annotation:review", args=make.place_of(submitted))).content.decode()
    assert 'data-article-title="Mill 3"' in page
    # The link to the other one must not take the reviewer's notes with the page.
    assert f'<a href="?other={older.pk}#pane-other" target="_blank"' in page
    assert "Get the article" not in page


def test_a_passage_copied_from_it_keeps_where_it_is_from(client, live, draft):
    row = fetched(draft, address_of(live))
    others = OtherArticles(draft)
    text = "Mill 3 was built in 1801."
    piece = {
        "revision": row.revision_id, "start": 0, "end": len(text), "sha256": others.sha256,
        "text": text,
    }  # fmt: skip
    answer = client.patch(
        reverse("annotation:api_draft", args=[draft.pk]),
        {"entries": {"passage_2_copied": text}, "provenance": {"2": [piece]}, "filled": []},
        content_type="application/json",
        headers={"If-Match": f'"{draft.version}"'},
    )
    assert answer.status_code == 200, answer.content
    draft.refresh_from_db()
    assert draft.provenance["2"][0]["revid"] == 7
