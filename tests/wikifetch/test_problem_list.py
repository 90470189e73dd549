"""The problems of a fetch: what is new comes first, what an earlier fetch had said is one line for each reason."""

import io

import pytest
from django.core.management import call_command

from accounts.roles import Role
from tests.factories import person
from tests.wikifetch.factories import export, page, revision, written
from wikifetch import fetch, newfetch
from wikifetch.models import FetchRun, Wiki
from wikifetch.problem_list import problems_of

pytestmark = [pytest.mark.both, pytest.mark.django_db]

NO_PAGE = "The wiki has no page of this title."


def run_of(wiki, number):
    return FetchRun.objects.create(source="titles", label=f"Night {number}", wiki=wiki)


@pytest.fixture
def nights(db):
    """Three nights: in the first 50 red links; then they again with two new problems; then all of these."""
    wiki = Wiki.objects.create(base_url="https://wiki.example/wiki/", name="Example")
    red = [(f"Nowhere {n}", NO_PAGE) for n in range(50)]
    new = [("Mill", "The wiki hides its text."), ("Elsewhere", NO_PAGE)]
    runs = [run_of(wiki, n) for n in range(3)]
    for run, problems in zip(runs, (red, [*red, *new], [*red, *new]), strict=True):
        fetch._keep_problems(run, problems)
    return runs


def shown(run):
    problems = problems_of(run)
    new = [(problem.page, problem.problem) for problem in problems.new]
    return new, [(known.title, known.problem) for known in problems.known], problems.counted


def test_what_is_new_comes_first_and_what_is_known_is_a_line_for_each_reason(nights):
    first, second, third = map(shown, nights)
    assert (len(first[0]), first[1:]) == (50, ([], "50"))
    assert second == (
        [("Mill", "The wiki hides its text."), ("Elsewhere", NO_PAGE)],
        [("50 pages", NO_PAGE)],
        "52, 2 of them new",
    )
    known = [("51 pages", NO_PAGE), ("Mill", "The wiki hides its text.")]
    assert third == ([], known, "52, 0 of them new")


def test_other_words_another_page_and_another_wiki_are_new(nights):
    other = Wiki.objects.create(base_url="https://other.example/wiki/", name="Other")
    run, elsewhere = run_of(nights[0].wiki, 4), run_of(other, 5)
    fetch._keep_problems(run, [("Nowhere 1", "It was moved."), ("Nowhere", NO_PAGE)])
    fetch._keep_problems(elsewhere, [("Nowhere 1", NO_PAGE)])
    assert [problems_of(each).new_count for each in (run, elsewhere)] == [2, 1]


def test_known_problems_crowd_out_no_new_one(nights, monkeypatch):
    monkeypatch.setattr(fetch, "MAX_PROBLEMS", 50)
    run = run_of(nights[0].wiki, 4)
    red = [(f"Nowhere {n}", NO_PAGE) for n in range(50)]
    fetch._keep_problems(run, red)
    fetch._keep_problems(run, [("Ford", NO_PAGE)])
    assert shown(run)[0] == [("Ford", NO_PAGE)]


def test_the_page_of_a_fetch_lists_them_so(nights, client):
    client.force_login(person("alice", Role.ADMIN))
    text = client.get(f"/fetches/{nights[1].pk}/").content.decode()
    assert (
        text.index(">Mill<") < text.index(">Elsewhere<") < text.index("<summary>50 pages</summary>")
    )
    assert "<dd>52, 2 of them new</dd>" in text
    assert text.count(NO_PAGE) == 2
    assert "Nowhere 48 · Nowhere 49" in text
    assert "earlier fetch" not in client.get(f"/fetches/{nights[0].pk}/").content.decode()


def test_the_command_says_them_so(tmp_path):
    def read(*titles):
        pages = [page(n, title, revision(10 + n, None)) for n, title in enumerate(titles, 1)]
        out, err = io.StringIO(), io.StringIO()
        path = str(written(tmp_path, export(*pages)))
        call_command("fetch_tagged_pages", "--xml", path, stdout=out, stderr=err)
        return out.getvalue(), err.getvalue()

    read("Mill", "Ford")
    out, err = read("Mill", "Ford", "Weir")
    why = "The file holds no text of it."
    assert err == f"Weir: {why}\n2 pages, as in an earlier fetch: {why}\n"
    assert out.endswith("3 problems, 1 of them new.\n")


def test_red_links_that_every_fetch_meets_are_one_line_from_the_second_on(live):
    titles = [f"Nowhere {n}" for n in range(5)]
    for _ in range(2):
        run = fetch.finished(newfetch.fetch_of_titles([*titles, "Mill 1"]))
    assert shown(run) == ([], [("5 pages", NO_PAGE)], "5, 0 of them new")
