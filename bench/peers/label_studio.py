"""Label Studio as its browser uses it: session cookie, CSRF token, JSON. Started in a folder of its own."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from xml.sax.saxutils import quoteattr

from bench.common import RAW, paragraphs
from bench.web import Browser, Page, Server, running, wait_for
from datasets.taxonomy import DIMENSIONS
from tests.servers import free_port

QUIET = {
    **dict.fromkeys(("COLLECT_ANALYTICS", "LATEST_VERSION_CHECK", "DEBUG"), "0"),
    **dict.fromkeys(("SENTRY_DSN", "FRONTEND_SENTRY_DSN"), ""),
    "LOG_LEVEL": "ERROR",
}
PASSWORD = "eleven blind mice"
NOT_TEXTS = ("validity", "same_passage", "questions", "confidence")


@contextlib.contextmanager
def served(environment: Path, folder: Path) -> Iterator[Server]:
    """Its server on a new SQLite in this folder."""
    port = free_port()
    start = ["start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(port)]
    folders = {"HOME": str(folder), "LABEL_STUDIO_BASE_DATA_DIR": str(folder)}
    with (folder / "log").open("wb") as log:
        how = {
            "env": {"PATH": os.environ["PATH"], **folders, **QUIET},
            "stdout": log,
            "stderr": log,
        }
        with running([str(environment / "bin" / "label-studio"), *start], **how) as process:
            try:
                wait_for(process, port, "/user/login/")
            except SystemExit as end:
                log_end = (folder / "log").read_text(encoding="utf-8")[-2000:]
                raise SystemExit(log_end) from end
            yield Server(process.pid, port)


def form(texts: list[str]) -> str:
    """The six steps: a field for each text, two choices, the taxonomy, a rating."""
    areas = "".join(f'<TextArea name="{name}" toName="tag" editable="true"/>' for name in texts)
    dimensions = "".join(
        f"<Choice value={quoteattr(dimension.key)}>"
        + "".join(f"<Choice value={quoteattr(option.value)}/>" for option in dimension.options)
        + "</Choice>"
        for dimension in DIMENSIONS
    )
    pairs = {"validity": ("Valid", "Invalid"), "same_passage": ("Same", "Different")}
    choices = "".join(
        f'<Choices name="{name}" toName="tag"><Choice value="{yes}"/><Choice value="{no}"/></Choices>'
        for name, (yes, no) in pairs.items()
    )
    return (
        f'<View><Text name="tag" value="$paragraph"/>{choices}{areas}'
        f'<Taxonomy name="taxonomy" toName="tag">{dimensions}</Taxonomy>'
        '<Rating name="confidence" toName="tag"/></View>'
    )


def flat(entered: dict) -> dict[str, str]:
    """The texts of our form by name, the questions' and their answers' included."""
    texts = {
        name: value
        for name, value in entered.items()
        if isinstance(value, str) and name not in NOT_TEXTS and not name.endswith("_at")
    }
    for n, row in enumerate(entered["questions"], 1):
        texts |= {f"question{n}_{name}": text for name, text in row.items() if text}
    return texts


class Annotator:
    """A person with a project of these tasks, and their browser."""

    def __init__(self, server: Server, entered: dict) -> None:
        self.browser = PeersBrowser(server.port)
        self.entered, self.numbers = entered, count()
        self.browser.get("/user/signup/")
        email = f"{secrets.token_hex(4)}@example.com"
        person = {"email": email, "password": PASSWORD, "how_find_us": "other", "elaborate": ""}
        self.browser.post("/user/signup/", [*person.items()])
        self.project = self.new_project()

    def new_project(self) -> int:
        title, config = f"Tags {next(self.numbers)}", form(list(flat(self.entered)))
        made = {"title": title, "label_config": config}
        return self.browser.api("POST", "/api/projects", made)["id"]

    def take(self, tasks: list[dict]) -> None:
        taken = self.browser.api("POST", f"/api/projects/{self.project}/import", tasks)
        assert taken["task_count"] == len(tasks), taken

    def result(self) -> list[dict]:
        def item(name: str, kind: str, key: str, value: object) -> dict:
            where = {"from_name": name, "to_name": "tag", "type": kind, "origin": "manual"}
            return {**where, "id": f"r{next(self.numbers)}", "value": {key: value}}

        texts = flat(self.entered).items()
        return [
            item("validity", "choices", "choices", [self.entered["validity"]]),
            item("same_passage", "choices", "choices", [self.entered["same_passage"]]),
            *(item(name, "textarea", "text", [text]) for name, text in texts if text),
            item("taxonomy", "taxonomy", "taxonomy", self.types()),
            item("confidence", "rating", "rating", self.entered["confidence"]),
        ]

    def types(self) -> list[list[str]]:
        chosen = zip(DIMENSIONS, (self.entered[f"type_{n}"] for n in range(1, 5)), strict=True)
        return [[dimension.key, option] for dimension, options in chosen for option in options]

    def submit(self) -> None:
        """The next task, and its annotation."""
        task = self.browser.api("GET", f"/api/projects/{self.project}/next")["id"]
        given = {"result": self.result(), "lead_time": 42.0}
        self.browser.api("POST", f"/api/tasks/{task}/annotations?project={self.project}", given)

    def list_100(self) -> None:
        asked = f"/api/tasks?project={self.project}&page=1&page_size=100&fields=all"
        assert len(self.browser.api("GET", asked)["tasks"]) == 100

    def take_annotated(self, tasks: list[dict]) -> None:
        """Into a project of its own."""
        self.project = self.new_project()
        answers = [{"result": self.result(), "lead_time": 42.0}]
        self.take([{"data": task["data"], "annotations": answers} for task in tasks])

    def export(self) -> Page:
        return self.browser.get(f"/api/projects/{self.project}/export?exportType=JSON")


class PeersBrowser(Browser):
    CSRF = "csrftoken"


def tasks(n: int) -> list[dict]:
    return [
        {"data": {"title": title, "paragraph": f"{text} {RAW}"}} for title, text in paragraphs(n)
    ]
