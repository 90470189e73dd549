"""What the access table sends to addresses that change something: a body that a right person gets through with.

With an empty one a form refuses everybody before the question comes up whose the thing is.
"""

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from annotation.guideline_text import PARTS
from datasets.releasing.publishing import digest_of
from generation.prompts import prompting
from judging.forms.rubric_form import RubricForm
from judging.rules import rubric
from tests.datasets.factories import record, text_of
from tests.factories import PASSWORD
from tests.judging import humanfile
from tests.protocols.factories import TEXT

# The braces of texts are of the world's names.
ESCAPED = TEXT.replace("{", "{{").replace("}", "}}")
NEW_PASSWORD = "an even longer way to Canossa"
CONTACT = "olga@example.org"
ROUND = {
    "reason": "Clearer criteria",
    "rubric": "{rubric}",
    "judges": ["{jane}", "{person}"],
}
VERDICT = {"verdict": "correct", "comment": "", "seconds": 3}

# What the form of the program's rubric begins with.
RUBRIC = {
    name: value
    for name, value in RubricForm(
        based_on=rubric.parse(rubric.content("wikicontradict")),
        text=rubric.content("wikicontradict"),
        asked=prompting.prompts(),
    ).initial.items()
    if value
}

PROMPT = {
    "name": "cautious",
    "label": "C1",
    "title": "A cautious reader",
    "template": "Answer with care. {{question}}",
}

# (method, address): fields of the form or of the JSON. Braces are filled in as in the addresses.
BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/sign-in/"): {"username": "none", "password": PASSWORD},
    ("POST", "/sign-in/code/"): {"code": "123456"},
    ("POST", "{join}"): {"username": "joan", "name": "Joan", "password": NEW_PASSWORD},
    ("POST", "{password}"): {"password": NEW_PASSWORD},
    ("POST", "/account/"): {"name": "Another Name"},
    ("POST", "/account/password/"): {"current_password": PASSWORD, "new_password": NEW_PASSWORD},
    ("POST", "/account/sessions/end/"): {"session": "{session}"},
    ("POST", "/account/tokens/"): {
        "name": "notebook",
        "scopes": "read",
        "days": 90,
        "current_password": PASSWORD,
    },
    ("POST", "/account/institution/"): {"current_password": PASSWORD},
    ("POST", "/account/institution/remove/"): {"current_password": PASSWORD},
    ("POST", "/account/second-factor/"): {"current_password": PASSWORD},
    ("POST", "/account/second-factor/confirm/"): {"code": "123456"},
    ("POST", "/account/second-factor/remove/"): {"current_password": PASSWORD},
    ("POST", "/people/{person}/"): {"roles": ["judge", "adjudicator"]},
    ("POST", "/people/{person}/active/"): {"active": "no"},
    ("POST", "/people/{person}/forget/"): {"username": "carl"},
    ("POST", "/invitations/"): {"people": "Joan", "roles": ["judge"]},
    ("POST", "/annotate/show/"): {"tags": "{tag}", "next": "/collections/mills/"},
    ("POST", "/campaigns/{campaign}/seen/"): {"lets": "yes"},
    ("POST", "/annotate/{place}/other-article/"): {"asked_article": "Kettle Mill"},
    ("POST", "/campaigns/guideline/edit/"): {
        **dict.fromkeys(PARTS, "Read."),
        "base": "{guideline}",
        "action": "save",
    },
    ("POST", "/fetches/new/"): {"source": "titles", "titles": "Old Mill", "contact": CONTACT},
    ("POST", "/collections/new/import/"): {
        "collection": "weirs",
        "format": "wikicontradict",
        "file": text_of(record()),
    },
    ("POST", "/protocols/check/"): {"file": TEXT.encode()},
    ("POST", "/protocols/install/"): {"file": TEXT.encode()},
    ("POST", "/collections/watermills/protocol/"): {"version": "2"},
    ("POST", "/collections/mills/releases/"): {"version": "2.0", "notes": ""},
    ("POST", "/collections/mills/releases/1.0/publish/"): {"name": "", "read": digest_of([])},
    ("POST", "/collections/mills/releases/1.0/responses/"): {"file": b"{}"},
    ("POST", "/collections/mills/releases/1.1/withdraw/"): {"reason": "An error."},
    ("POST", "/reports/snapshots/{shown}/unpublish/"): {"reason": "An error."},
    ("POST", "/collections/mills/description/"): {"title": "Mills", "language": "en"},
    ("POST", "/collections/mills/releases/1.0/amend/"): {
        "doi": "10.5281/zenodo.1",
        "erratum": "One.",
    },
    ("POST", "/collections/weirs/exclusions/"): {"act": "confirm", "chosen": "{proposal}"},
    ("POST", "/contradictions/{contradiction}/questions/1/exclusion/"): {
        "act": "exclude",
        "reason": "No contradiction.",
    },
    ("POST", "/contradictions/{hidden_question}/questions/1/exclusion/"): {
        "act": "exclude",
        "reason": "No contradiction.",
    },
    ("POST", "/contradictions/{excluded}/questions/1/exclusion/"): {
        "act": "undo",
        "exclusion": "{exclusion}",
        "reason": "It is one.",
    },
    ("POST", "/contradictions/{contradiction}/questions/1/revised/"): {
        "act": "write",
        "passage_1": "The Old Mill was built in 1803.",
        "passage_2": "Begun in 1803, the Old Mill ",
        "answer": "1803",
    },
    ("POST", "/contradictions/{written}/questions/1/revised/"): {
        "act": "withdraw",
        "revision": "{revision}",
    },
    ("POST", "/contradictions/{to_check}/questions/1/revised/"): {
        "act": "accept",
        "revision": "{revision_to_check}",
    },
    ("POST", "/annotate/next/"): {"campaign": "{campaign}"},
    ("POST", "/annotate/{place}/"): {"version": "{version}", "action": "save", "step": "tag"},
    ("POST", "/campaigns/new/"): {
        "name": "More mills",
        "collection": "more-mills",
        "people_per_tag": "1",
        "double_share": "1",
        "most_in_hand": "3",
        "seed": "1",
    },
    ("POST", "/campaigns/{campaign}/assignments/"): {
        "action": "extend",
        "days": "7",
        "assignment": "{free}",
    },
    ("POST", "/campaigns/{campaign}/limits/"): {"most_in_hand": "3"},
    ("POST", "/campaigns/{campaign}/people/"): {"person": "{anna}"},
    ("POST", "/reviews/{campaign}/1/{submitted}/"): {
        "decision": "accept",
        "{submitted_field}": "{version_submitted}",
    },
    ("POST", "/reviews/{campaign}/1/{own}/"): {
        "decision": "accept",
        "{own_field}": "{version_own}",
    },
    ("POST", "/reviews/{campaign}/1/{begun}/"): {"decision": "accept"},
    ("POST", "/models/new/"): {
        "service": "local",
        "model_id": "emu-1b",
        "temperature": "0",
        "max_tokens": "100",
        "system_message": "empty",
    },
    ("POST", "/prompts/new/"): PROMPT,
    ("POST", "/prompts/passage-1/edit/"): {**PROMPT, "newest": "{prompt_mark}"},
    ("POST", "/runs/new/"): {
        "collection": "{collection}",
        "language_models": ["{local_model}"],
        "prompts": ["both-passages"],
        "samples": "1",
    },
    ("POST", "/runs/{run}/more/"): {"language_models": ["{local_model}"]},
    ("POST", "/runs/{hidden}/more/"): {"language_models": ["{local_model}"]},
    ("POST", "/models/{local_model}/marks/"): {"marks": ""},
    ("POST", "/models/{local_model}/prices/"): {"price_read": "1", "price_written": "2"},
    ("POST", "/runs/{run}/cap/"): {"cost_cap": ""},
    ("POST", "/runs/{hidden}/cap/"): {"cost_cap": ""},
    ("POST", "/studies/new/"): {
        "name": "Another study",
        "runs": ["{hidden}"],
        "judges_per_response": "2",
        "resolved_by": "third_person",
        "order": "grouped",
        "pairing": "rotation",
        "rubric": "{rubric}",
    },
    ("POST", "/studies/rubrics/{rubric}/edit/"): RUBRIC,
    ("POST", "/studies/judge-prompts/1/edit/"): {
        "title": "Shorter",
        "template": "{{Question}} {{Answer1}} | {{Answer2}} {{LLM response}} evaluation:",
    },
    ("POST", "/collections/mills/subsets/new/"): {"name": "Few", "seed": "7", "of:": "1"},
    ("POST", "/studies/import/"): {
        "name": "Judged elsewhere",
        "file": json.dumps(humanfile.data()).encode(),
    },
    ("POST", "/studies/{draft_study}/open/"): {"judges": ["{jane}", "{person}"]},
    ("POST", "/studies/{draft_study}/plan/"): {"judges": ["{jane}", "{person}"]},
    ("POST", "/studies/{draft_study}/warm-up/"): {"source": "{closed}", "number": "0"},
    ("POST", "/studies/{closed}/reopen/"): {"reason": "Closed by mistake"},
    ("POST", "/studies/{closed}/rounds/again/"): {**ROUND, "counts": "yes"},
    ("POST", "/studies/{closed}/rounds/added/"): {
        **ROUND,
        "runs": ["{run}"],
        "anchor_percent": "20",
    },
    ("POST", "/judge/{open}/warm-up/1/"): {"verdict": "correct"},
    ("POST", "/studies/{open}/judges/"): {"judge": "{jane}"},
    ("POST", "/studies/{open}/models/"): {
        "language_model": "{local_model}",
        "prompts": ["both-passages"],
        "judge_prompt": "{judge_prompt}",
    },
    ("POST", "/studies/{closed}/models/"): {
        "language_model": "{local_model}",
        "prompts": ["both-passages"],
        "judge_prompt": "{judge_prompt}",
    },
    ("POST", "/judge/slots/{slot}/"): VERDICT,
    ("POST", "/judge/slots/{slot}/skip/"): {"reason": "The text is cut off."},
    ("POST", "/judge/slots/{slot}/flag/"): {"flag_note": "The text is cut off."},
    ("POST", "/judge/discussions/{discussed}/"): {
        "act": "propose",
        "version": "1",
        "verdict": "correct",
        "cause": "slip",
    },
    ("POST", "/resolve/items/{item}/"): {"verdict": "correct", "cause": "slip"},
    ("POST", "/resolve/items/{open_item}/"): {"verdict": "correct", "cause": "slip"},
    ("POST", "/reports/{closed}/freeze/"): {"note": "Before the talk"},
    ("POST", "/reports/{open}/freeze/"): {"note": "Before the talk"},
    ("POST", "/writing/new/brooks/"): {"form": "notes"},
    ("POST", "/writing/entries/{entry}/"): {"version": "0", "action": "save"},
    ("POST", "/writing/entries/{entry_to_check}/check/"): {"version": "1", "act": "check"},
    ("PATCH", "/api/entries/{entry}/"): {"entries": {}},
    ("POST", "/agreement/"): {"pasted": "item,rater,label\n1,alice,yes\n1,bob,no\n", "seed": "0"},
    ("POST", "/reports/snapshots/{snapshot}/publish/"): {"authors": "Rosa"},
    ("POST", "/annotate/{published_place}/accepted/"): {"answer": "Thank you."},
    ("POST", "/api/fetches/"): {"source": "titles", "titles": ["Old Mill"], "contact": CONTACT},
    ("POST", "/api/assignments/next/"): {},
    ("POST", "/api/assignments/{place}/skip/"): {"reason": "Greek"},
    ("POST", "/api/shown/"): {"tags": "{tag}", "next": "/collections/mills/"},
    ("POST", "/api/drafts/{draft}/flag/"): {"flagged": True, "note": "Greek"},
    ("POST", "/api/drafts/{draft}/submit/"): {
        "entries": {"validity": "Invalid", "valid_comment": "Corrected since."}
    },
    ("PATCH", "/api/drafts/{draft}/"): {"entries": {}, "step": "tag", "seconds": 1},
    ("POST", "/api/studies/{open}/next/"): {},
    ("POST", "/api/slots/{slot}/verdict/"): VERDICT,
    ("POST", "/api/slots/{slot}/skip/"): {"reason": "The text is cut off."},
    ("POST", "/api/slots/{slot}/flag/"): {"flagged": True, "note": "Cut off."},
    ("POST", "/api/collections/mills/releases/"): {"version": "2.0"},
    ("POST", "/api/imports/"): {
        "collection": "more-mills",
        "format": "wikicontradict",
        "file": b"[]",
    },
    ("POST", "/api/protocols/"): {"text": ESCAPED},
    ("POST", "/api/protocols/check/"): {"text": ESCAPED},
    ("POST", "/api/runs/"): {
        "collection": "mills",
        "models": ["{local_model}"],
        "prompts": ["both-passages"],
    },
}

# The address says everything: there is no form to refuse an empty body.
NO_FIELDS = {
    "/studies/{closed}/discussions/leave/",
    "/sign-out/",
    "/account/tokens/{own_token}/revoke/",
    "/people/{person}/tokens/{token}/revoke/",
    "/people/{person}/work/",
    "/people/{person}/password-link/",
    "/people/{person}/second-factor/remove/",
    "/people/{person}/institution/remove/",
    "/invitations/{invitation}/withdraw/",
    "/collections/mills/freezing/3.0/cancel/",
    "/fetches/{fetch}/cancel/",
    "/annotate/drafts/{handed_back}/take-up/",
    "/annotate/drafts/{handed_back}/undo/",
    "/campaigns/{campaign}/guideline/",
    "/campaigns/{campaign}/publish/",
    "/campaigns/{campaign}/close/",
    "/campaigns/{campaign}/reopen/",
    "/campaigns/{campaign}/main-round/",
    "/campaigns/{campaign}/people/{aron}/remove/",
    "/reviews/{decision}/take-back/",
    "/models/{model}/test/",
    "/protocols/conflictbank/1/install/",
    "/protocols/mills/2/remove/",
    "/prompts/passage-1/remove/",
    "/runs/{run}/resume/",
    "/runs/{hidden}/resume/",
    "/studies/{draft_study}/discard/",
    "/studies/{open}/close/",
    "/studies/{open}/judges/{judge}/remove/",
    "/studies/{closed}/models/{machine}/cancel/",
    "/studies/{closed}/models/{machine}/resume/",
    "/judge/{open}/draw/",
    "/judge/{open}/hand-back/",
    "/judge/slots/{slot}/coming/",
    "/judge/{open}/undo/",
    "/judge/{open}/hand-in/",
    "/collections/mills/releases/1.1/delete-files/",
    "/writing/{writing}/take/",
    "/writing/{writing}/close/",
    "/writing/{closed_writing}/reopen/",
    "/writing/entries/{given_up}/take-up/",
    "/api/slots/{slot}/undo/",
    "/api/drafts/{draft}/undo/",
    "/api/drafts/{handed_back}/take-up/",
    "/api/assignments/{place}/hand-back/",
    "/api/studies/{open}/hand-back/",
    "/api/studies/{open}/hand-in/",
    "/api/runs/{run}/start/",
    "/api/runs/{hidden}/start/",
    "/api/runs/{run}/stop/",
    "/api/runs/{hidden}/stop/",
    "/imports/{import}/annotators/",
    "/imports/{import}/columns/",
    "/imports/{import}/confirm/",
    "/imports/{import}/controls/",
    "/imports/{import}/discard/",
    "/imports/{import}/undo/",
    "/api/imports/{import}/confirm/",
    "/api/imports/{import}/discard/",
    "/api/imports/{import}/undo/",
}

# Nobody gets through with this body, for a reason that is not in it.
NOBODY = {
    "/account/second-factor/confirm/": "asks for a secret that an earlier request shows",
    "/studies/{closed}/reopen/": "every item of the study was judged",
    "/studies/{closed}/rounds/added/": "the study has all responses of the run",
    "/account/second-factor/remove/": "nobody of the table has a second factor",
    "/reviews/{campaign}/1/{begun}/": "a draft is not to be reviewed",
    "/resolve/items/{open_item}/": "its judges have not finished",
    "/api/studies/{open}/next/": "the warm-up comes first",
}


def body_of(method: str, path: str, world: dict[str, Any]) -> dict[str, Any]:
    """Arguments of Client.generic for one row of the table."""
    if method in ("GET", "HEAD"):
        return {}
    body = BODIES.get((method, path), {})
    fields = {filled(name, world): filled(value, world) for name, value in body.items()}
    is_upload = any(isinstance(value, bytes) for value in body.values())
    if path.startswith("/api/") and not is_upload:
        version = world["version"] if method == "PATCH" else 0
        return {
            "data": json.dumps(fields),
            "content_type": "application/json",
            "headers": {"If-Match": f'"{version}"'},
        }
    return {"data": encode_multipart(BOUNDARY, fields), "content_type": MULTIPART_CONTENT}


def filled(value: Any, world: dict[str, Any]) -> Any:
    if isinstance(value, bytes):
        return SimpleUploadedFile("a.json", value)
    if isinstance(value, list):
        return [filled(one, world) for one in value]
    return value.format_map(world) if isinstance(value, str) else value
