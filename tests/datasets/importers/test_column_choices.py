"""The columns of a CSV file are chosen on a page, or by a program, before the file is checked."""

import html
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.roles import Role
from datasets.importers import import_jobs
from datasets.models import Collection, ImportJob
from datasets.records import current
from leases.refusal import Conflict
from protocols.installed import install
from tests.datasets.declared.small import OBJECT, toml
from tests.datasets.importers.test_csv_files import CHOSEN, OWN, ROW
from tests.datasets.importing import confirmed, page_of, sent
from tests.factories import person

pytestmark = pytest.mark.django_db
TABLE = f"{OWN},note\n{ROW},=1+1\n".encode()
FERRIES = b'river,season,note,question,options,right,wrong\nAller,summer,n,q?,"[""a""]",A,A\n'
COLUMNS = {**CHOSEN.columns, "note": ""}


@pytest.fixture
def admin(client, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    client.force_login(person("olga", Role.ADMIN))
    return client


def asked(client, data=TABLE, name="table.csv", **fields):
    """The job of a file that is sent as CSV; its sender is asked for the columns."""
    answer = sent(client, data, name, **{"format": "csv", **fields})
    assert answer.status_code == 302, html.unescape(answer.content.decode())
    job = ImportJob.objects.first()
    assert job.waits_for_columns
    page = reverse("datasets:import_columns", args=[job.pk])
    assert client.get(answer.url).url == page
    return job, page


def posted(client, page, columns, delimiter="comma"):
    fields = {f"column-{at}": field for at, field in enumerate(columns.values())}
    return client.post(page, {**fields, "delimiter": delimiter})


def carried_out(job):
    import_jobs.carry_out(job.pk)
    job.refresh_from_db()
    return job


def text_of(answer):
    return " ".join(html.unescape(answer.content.decode()).split())


def test_columns_are_chosen_then_the_file_is_checked_then_imported(admin):
    job, page = asked(admin)
    shown = text_of(admin.get(page))
    assert "When was it built?" in shown
    assert "=1+1" in shown
    assert carried_out(job).waits_for_columns  # no worker takes it
    answer = posted(admin, page, COLUMNS)
    assert answer.url == reverse("datasets:import_job", args=[job.pk])
    assert carried_out(job).state == "checked"
    assert job.report["reported"] == ["column “note”: 1"]
    assert not Collection.objects.exists()
    confirmed(admin, job)
    assert carried_out(job).state == "done"
    [row] = current(Collection.objects.get(name="mills"))
    assert row.instances.get().answer_1 == "1850"
    assert admin.get(page).status_code == 302


def test_a_choice_that_gives_no_record_is_shown_again_as_it_was_made(admin):
    job, page = asked(admin)
    answer = posted(admin, page, {**COLUMNS, "a2": "", "note": "title"})
    assert answer.status_code == 400
    assert "No column is mapped to Answer of passage 2 (answer_2)" in text_of(answer)
    assert '<option value="title" selected>' in answer.content.decode()
    job.refresh_from_db()
    assert job.waits_for_columns


def test_after_the_report_the_columns_can_be_changed(admin):
    job, page = asked(admin)
    posted(admin, page, COLUMNS)
    assert "Change the columns" in page_of(admin, carried_out(job))
    assert '<option value="question" selected>' in admin.get(page).content.decode()
    posted(admin, page, {**COLUMNS, "note": "qa_comment"})
    assert carried_out(job).report["reported"] == []


def test_of_two_who_choose_the_same_columns_of_a_file_one_is_refused(admin, client):
    job, page = asked(admin)
    posted(admin, page, COLUMNS)
    client.force_login(person("oscar", Role.ADMIN))
    own, page = asked(client)
    posted(client, page, COLUMNS)
    assert "with these choices is under way already" in text_of(client.get(page))
    own.refresh_from_db()
    assert (own.state, own.waits_for_columns) == ("checked", True)
    assert carried_out(job).state == "checked"


def test_a_second_file_with_these_columns_is_proposed_the_same(admin):
    _job, page = asked(admin)
    posted(admin, page, COLUMNS)
    _, other = asked(admin, TABLE + f"{ROW},so\n".encode(), collection="others")
    shown = admin.get(other)
    assert "The choice is that of the last file with these columns" in text_of(shown)
    assert '<option value="passage_2_copied" selected>' in shown.content.decode()


def test_the_delimiter_is_found_shown_and_can_be_changed(admin):
    job, page = asked(admin, TABLE.replace(b",", b";").replace(b"q;", b"q,x;"))
    assert '<option value="semicolon" selected>' in admin.get(page).content.decode()
    shown = text_of(admin.get(f"{page}?delimiter=tab"))
    assert "q,x;p1;p2;a1;a2;note" in shown
    answer = admin.get(f"{page}?delimiter=pipe", follow=True)
    assert "There is no delimiter 'pipe'" in text_of(answer)
    columns = {"q,x": "question", **COLUMNS}
    del columns["q"]
    posted(admin, page, columns, "semicolon")
    assert carried_out(job).report["added"] == 1


def test_what_is_wrong_further_down_is_shown_with_the_rows_before_it(admin):
    job, page = asked(admin, TABLE + b'"never closed')
    shown = text_of(admin.get(page))
    assert "Line 3, column 1: a quotation mark is never closed" in shown
    assert "When was it built?" in shown
    assert "Check the file" not in shown
    posted(admin, page, COLUMNS)
    assert carried_out(job).state == "failed"
    assert "Line 3" in job.error


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "The file is empty"),
        (b"[]", "The file is JSON, not CSV"),
    ],
)
def test_a_file_without_columns_is_refused_when_it_is_sent(admin, data, says):
    answer = sent(admin, data, "table.csv", format="csv")
    assert answer.status_code == 400
    assert says in text_of(answer) or "The submitted file is empty" in text_of(answer)
    assert not ImportJob.objects.exists()


def test_a_csv_file_of_a_protocol_is_asked_for_its_columns_whatever_its_shape(admin):
    install(toml(), "ferries.toml")
    job, page = asked(admin, FERRIES, "ferries.csv", format="ferries")
    shown = admin.get(page).content.decode()
    assert '<option value="river" selected>' in shown
    assert "May be given" not in shown
    posted(admin, page, {name: name for name in FERRIES.decode().split("\n")[0].split(",")})
    assert carried_out(job).report["added"] == 1
    assert sent(admin, b"{}", "ferries.jsonl", format="ferries", collection="x").status_code == 302
    assert not ImportJob.objects.first().waits_for_columns


@pytest.mark.parametrize("name", ["ferries.csv", "FERRIES.TSV"])
def test_the_command_takes_a_csv_file_of_a_protocol_by_its_name(tmp_path, name):
    install(toml(), "ferries.toml")
    (tmp_path / name).write_bytes(FERRIES)
    call_command("import_dataset", "ferries", tmp_path / name, collection="mills")
    assert current(Collection.objects.get()).get().title == "Aller"


def test_the_command_proposes_no_column_in_silence_and_takes_no_option_of_another_format(tmp_path):
    install(toml(), "ferries.toml")
    file = tmp_path / "ferries.csv"
    file.write_bytes(FERRIES.replace(b"river,", b"water,"))
    with pytest.raises(CommandError, match=r"No column is mapped to River \(river\)"):
        call_command("import_dataset", "ferries", file, collection="mills")
    file = file.rename(tmp_path / "ferries.jsonl")
    with pytest.raises(CommandError, match="The option delimiter is for CSV"):
        call_command("import_dataset", "ferries", file, "--delimiter=tab", collection="mills")
    assert not Collection.objects.exists()


def test_named_columns_make_it_csv_whatever_its_name(admin, tmp_path):
    install(toml(), "ferries.toml")
    columns = {name: name for name in FERRIES.decode().split("\n")[0].split(",")}
    answer = import_by_program(admin, {"columns": columns}, FERRIES, "ferries", name="ferries.txt")
    assert answer.status_code == 202, answer.json()
    assert carried_out(ImportJob.objects.get()).report["added"] == 1
    (tmp_path / "ferries.txt").write_bytes(FERRIES)
    given = [f"--column={name}={name}" for name in columns]
    call_command("import_dataset", "ferries", tmp_path / "ferries.txt", *given, collection="others")
    assert current(Collection.objects.get(name="others")).count() == 1


def test_a_csv_file_of_a_protocol_whose_files_have_further_keys_is_refused_when_it_is_sent(admin):
    install(toml(OBJECT), "ferries.toml")
    answer = sent(admin, TABLE, "ferries.csv", format="ferries")
    assert answer.status_code == 400
    assert "has the keys canary, made beside its records" in text_of(answer)
    assert import_by_program(admin, {"columns": {}}, format="ferries").status_code == 400
    assert not ImportJob.objects.exists()


def test_columns_with_right_to_left_and_long_text_are_shortened_and_keep_their_direction(admin):
    _job, page = asked(admin, f"{OWN},ملاحظة\n{ROW},{'نص ' * 400}\n".encode())
    shown = admin.get(page).content.decode()
    assert '<label for="id_column-5" dir="auto">ملاحظة</label>' in shown
    assert f"{('نص ' * 400)[:120]}…" in shown
    assert "نص " * 41 not in shown


def test_an_import_without_chosen_columns_cannot_be_confirmed(admin):
    job, _ = asked(admin)
    answer = admin.get(confirmed(admin, job).url, follow=True)
    assert "Choose the columns first" in text_of(answer)
    assert '<span class="badge badge-warn">Choose columns</span>' in text_of(admin.get("/imports/"))


def test_a_report_is_confirmed_by_who_has_read_it(admin):
    """Not where the file was checked again meanwhile, in another window or by another sender."""
    job, page = asked(admin)
    posted(admin, page, COLUMNS)
    read = carried_out(job).same
    posted(admin, page, {**COLUMNS, "note": "qa_comment"})
    confirm = reverse("datasets:confirm_import", args=[job.pk])
    for given in ({"read": read}, {}):
        carried_out(job)
        answer = admin.post(confirm, given, follow=True)
        assert "the file was checked again, with other choices" in text_of(answer)
        assert carried_out(job).state == "checked"
    assert f'name="read" value="{job.same}"' in text_of(answer)
    for _ in range(2):  # a double click
        confirmed(admin, job)
    assert carried_out(job).state == "done"
    assert "the file was checked again" in text_of(admin.post(confirm, {"read": read}, follow=True))


def test_a_report_that_is_replaced_while_it_is_confirmed_is_not_imported(admin):
    job, page = asked(admin)
    posted(admin, page, COLUMNS)
    as_read = ImportJob.objects.get(pk=carried_out(job).pk)
    posted(admin, page, {**COLUMNS, "note": "qa_comment"})
    carried_out(job)
    with pytest.raises(Conflict, match="was checked again"):
        import_jobs.confirm(as_read)
    assert carried_out(job).state == "checked"


def test_columns_that_are_sent_too_late_are_said_not_to_be_taken(admin):
    job, page = asked(admin)
    posted(admin, page, COLUMNS)
    confirmed(admin, carried_out(job))
    answer = admin.post(page, {}, follow=True)
    assert "Your choice was not taken" in text_of(answer)


def test_a_second_click_on_check_the_file_says_nothing(admin):
    _job, page = asked(admin)
    posted(admin, page, COLUMNS)
    answer = posted(admin, page, COLUMNS)
    assert "not taken" not in text_of(admin.get(answer.url))


def test_columns_of_one_field_and_a_field_without_a_column_are_marked(admin):
    _job, page = asked(admin)
    shown = posted(admin, page, {**COLUMNS, "a2": "", "a1": "question"}).content.decode()
    assert shown.count("Question is chosen for several columns.") == 4
    assert shown.count('aria-invalid="true"') == 3
    assert 'href="#id_column-4"' in shown
    assert 'aria-describedby="id_column-4_error"' in shown
    assert 'id="id_column-4_error">No column is mapped to' in shown


def import_by_program(client, options, data=TABLE, format="csv", name="table.csv"):
    form = {"collection": "mills", "format": format, "options": json.dumps(options)}
    file = SimpleUploadedFile(name, data)
    return client.post(reverse("datasets:api_imports"), {**form, "file": file})


def test_a_program_is_told_what_is_proposed_and_what_is_missing(admin):
    answer = import_by_program(admin, {"columns": {"q": "question"}})
    assert answer.status_code == 400
    problem = answer.json()
    assert "No column is mapped to Answer of passage 1 (answer_1)" in json.dumps(
        problem, ensure_ascii=False
    )
    assert problem["details"]["missing"] == [
        "answer_1",
        "answer_2",
        "passage_1_copied",
        "passage_2_copied",
    ]
    assert problem["details"]["columns"] == dict.fromkeys(COLUMNS, "")
    assert not ImportJob.objects.exists()


def test_a_program_names_the_columns_and_is_proposed_them_the_next_time(admin):
    answer = import_by_program(admin, {"columns": CHOSEN.columns})
    assert answer.status_code == 202
    assert answer.json()["options"] == {"columns": COLUMNS, "delimiter": "comma"}
    assert carried_out(ImportJob.objects.get()).state == "done"
    again = import_by_program(admin, {})
    assert again.json()["details"]["columns"] == COLUMNS


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"columns": ["q"]}, "The option columns is an object"),
        ({"columns": {"q": 1}}, "The option columns is an object"),
        ({"delimiter": "|"}, "The option delimiter is one of comma, semicolon, tab"),
        ({"delimiter": 1}, "The option delimiter is one of comma, semicolon, tab"),
        ({"colums": {}}, "has no option 'colums'"),
        ({"columns": {"x": "question"}}, "The file has no column “x”"),
    ],
)
def test_options_that_are_none_are_refused(admin, options, says):
    given = {"columns": CHOSEN.columns, **options} if "colums" in options else options
    answer = import_by_program(admin, given)
    assert answer.status_code == 400
    assert says in json.dumps(answer.json(), ensure_ascii=False)
