"""The schema is made from the operations, and the page from the schema."""

import re
from pathlib import Path

import pytest
from django.utils.html import escape
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from pytest_django.asserts import assertContains

from accounts.roles import Role
from pages.rest import documentation
from pages.rest.schema import ALWAYS, WHY
from tests.factories import person

CODE = re.compile(r'code="(\w+)"')

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(settings):
    settings.ROOT_URLCONF = "tests.pages.rest.urls"
    return SchemaGenerator().get_schema(request=None, public=True)


def test_the_schema_of_the_program_is_valid_and_nothing_in_it_is_guessed():
    GENERATOR_STATS.reset()
    whole = SchemaGenerator().get_schema(request=None, public=True)
    validate_schema(whole)
    assert not GENERATOR_STATS._warn_cache
    assert not GENERATOR_STATS._error_cache


def test_an_operation_says_what_it_takes_and_all_that_it_answers(made):
    listing, making = made["paths"]["/api/mills/"]["get"], made["paths"]["/api/mills/"]["post"]
    assert (listing["operationId"], making["operationId"]) == ("mills_list", "mills_make")
    query = {each["name"]: each["schema"] for each in listing["parameters"]}
    assert query["page_size"] == {"type": "integer", "minimum": 1, "maximum": 50}
    assert query["source"] == {"type": "string", "enum": ["sun", "wind"]}
    assert (
        making["description"]
        == "Make one.\n\nIt turns.\n\nScope: export. Roles: researcher, admin."
    )
    assert set(listing["responses"]) == {"200", *map(str, ALWAYS)}
    assert set(making["responses"]) == {"201", "409", "413", "415", "422", *map(str, ALWAYS)}
    removing = made["paths"]["/api/mills/{name}/"]["delete"]["responses"]
    assert set(removing) == {"204", "404", "412", "428", *map(str, ALWAYS)}
    assert made["paths"]["/api/mills/{name}/"]["get"]["responses"]["304"]
    assert {"token": []} in listing["security"]
    assert made["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_a_page_of_a_list_is_described_as_it_is(made):
    page = made["components"]["schemas"]["MillOutPage"]
    assert page["properties"]["results"]["type"] == "array"
    assert page["properties"]["next"]["nullable"]
    assert page["required"] == ["next", "results"]


def test_a_file_is_described_by_its_type(made):
    answers = made["paths"]["/api/mills.csv/"]["get"]["responses"]
    assert answers["200"]["content"] == {
        "text/csv": {"schema": {"type": "string", "format": "binary"}}
    }
    assert "406" not in answers


def test_the_page_shows_every_operation_with_its_fields(client, settings, made, monkeypatch):
    settings.ROOT_URLCONF = "tests.pages.rest.urls"
    monkeypatch.setattr(documentation, "schema", lambda: made)
    client.force_login(person("rosa", Role.RESEARCHER))
    page = client.get("/programs/")
    for _, one in documentation.shown_operations(made):
        # Inside the fold, which a link to it then opens without a script.
        assertContains(page, f'</summary>\n    <div id="{one.name}"')
        assertContains(page, f'href="#{one.name}"')
    assertContains(page, "A mill as others see it.")
    assertContains(page, "string or null")
    for why in WHY.values():
        assertContains(page, escape(why), count=1)
    assertContains(page, "inner.year")
    assertContains(page, "results[].name")
    assertContains(page, "Scope manage; admin.")
    assertContains(page, "one of sun, wind")


def test_the_schema_takes_no_parameter(client):
    client.force_login(person("rosa", Role.RESEARCHER))
    assert client.get("/api/schema.json?format=yaml").status_code == 400
    assert client.get("/api/schema.json").json()["openapi"].startswith("3.")


def test_every_code_of_a_refusal_is_documented():
    root = Path(__file__).parents[3]
    documented = (root / "docs" / "api.md").read_text()
    places = ("*/api/*.py", "pages/**/*.py", "accounts/tokens/*.py", "leases/*.py")
    sources = [path for place in places for path in root.glob(place)]
    codes = {code for path in sources for code in CODE.findall(path.read_text())}
    assert len(codes) > 8
    assert not {code for code in codes - {"csrf"} if f"`{code}`" not in documented}
