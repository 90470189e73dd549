"""The labelling configuration of a Label Studio project with the study's controls. Pure."""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from datasets.labelstudio.controls import PSEUDONYM, SEEN, ControlKind, controls, kind_of_control
from datasets.schema import ANNOTATION_KEYS
from datasets.taxonomy import DIMENSIONS

_CHOICES = {key.key: key.values for key in ANNOTATION_KEYS if key.values}


def configuration(questions: int, *, with_pseudonym: bool = False) -> str:
    """The six steps as XML, with fields for this many questions (WikiContradict, Appendix A)."""
    view = Element("View")
    SubElement(view, "Header", value="$title")
    SubElement(view, "Text", name=SEEN, value="$paragraph_A")
    for name in controls(questions):
        SubElement(view, "Header", value=name, size="5")
        _add(view, name)
    if with_pseudonym:
        SubElement(view, "Header", value=PSEUDONYM, size="5")
        SubElement(view, "TextArea", name=PSEUDONYM, toName=SEEN, maxSubmissions="1")
    indent(view)
    return tostring(view, encoding="unicode") + "\n"


def _add(view: Element, name: str) -> None:
    kind, at = kind_of_control(name), {"name": name, "toName": SEEN}
    if kind is ControlKind.CHOICES:
        chosen = SubElement(view, "Choices", at, choice="single", showInLine="true")
        for value in _CHOICES[name]:
            SubElement(chosen, "Choice", value=value)
    elif kind is ControlKind.TAXONOMY:
        tree = SubElement(view, "Taxonomy", at)
        for dimension in DIMENSIONS:
            branch = SubElement(tree, "Choice", value=dimension.key)
            for option in dimension.options:
                SubElement(branch, "Choice", value=option.value)
    elif kind is ControlKind.RATING:
        SubElement(view, "Rating", at, maxRating="5")
    else:
        SubElement(view, "TextArea", at, editable="true", maxSubmissions="1")
