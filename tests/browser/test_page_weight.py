"""What the annotate page costs to load: its requests before one can type, the bytes of its scripts and styles.

The live server gives out collected files, as people get them. Counted with an empty cache.
"""

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from playwright.sync_api import expect

from annotation.models import Annotation
from tests.annotation import factories as make
from tests.browser.conftest import sign_in

pytestmark = pytest.mark.django_db(transaction=True)

MOST_REQUESTS = 12
MOST_BYTES = 120_000
# With the first search, with a conflict; once the tag is called valid.
ON_DEMAND = (
    "elements/article-search", "elements/comparison", "elements/writing-aids", "elements/answer-offers",
    "elements/span-picker", "spans", "elements/standalone-editor", "standalone",
)  # fmt: skip

# What the page had asked for when its script made it writable; the page's own request is not among them.
NOTE_REQUESTS = """
new MutationObserver((_, observer) => {
  if (!document.querySelector("annotate-desk[data-writable]")) return;
  window.askedFor = performance.getEntriesByType("resource").map(({ name }) => name);
  observer.disconnect();
}).observe(document, { subtree: true, childList: true, attributeFilter: ["data-writable"] });
"""


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def answers(page, alice):
    """The answers of everything that the page of a tag asks for, in order."""
    sign_in(page, alice)
    page.add_init_script(NOTE_REQUESTS)
    found = []
    page.on("response", lambda answer: found.append(answer))
    page.goto(f"/annotate/{make.draft(alice).assignment_id}/")
    expect(page.locator("[data-ready]")).to_be_attached()
    return found


def test_few_requests_come_before_one_can_type(answers, page, capsys):
    before = {answers[0].url, *page.evaluate("window.askedFor")}
    with capsys.disabled():
        print(f"\n{len(before)} requests before one can type, {len(answers)} in all")
    assert len(before) <= MOST_REQUESTS, before


def test_scripts_and_styles_are_small(answers, capsys):
    sizes = {
        kind: sum(len(each.body()) for each in answers if each.request.resource_type == kind)
        for kind in ("script", "stylesheet")
    }
    on_demand = sum(
        staticfiles_storage.size(staticfiles_storage.stored_name(f"js/annotation/{name}.js"))
        for name in ON_DEMAND
    )
    with capsys.disabled():
        print(
            f"\n{sizes['script']} bytes of script, {sizes['stylesheet']} of style, uncompressed; "
            f"{on_demand} more with a search, a conflict and a valid tag"
        )
    assert sum(sizes.values()) <= MOST_BYTES


def test_they_are_compressed_and_kept_by_the_browser(answers):
    files = [each for each in answers if each.request.resource_type in ("script", "stylesheet")]
    assert len(files) > MOST_REQUESTS
    for answer in files:
        assert "immutable" in answer.headers["cache-control"], answer.url
        assert len(answer.body()) < 1000 or answer.headers["content-encoding"] == "br", answer.url


def test_without_what_comes_later_one_can_still_write_and_the_page_says_so(page, alice, watch):
    watch.expect("net::ERR_FAILED")
    sign_in(page, alice)
    page.route("**/aids.*.js", lambda route: route.abort())
    page.goto(f"/annotate/{make.draft(alice).assignment_id}/")
    expect(page.get_by_text("Part of this page has not loaded.")).to_be_visible()
    with page.expect_response("**/api/drafts/**"):
        page.get_by_label("Comment").first.fill("Kept all the same.")
    assert Annotation.objects.get().valid_comment == "Kept all the same."
