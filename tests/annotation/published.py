"""A record of the published file as entries of the form."""

from annotation.steps import TYPE_FIELDS
from datasets.taxonomy import DIMENSIONS


def entries_of_record(record):
    """What the form would hold, had the published annotation been entered in it; confidence left out."""
    said = record["annotationResult"]
    entries = {
        "validity": said["wikitag_label_valid"],
        "valid_comment": said.get("valid_comment", ""),
        "same_passage": said.get("wikitag_label_samepassage", ""),
        "contradict_comment": said.get("contradict_comment", ""),
        "qa_comment": said.get("qa_comment", ""),
        "confidence": None,
    }
    for n, letter in ((1, "A"), (2, "B")):
        entries |= {
            f"article_{n}": said.get(f"paragraph{letter}_article", ""),
            f"passage_{n}_copied": said.get(f"paragraph{letter}_information", ""),
            f"passage_{n}_standalone": said.get(f"paragraph{letter}_information_standalone", ""),
            f"modality_{n}": "",
            f"statement_{n}": said.get(f"relevantInfo_comment_{letter}", ""),
            f"span_{n}": said.get(f"relevantInfo_comment_{letter}_Span", ""),
        }
    for name, dimension in zip(TYPE_FIELDS, DIMENSIONS, strict=True):
        entries[name] = [
            pair[1] for pair in said["taxonomy"] if pair[0] == dimension.key and len(pair) == 2
        ]
    entries["questions"] = [
        {
            "question": said[f"question{n}"],
            "answer_1": said.get(f"question{n}_answer1", ""),
            "answer_2": said.get(f"question{n}_answer2", ""),
            "derived_1": False,
            "derived_2": False,
        }
        for n in range(1, 11)
        if said.get(f"question{n}")
    ]
    return entries
