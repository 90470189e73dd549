"""What leaves the server as a file: named as one, read as nothing else, and never a file that was brought in."""

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.roles import Role
from tests.factories import person
from tests.test_access_table import rows, signed_in, world  # noqa: F401 a fixture

pytestmark = pytest.mark.django_db

# What a browser shows without running any of it, and this program has written.
SHOWN = {"application/json", "application/vnd.oai.openapi+json", "image/svg+xml", "image/png"}


def test_what_is_no_page_is_shown_as_data_or_comes_as_a_file(world):  # noqa: F811
    client, files = signed_in(world, "max"), 0
    for method, path, expected in rows():
        if method != "GET" or expected["max"] != 200:
            continue
        answer = client.get(path.format(**world))
        kind = answer["Content-Type"].partition(";")[0]
        assert answer["X-Content-Type-Options"] == "nosniff", path
        if kind != "text/html" and kind not in SHOWN:
            files += 1
            assert answer["Content-Disposition"].startswith("attachment"), path
        b"".join(answer)
    assert files >= 5


def test_an_upload_is_kept_under_a_name_of_ours_and_no_address_leads_to_it(client):
    client.force_login(person("olga", Role.ADMIN))
    page = SimpleUploadedFile("../../evil.html", b"<script>a()</script>", "text/html")
    answer = client.post(reverse("wikifetch:new_fetch"), {"source": "xml", "file": page})
    assert answer.status_code == 400
    assert "evil.html" not in str(list(settings.DATA_DIR.rglob("*.html")))
    for path in ("/uploads/evil.html", "/static/../uploads/evil.html", "/files/evil.html"):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/static/../secret_key",
        "/static/%2e%2e/secret_key",
        "/static/..%2fsecret_key",
        "/static/css/../../../secret_key",
        "/static//etc/passwd",
        "/static/%2fetc/passwd",
    ],
)
def test_no_address_leads_out_of_the_folder_of_styles_and_scripts(client, path):
    (settings.DATA_DIR / "secret_key").write_text("x" * 60)
    inside = client.get("/static/css/app.css")
    assert inside.status_code == 200
    b"".join(inside)  # to its end, which closes it
    answer = client.get(path)
    assert answer.status_code in (400, 404)
    assert b"xxx" not in answer.content
