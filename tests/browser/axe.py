"""Accessibility rules, run by axe inside a page."""

from axe_core_python.base import AXE_SCRIPT

_OF_COLOURS = ("color-contrast", "link-in-text-block")
_OPTIONS = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    },
    "rules": {name: {"enabled": False} for name in _OF_COLOURS},
    # Only these come back whole: what a large page has passed is most of the work.
    "resultTypes": ["violations"],
}
_COLOURS = {"runOnly": list(_OF_COLOURS), "resultTypes": ["violations"]}

# A contrast follows from the styles of a text and of all that it is in. In a long table thousands are alike, and axe
# takes seconds for them; three of each kind show the same.
_RUN = """async ([options, colours]) => {
  const kinds = new Map(), ofElement = new Map(), counts = [];
  const kind = (element) => {
    if (!element) return -1;
    if (!ofElement.has(element)) {
      const style = getComputedStyle(element);
      const key = [
        kind(element.parentElement), element.localName, element.className,
        element.matches(":disabled, [aria-disabled=true]"), style.position, style.color, style.backgroundColor,
        style.backgroundImage, style.opacity, style.fontSize, style.fontWeight, style.textShadow, style.textDecoration,
      ].join(";");
      if (!kinds.has(key)) kinds.set(key, kinds.size);
      ofElement.set(element, kinds.get(key));
    }
    return ofElement.get(element);
  };
  const hasText = (element) =>
    element.matches("input, select, textarea, button")
    || [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const few = [...document.body.querySelectorAll("*")].filter((element) => {
    if (!hasText(element) || !element.checkVisibility({ visibilityProperty: true })) return false;
    counts[kind(element)] = (counts[kind(element)] ?? 0) + 1;
    return counts[kind(element)] <= 3;
  });
  const found = options ? (await axe.run(options)).violations : [];
  return [...found, ...(await axe.run({ include: few }, colours)).violations];
}"""


def violations(page, *, only_colours: bool = False) -> list[str]:
    """What axe reports of levels A and AA on the page as it is shown, each as "rule: element".

    `only_colours`: by the rules that another colour scheme can break.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(_RUN, [None if only_colours else _OPTIONS, _COLOURS])
    return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]
