"""A record of the published file as entries of the form."""

from annotation.fields.steps import TYPE_FIELDS
from datasets.taxonomy import DIMENSIONS


def entries_of_record(record):
    """What the form would hold, had the published annotation been entered in it; confidence left out."""
    result = record["annotationResult"]
    entries = {
        "validity": result["wikitag_label_valid"],
        "valid_comment": result.get("valid_comment", ""),
        "same_passage": result.get("wikitag_label_samepassage", ""),
        "contradict_comment": result.get("contradict_comment", ""),
        "qa_comment": result.get("qa_comment", ""),
        "confidence": None,
    }
    for n, letter in ((1, "A"), (2, "B")):
        entries |= {
            f"article_{n}": result.get(f"paragraph{letter}_article", ""),
            f"passage_{n}_copied": result.get(f"paragraph{letter}_information", ""),
            f"passage_{n}_standalone": result.get(f"paragraph{letter}_information_standalone", ""),
            f"modality_{n}": "",
            f"statement_{n}": result.get(f"relevantInfo_comment_{letter}", ""),
            f"span_{n}": result.get(f"relevantInfo_comment_{letter}_Span", ""),
        }
    for name, dimension in zip(TYPE_FIELDS, DIMENSIONS, strict=True):
        entries[name] = [
            pair[1] for pair in result["taxonomy"] if pair[0] == dimension.key and len(pair) == 2
        ]
    entries["questions"] = [
        {
            "question": result[f"question{n}"],
            "answer_1": result.get(f"question{n}_answer1", ""),
            "answer_2": result.get(f"question{n}_answer2", ""),
            "derived_1": False,
            "derived_2": False,
        }
        for n in range(1, 11)
        if result.get(f"question{n}")
    ]
    return entries
