"""Accessibility rules, run by axe inside a page."""

from axe_core_python.base import AXE_SCRIPT

OPTIONS = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    },
    # Only these come back whole: what a large page has passed is most of the work.
    "resultTypes": ["violations"],
}
# What another colour scheme can change.
OF_COLOURS = {**OPTIONS, "runOnly": ["color-contrast", "link-in-text-block"]}


def violations(page, options: dict = OPTIONS) -> list[str]:
    """What axe reports of levels A and AA on the page as it is shown, each as "rule: element"."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate("options => axe.run(options).then(all => all.violations)", options)
    return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]
