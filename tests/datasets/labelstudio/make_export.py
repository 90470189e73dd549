"""Make the JSON files of this folder with a real Label Studio; they were made with 1.23.2.

    python3 -m venv /tmp/ls && /tmp/ls/bin/pip install label-studio
    export DJANGO_SETTINGS_MODULE=tests.settings
    .venv/bin/python manage.py shell -c "from tests.datasets.labelstudio.make_export import main; main('/tmp/ls')"

Twelve tasks with our own texts under the labelling configuration of configuration.py, two annotators. Both annotate
ten; in the last of these the second cancels. Both skip the eleventh, and nobody opens the twelfth. Of the first, the
second annotation is the ground truth. returned.json is what Label Studio gives back of the file that the app writes of
a collection; campaign.json is what it writes of a campaign, and campaign-returned.json and -min.json what comes back.
"""

import copy
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from django.db import connection

from annotation.exporting.labelstudio_tasks import labelling, task_list
from annotation.models import Campaign
from annotation.workflow import claiming
from bench.peers.label_studio import PASSWORD, PeersBrowser, served
from datasets.exporters.labelstudio import LabelStudioJson
from datasets.labelstudio.configuration import configuration
from datasets.labelstudio.tasks import data_of, results_of
from datasets.streaming import StreamedRow
from tests.annotation import factories as make

HERE = Path(__file__).parent
TEXTS = json.loads(
    Path("demonstration/records/demonstration-import.json").read_text(encoding="utf-8")
)
TASKS = 12


def record(n: int) -> dict[str, Any]:
    """The first annotator's record of task n, from 1."""
    made = copy.deepcopy(TEXTS[(n - 1) % len(TEXTS)])
    made["title"] = f"{made['title']} {n}"
    made["annotationResult"]["confidence"] = str(1 + n % 5)
    return made


def seconds(n: int) -> dict[str, Any]:
    """The second annotator's: other words, two options of one dimension, one of them with a blank at its end."""
    made = record(n)
    entries = made["annotationResult"]
    if "taxonomy" in entries:
        entries["taxonomy"].append(["Contradict type I", "(DiscourseLevel) NP-related "])
        entries["relevantInfo_comment_A"] += " So says the first."
    entries["valid_comment"] = "Two\nlines, and ‏a word from the right: חג‎."
    return made


class Annotator:
    def __init__(self, port: int, name: str) -> None:
        self.browser = PeersBrowser(port)
        self.browser.get("/user/signup/")
        person = {"email": f"{name}@example.com", "password": PASSWORD}
        self.browser.post(
            "/user/signup/", [*person.items(), ("how_find_us", "other"), ("elaborate", "")]
        )

    def annotate(
        self, project: int, task: int, made: dict[str, Any], *, cancelled: bool = False
    ) -> int:
        entered = {"result": results_of(made), "lead_time": 42.5, "was_cancelled": cancelled}
        return self.browser.api(
            "POST", f"/api/tasks/{task}/annotations?project={project}", entered
        )["id"]


def main(environment: str) -> None:
    subprocess.run([f"{environment}/bin/pip", "show", "label-studio"], check=True)
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    within = annotated()
    sent = b"".join(task_list(within)).decode()
    (HERE / "campaign.json").write_text(sent, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, served(Path(environment), Path(folder)) as server:
        ann, ben = Annotator(server.port, "ann"), Annotator(server.port, "ben")
        project = new_project(ann, [{"data": data_of(record(n))} for n in range(1, TASKS + 1)])
        listed = ann.browser.api(
            "GET", f"/api/tasks?project={project}&page=1&page_size={TASKS}&fields=all"
        )
        keys = sorted(task["id"] for task in listed["tasks"])
        for n, task in enumerate(keys[:11], 1):
            ann.annotate(project, task, record(n), cancelled=n == 11)
            second = ben.annotate(project, task, seconds(n), cancelled=n >= 10)
            if n == 1:
                ann.browser.api("PATCH", f"/api/annotations/{second}", {"ground_truth": True})
        taken_in = new_project(ann, written())
        campaign = new_project(ann, json.loads(sent), labelling(within).decode())
        for of, kind, name in (
            (project, "JSON", "export.json"),
            (project, "JSON_MIN", "export-min.json"),
            (taken_in, "JSON", "returned.json"),
            (campaign, "JSON", "campaign-returned.json"),
            (campaign, "JSON_MIN", "campaign-returned-min.json"),
        ):
            (HERE / name).write_text(exported(ann, of, kind), encoding="utf-8")


def written() -> list[dict[str, Any]]:
    """What the app writes of the first annotator's records."""
    rows = [StreamedRow({"fields": record(n)}, [], [], []) for n in range(1, TASKS + 1)]
    return json.loads("".join(LabelStudioJson().chunks(rows)))


def annotated() -> Campaign:
    """Four tags for two people. Of the first alice's is accepted; bob's third is sent back, and he skips the fourth."""
    olga, alice, bob = make.admin(), make.annotator("alice"), make.annotator("bob")
    within = make.campaign(tags=4, people=2, by=olga)
    for confidence in (1, 2, 3):
        entered = make.whole(confidence=confidence, qa_comment=f"Tag {confidence}, “so”.")
        make.submitted(alice, within=within, entries=entered)
    seconds = [
        make.submitted(bob, within=within, entries=entered)
        for entered in (
            make.nothing(validity="Invalid"),
            make.whole(type_1=["(PhraseLevel) Entity - Number", "(DiscourseLevel) NP-related "]),
            make.whole(),
        )
    ]
    skipped = make.draft(bob, within=within)
    claiming.skip(assignment_id=skipped.assignment_id, by=bob, reason="Too long.")
    first = seconds[0].sighting.annotations.get(author=alice)
    make.decide(first, olga)
    make.decide(seconds[2], olga, "send_back", "Look again.")
    return within


def new_project(by: Annotator, tasks: list[dict[str, Any]], form: str = "") -> int:
    made = {"title": "Tags", "label_config": form or configuration(2)}
    project = by.browser.api("POST", "/api/projects", made)["id"]
    taken = by.browser.api("POST", f"/api/projects/{project}/import", tasks)
    assert taken["task_count"] == len(tasks), taken
    return int(project)


def exported(by: Annotator, project: int, kind: str) -> str:
    page = by.browser.get(
        f"/api/projects/{project}/export?exportType={kind}&download_all_tasks=true"
    )
    return json.dumps(json.loads(page.text), ensure_ascii=False) + "\n"
