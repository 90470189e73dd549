"""Accessibility rules, run by axe inside a page."""

import json

from axe_core_python.base import AXE_SCRIPT

_OF_COLOURS = ("color-contrast", "link-in-text-block")
_OPTIONS = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    },
    "rules": {
        **{name: {"enabled": False} for name in _OF_COLOURS},
        # Of no level: a screen reader lists landmarks by name.
        "landmark-unique": {"enabled": True},
    },
    # Only these come back whole: what a large page has passed is most of the work.
    "resultTypes": ["violations"],
}
_COLOURS = {"runOnly": list(_OF_COLOURS), "resultTypes": ["violations"]}

# A contrast follows from the styles of a text and of all that it is in. Thousands are alike, in a long table and from
# page to page, and axe takes seconds for them: three of each kind show the same. A kind is a hash of these styles.
_RUN = """async ([options, colours, checked]) => {
  const ofElement = new Map(), before = JSON.parse(checked), counts = {};
  const hash = (text) => {
    let [a, b] = [1, 2];
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      [a, b] = [Math.imul(a ^ code, 16777619), Math.imul(b ^ code, 2246822519)];
    }
    return `${a},${b}`;
  };
  const kind = (element) => {
    if (!element) return "";
    if (!ofElement.has(element)) {
      const style = getComputedStyle(element);
      ofElement.set(element, hash([
        kind(element.parentElement), element.localName, element.className,
        element.matches(":disabled, [aria-disabled=true]"), style.position, style.color, style.backgroundColor,
        style.backgroundImage, style.opacity, style.fontSize, style.fontWeight, style.textShadow, style.textDecoration,
      ].join(";")));
    }
    return ofElement.get(element);
  };
  const hasText = (element) =>
    element.matches("input, select, textarea, button")
    || [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const few = [...document.body.querySelectorAll("*")].filter((element) => {
    if (!hasText(element) || !element.checkVisibility({ visibilityProperty: true })) return false;
    const its = kind(element);
    counts[its] = (counts[its] ?? before[its] ?? 0) + 1;
    return counts[its] <= 3;
  });
  const structure = options ? (await axe.run(options)).violations : [];
  const contrast = few.length ? (await axe.run({ include: few }, colours)).violations : [];
  return [structure, contrast, JSON.stringify(counts)];
}"""
_checked: dict[str, int] = {}


def violations(page, *, only_colours: bool = False) -> list[str]:
    """What axe reports of levels A and AA, and of landmarks, on the page as it is shown, each as "rule: element".

    `only_colours`: by the rules that another colour scheme can break.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = None if only_colours else _OPTIONS
    structure, contrast, counts = page.evaluate(_RUN, [options, _COLOURS, json.dumps(_checked)])
    if not contrast:
        _checked.update(json.loads(counts))
    found = [*structure, *contrast]
    return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]
