"""The pages on which responses are read: the grid, one response, two models next to each other."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.roles import Role
from generation import grid
from generation.models import Attempt, Response
from tests.factories import person, signed_in
from tests.judging import factories as make

pytestmark = pytest.mark.django_db

CELL = re.compile(r'<td(?: class="(\w+)")?>\s*(?:<a href="(\d+)/"|not asked)')


@pytest.fixture
def rosa(client):
    return signed_in(client, person("rosa", Role.RESEARCHER))


@pytest.fixture
def read():
    """A finished run of two questions, three prompts and two models."""
    return make.finished_run()


def page(client, name, *args, status=200, **query) -> str:
    answer = client.get(reverse(f"generation:{name}", args=args), query)
    assert answer.status_code == status
    return answer.content.decode()


def cells(text):
    """The cells of a grid in their order: the key of the response, and whether it fits."""
    return [(int(key) if key else None, kind == "") for kind, key in CELL.findall(text)]


def fitting(client, run, **query):
    return {key for key, fits in cells(page(client, "responses", run.pk, **query)) if fits}


def some(run, **where):
    return set(run.responses.filter(**where).values_list("pk", flat=True))


def change(run, **columns):
    """Change the first response of the run; returns its key."""
    key = run.responses.order_by("pk").values_list("pk", flat=True)[0]
    Response.objects.filter(pk=key).update(**columns)
    return key


def first_question(run):
    return run.responses.earliest("pk").instance


# ---------------------------------------------------------------- the grid


@pytest.mark.both
def test_the_grid_has_a_row_for_each_question_and_a_column_for_each_prompt_and_model(
    client, rosa, read
):
    text = page(client, "responses", read.pk)
    by_place = read.responses.order_by("instance", "pk")
    assert cells(text) == [(row.pk, True) for row in by_place]
    heads = re.findall(r'<th scope="col(?:group" colspan="2)?"(?: dir="auto")?>([^<]+)', text)
    assert heads[0].startswith("1: ")
    assert heads[3:] == [*make.MODEL_IDS] * 3


def test_what_was_not_asked_is_an_empty_cell(client, rosa, read):
    late = make.response(read, make.instance(3), "passage-1", make.language_model())
    assert cells(page(client, "responses", read.pk))[-6:].count((None, False)) == 5
    assert (late.pk, True) in cells(page(client, "responses", read.pk))


@pytest.mark.both
def test_each_sample_has_a_row(client, rosa, read):
    read.samples = 2
    read.save()
    make.response(read, first_question(read), "passage-1", make.language_model(), sample=2)
    text = page(client, "responses", read.pk)
    assert text.count("no. 2") == 1
    assert text.count("no. 1") == 2


def test_two_models_of_one_name_are_told_apart_by_their_options(client, rosa, read):
    other = make.LanguageModel.objects.create(
        service=make.SERVICE, model_id=make.MODEL_IDS[0], options={"seed": 5}, options_hash="1" * 64
    )
    make.response(read, first_question(read), "passage-1", other)
    assert f"({make.SERVICE}; seed 5, no system message)" in page(client, "responses", read.pk)


def test_one_model_at_two_services_is_two_models(client, rosa, read):
    first = make.language_model()
    other = make.LanguageModel.objects.create(
        service="gpu-2",
        model_id=first.model_id,
        options=first.options,
        options_hash=first.options_hash,
    )
    make.response(read, first_question(read), "passage-1", other, text="It was dug in 1777.")
    text = page(client, "responses", read.pk)
    assert f"{first} ({make.SERVICE}; " in text
    assert f"{first} (gpu-2; " in text
    query = {"prompt": "passage-1", "left": first.pk, "right": other.pk}
    both = page(client, "two_models", read.pk, **query)
    assert "<ins>1777</ins>" in both
    assert "gpu-2" in both


@pytest.mark.both
@pytest.mark.parametrize(
    ("columns", "outcome", "remark"),
    [
        ({"state": "failed", "text": "", "error": "The prompt is too long."}, "failed", "Failed"),
        ({"state": "pending", "text": ""}, "pending", "Waiting"),
        ({"state": "cancelled", "text": ""}, "cancelled", "Cancelled"),
        ({"finding": "refused", "text": "I cannot."}, "refused", "Declined"),
        ({"finding": "filtered", "text": ""}, "filtered", "Withheld by a filter"),
        ({"finish_reason": "length"}, "cut", "Cut off at a limit"),
        ({"text": ""}, "empty", "Without a text"),
        (
            {"finding": "aborted", "text": "", "finish_reason": "abort"},
            "aborted",
            "Broken off: abort",
        ),
    ],
)
def test_what_is_not_a_whole_answer_says_so_and_can_be_chosen(
    client, rosa, read, columns, outcome, remark
):
    key = change(read, **columns)
    text = page(client, "responses", read.pk)
    assert re.findall(r'<span class="badge badge-\w+">([^<]+)', text) == [remark]
    assert columns.get("error", "") in text
    assert fitting(client, read, outcome=outcome) == {key}
    assert len(cells(page(client, "responses", read.pk, outcome=outcome))) == 6  # its whole row
    page(client, "response", read.pk, key)


@pytest.mark.both
def test_prompt_and_model_narrow_the_columns(client, rosa, read):
    model = make.language_model(make.MODEL_IDS[1])
    chosen = page(client, "responses", read.pk, prompt="passage-1", model=model.pk)
    assert {key for key, _ in cells(chosen)} == some(read, prompt="passage-1", model=model)


# ---------------------------------------------------------------- words


@pytest.mark.both
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A zebra crossing.", "zebra"),
        ("A zebra crossing.", "ZEBRA cross"),
        ("A zebra crossing.", '"zebra crossing"'),
        ('It is "old".', '"'),
        ('It is "" old.', '""'),
        ("100% of it", "%"),
        ("snake_case", "_"),
        ("back\\slash", "\\"),
        ("Österreich", "österreich"),
        ("In österreich, Müller wrote so", "müller"),
        ("a" * 500, "a" * 500),
        ("so 'it' is; DROP", "'it' DROP"),
        ("back\\slash and snake_case of 100%", "\\ _ %"),
    ],
)
def test_words_are_found_as_they_are_written(client, rosa, read, text, words):
    key = change(read, text=text)
    assert fitting(client, read, words=words) == {key}


@pytest.mark.both
@pytest.mark.parametrize("words", ["zebra", '"some founded"', "founded zebra", "quokka-7b-secret"])
def test_words_that_no_response_has_find_none(client, rosa, read, words):
    text = page(client, "responses", read.pk, words=words)
    assert "No response matches." in text
    assert cells(text) == []


@pytest.mark.parametrize("words", ["", "  "])
def test_a_search_for_nothing_shows_all(client, rosa, read, words):
    assert fitting(client, read, words=words) == some(read)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"words": "a" * 501}, "at most 500 characters (it has 501)"),
        ({"outcome": "lost"}, "lost is not one of the available choices"),
        ({"prompt": "9"}, "9 is not one of the available choices"),
        ({"model": "x"}, "x is not one of the available choices"),
        ({"model": "99999999999999999999"}, "is not one of the available choices"),
    ],
)
def test_a_choice_that_cannot_be_is_refused_with_the_reason(client, rosa, read, query, sentence):
    text = page(client, "responses", read.pk, **query)
    assert sentence in text
    assert cells(text) == []


def test_the_words_found_are_marked_where_they_are(client, rosa, read):
    change(read, text=f"{'long ' * 1900}It was a zebra. {'long ' * 100}")
    text = page(client, "responses", read.pk, words="Zebra")
    assert "It was a <mark>zebra</mark>." in text
    assert text.count("long ") < 40


def test_words_are_not_marked_in_the_reason_of_a_failure(client, rosa, read):
    change(read, text="", state="failed", error="The founded prompt is too long.")
    text = page(client, "responses", read.pk, words="founded")
    assert "The founded prompt is too long." in text
    assert "<mark>founded</mark>" in text


def test_a_long_response_is_whole_on_its_page_alone(client, rosa, read):
    key = change(read, text=f"Begins. {'long ' * 2000}Ends.")
    assert "Ends." not in page(client, "responses", read.pk)
    assert "Ends." in page(client, "response", read.pk, key)


@pytest.mark.parametrize(
    "columns",
    [
        {"text": "a\x1b[31mb"},
        {"text": "", "state": "failed", "error": "a\x1b[31mb"},
    ],
)
def test_control_characters_are_shown_on_every_page(client, rosa, read, columns):
    key = change(read, **columns)
    for text in (
        page(client, "responses", read.pk),
        page(client, "response", read.pk, key),
        page(client, "two_models", read.pk),
    ):
        assert "␛[31m" in re.sub("</?ins>", "", text)
        assert "\x1b" not in text


def test_text_of_a_model_is_never_markup(client, rosa, read):
    key = change(read, text="<script>alert(1)</script>")
    for text in (
        page(client, "responses", read.pk, words="script"),
        page(client, "response", read.pk, key),
        page(client, "two_models", read.pk),
    ):
        assert "<script>alert" not in text
        assert "&lt;" in text


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite alone has the index")
@pytest.mark.parametrize("choice", [{}, {"prompt": "passage-1", "model": 1}])
def test_words_are_looked_for_in_an_index_that_holds_the_texts(read, choice, without_statistics):
    """Lost where a migration remakes the table (decision 0043)."""
    fits = grid.GridChoice(words="zebra", **choice).fits()
    rows = read.responses.filter(fits).order_by().values_list("instance", "sample").distinct()
    assert "COVERING INDEX response_texts" in rows.explain()


@pytest.mark.postgres
def test_words_are_looked_for_without_the_rules_of_a_locale(read):
    """They more than double the time. Each text is put into capitals once for all words of ASCII."""
    with CaptureQueriesContext(connection) as asked:
        assert not read.responses.filter(grid.GridChoice(words="müller one two").fits()).exists()
    sql = asked.captured_queries[0]["sql"]
    assert sql.count('COLLATE "C"') == sql.count("UPPER") == 2


@pytest.mark.postgres
@pytest.mark.parametrize(("words", "times"), [("", 0), ("zebra", 1)])
def test_the_database_is_told_what_a_search_costs_for_a_search_alone(
    client, rosa, read, words, times
):
    with CaptureQueriesContext(connection) as asked:
        page(client, "responses", read.pk, words=words)
    assert sum("cpu_operator_cost" in one["sql"] for one in asked) == times


@pytest.mark.postgres
def test_words_in_many_responses_are_looked_for_by_several_processes(read):
    copied = ", ".join(
        f'"{field.column}"'
        for field in Response._meta.concrete_fields
        if field.name not in ("id", "sample", "rendered")
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO generation_response ({copied}, sample, rendered) SELECT {copied}, n, %s"
            " FROM generation_response, generate_series(2, 20000) n WHERE id = %s",
            ["long " * 100, read.responses.latest("pk").pk],
        )
        cursor.execute("ANALYZE generation_response")
    fits = grid.GridChoice(words="zebra").fits()
    with CaptureQueriesContext(connection) as asked:
        assert grid.keys_of(read, fits, searched=True) == []
    [sql] = [one["sql"] for one in asked if one["sql"].startswith("SELECT")]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {sql.replace('%', '%%')}", [])
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "Parallel Seq Scan" in plan


@pytest.mark.both
def test_rows_come_in_pages_that_keep_the_choice(client, rosa, read, monkeypatch):
    monkeypatch.setattr(grid, "CELLS", 6)
    first, second = (page(client, "responses", read.pk, words="founded", page=n) for n in (1, 2))
    assert len(cells(first)) == len(cells(second)) == 6
    assert not {key for key, _ in cells(first)} & {key for key, _ in cells(second)}
    assert "?words=founded&amp;page=2" in first


@pytest.mark.both
def test_a_grid_reads_no_request_no_reply_and_no_whole_text(client, rosa, read):
    with CaptureQueriesContext(connection) as asked:
        page(client, "responses", read.pk)
    columns = [one["sql"].split(" FROM ")[0] for one in asked]
    assert not [sql for sql in columns if re.search(r'"(request|reply|rendered|reasoning)"', sql)]
    assert not [sql for sql in columns if re.search(r'(?<!\()"generation_response"."text"', sql)]


# ---------------------------------------------------------------- one response


def test_a_response_leads_to_the_same_model_on_the_next_question_and_to_all_others(
    client, rosa, read
):
    asked = read.responses.filter(prompt="passage-1", model=make.language_model())
    first, second = asked.order_by("instance").values_list("pk", flat=True)
    text = page(client, "response", read.pk, first)
    assert re.findall(r'rel="(prev|next)" href="([^"]+)"', text) == [
        ("next", reverse("generation:response", args=[read.pk, second]))
    ]
    of_question = some(read, instance=Response.objects.get(pk=first).instance_id)
    section = text.split("All responses to this question")[-1]
    assert {int(key) for key in re.findall(r"/responses/(\d+)/", section)} == of_question


@pytest.mark.both
def test_the_next_question_is_the_next_row_of_the_grid(client, rosa, read):
    """Not by the records' positions, for which all questions would be read."""
    key = read.responses.order_by("pk").values_list("pk", flat=True)[0]
    with CaptureQueriesContext(connection) as asked:
        page(client, "response", read.pk, key)
    assert not [
        one["sql"] for one in asked if '"datasets_contradiction"."position" ASC' in one["sql"]
    ]


def test_each_call_is_shown_with_its_outcome(client, rosa, read):
    key = change(read, text="Yes.")
    Attempt.objects.create(response_id=key, n=1, status=500, error="The service failed (500)")
    Attempt.objects.create(response_id=key, n=2, status=200, latency_ms=4321)
    text = page(client, "response", read.pk, key)
    assert "The service failed (500)" in text
    assert '<td class="num">4321</td> <td>answered</td>' in " ".join(text.split())


# ---------------------------------------------------------------- two models


def test_the_words_that_the_other_model_lacks_are_marked(client, rosa, read):
    key = change(read, text="It was founded in 1150.")
    row = Response.objects.get(pk=key)
    other = read.responses.exclude(pk=key).get(instance=row.instance, prompt=row.prompt)
    Response.objects.filter(pk=other.pk).update(text="It was founded in 1250, some say.")
    text = page(client, "two_models", read.pk, prompt=row.prompt)
    assert "It was founded in <ins>1150</ins>." in text
    assert "It was founded in <ins>1250, some say</ins>." in text


def test_a_model_that_failed_shows_why_next_to_the_other(client, rosa, read):
    change(read, state="failed", text="", error="The prompt is too long.")
    text = page(client, "two_models", read.pk, prompt="internal-knowledge")
    assert "The prompt is too long." in text


def test_a_question_that_one_of_the_two_was_not_asked_is_shown(client, rosa, read):
    make.response(read, make.instance(3), "passage-1", make.language_model())
    text = page(client, "two_models", read.pk, prompt="passage-1")
    assert "When was abbey 3 founded?" in text
    assert "No text." in text


def test_the_second_model_is_another_than_the_chosen_first(client, rosa, read):
    first, second = (make.language_model(name).pk for name in make.MODEL_IDS)
    text = page(client, "two_models", read.pk, left=second)
    assert re.findall(r'<option value="(\d+)" selected>', text) == [str(second), str(first)]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"left": "{first}", "right": "{first}"}, "Choose two different models."),
        ({"left": "0"}, "0 is not one of the available choices"),
        ({"prompt": "9"}, "9 is not one of the available choices"),
    ],
)
def test_two_models_that_cannot_be_compared_are_refused(client, rosa, read, query, sentence):
    first = make.language_model().pk
    query = {name: value.format(first=first) for name, value in query.items()}
    assert sentence in page(client, "two_models", read.pk, **query)


def test_a_run_of_one_model_has_none_to_compare(client, rosa):
    alone = make.finished_run(models=make.MODEL_IDS[:1])
    assert "two-models" not in page(client, "responses", alone.pk)
    assert "responses of one model" in page(client, "two_models", alone.pk, status=404)


def test_a_run_without_responses_says_so(client, rosa):
    assert "This run has no responses." in page(client, "responses", make.run().pk)
