import pytest
from django.core.management import CommandError, call_command

from generation.models import Run
from tests.generation.elsewhere.factories import file_of, instances_of, line, released

pytestmark = pytest.mark.django_db


def test_a_file_is_checked_and_imported(tmp_path, capsys):
    release, path = released(), tmp_path / "responses.jsonl"
    first, second, _ = instances_of(release)
    path.write_bytes(file_of(line(first), line(second, prompt_sha256=None)).read())
    said = [
        "responses 2", "to questions 2", "not verified: without sha256 1", "not verified: another sha256 0",
        "held: may have markup in it 0", "without a text 0",
        "broken off by the service 0", "2 lab/llm-7b {}",
    ]  # fmt: skip
    for check in (True, False):
        call_command("import_responses", path, release=["canals", "1.0"], name="Lab", check=check)
        heading, *rest = [" ".join(row.split()) for row in capsys.readouterr().out.splitlines()]
        assert heading == (
            "Nothing is stored. The file has:" if check else f"Run {Run.objects.get().pk}, Lab"
        )
        assert rest == said
    path.write_bytes(b"{}")
    with pytest.raises(CommandError, match="line 1: it has no model"):
        call_command("import_responses", path, release=["canals", "1.0"])
    with pytest.raises(CommandError):
        call_command("import_responses", tmp_path / "no", release=["canals", "1.0"])
