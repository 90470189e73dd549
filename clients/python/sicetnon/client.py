"""The operations of the API by name. Rows are dictionaries as the API's documentation describes them."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from sicetnon.errors import ApiError, AsksFirst
from sicetnon.transport import Row, Transport

OVER = ("checked", "done", "failed", "discarded", "expired", "undone")
POLL = 2.0  # seconds


class Client(Transport):
    """Sic et Non at an address, as the person whose token it is.

    Lists are iterators that ask for the next page when they come to it; `filters` are those of the API.
    """

    def agree(self, asked: AsksFirst) -> Any:
        """Say yes, with what that costs in `asked.error`. Then ask again for what was not shown."""
        return self.post(self.whole(asked.agree["post_to"]), asked.agree["fields"])

    # ------------------------------------------------------------ tags and annotating

    def tags(self, **filters: Any) -> Iterator[Row]:
        return self.rows("/api/tags/", **filters)

    def campaigns(self, **filters: Any) -> Iterator[Row]:
        return self.rows("/api/campaigns/", **filters)

    def annotations(self, campaign: int, **filters: Any) -> Iterator[Row]:
        return self.rows(f"/api/campaigns/{campaign}/annotations/", **filters)

    def assignments(self, **filters: Any) -> Iterator[Row]:
        """One's own."""
        return self.rows("/api/assignments/", **filters)

    def next_tag(self, campaign: int | None = None) -> Row | None:
        """The tag that one has in hand, else the next, with its `draft`; None where there is none left."""
        return self._next("/api/assignments/next/", {"campaign": campaign})

    def skip_tag(self, assignment: Row, reason: str) -> Row:
        return self.post(f"/api/assignments/{assignment['id']}/skip/", {"reason": reason})

    def save(self, draft: Row, entries: Row) -> Row:
        """Save fields of a draft, whose version goes on. Raises StaleVersion where it was saved elsewhere since."""
        return self._change("PATCH", f"/api/drafts/{draft['id']}/", draft, {"entries": entries})

    def submit(self, draft: Row, entries: Row | None = None, checked: Sequence[str] = ()) -> Row:
        """Save and hand in. `checked`: the keys of the warnings that one has looked at.

        Raises ApiError with the code "incomplete" for what is missing; the entries are saved then.
        """
        body = {"entries": entries or {}, "checked": list(checked)}
        try:
            return self._change("POST", f"/api/drafts/{draft['id']}/submit/", draft, body)
        except ApiError as error:
            if error.code == "incomplete":
                draft["version"] = error.details["version"]
            raise

    # ------------------------------------------------------------ judging

    def my_studies(self, **filters: Any) -> Iterator[Row]:
        """Those that one judges."""
        return self.rows("/api/studies/mine/", **filters)

    def next_slot(self, study: int) -> Row | None:
        """The item that waits for one's verdict; None where there is none left."""
        return self._next(f"/api/studies/{study}/next/", {})

    def verdict(
        self, slot: Row, verdict: str, comment: str = "", seconds: float | None = None
    ) -> Row:
        """Give or change the verdict on an item, whose version goes on. Raises StaleVersion."""
        body = {"verdict": verdict, "comment": comment, "seconds": seconds}
        return self._judge(slot, "verdict", body)

    def undo(self, slot: Row) -> Row:
        return self._judge(slot, "undo", {})

    def skip(self, slot: Row, reason: str) -> Row:
        return self._judge(slot, "skip", {"reason": reason})

    def flag(self, slot: Row, note: str = "", *, flagged: bool = True) -> Row:
        return self._judge(slot, "flag", {"flagged": flagged, "note": note})

    # ------------------------------------------------------------ runs, studies and reports

    def models(self, **filters: Any) -> Iterator[Row]:
        return self.rows("/api/models/", **filters)

    def prompts(self, **filters: Any) -> Iterator[Row]:
        return self.rows("/api/prompts/", **filters)

    def runs(self, **filters: Any) -> Iterator[Row]:
        return self.rows("/api/runs/", **filters)

    def make_run(self, **fields: Any) -> Row:
        """Sent twice by chance, it is made once."""
        return self.post("/api/runs/", fields, **_once())

    def responses(self, run: int, **filters: Any) -> Iterator[Row]:
        return self.rows(f"/api/runs/{run}/responses/", **filters)

    def studies(self, **filters: Any) -> Iterator[Row]:
        return self.rows("/api/studies/", **filters)

    def human(self, study: int, path: str | Path) -> Path:
        """Write human.jsonl: what people decided of a closed study, a line for each response."""
        return self.download(f"/api/studies/{study}/exports/human/", path)

    def reports(self, **filters: Any) -> Iterator[Row]:
        return self.rows("/api/reports/", **filters)

    def report(self, study: int, **resampled: Any) -> Row:
        return self.get(f"/api/reports/{study}/", **resampled)

    def snapshots(self, study: int, **filters: Any) -> Iterator[Row]:
        """The frozen reports of a study."""
        return self.rows(f"/api/reports/{study}/snapshots/", **filters)

    def snapshot(self, number: int) -> Row:
        return self.get(f"/api/reports/snapshots/{number}/")

    # ------------------------------------------------------------ collections, releases, imports

    def collections(self, **filters: Any) -> Iterator[Row]:
        return self.rows("/api/collections/", **filters)

    def records(self, collection: str, **filters: Any) -> Iterator[Row]:
        return self.rows(f"{_collection(collection)}records/", **filters)

    def questions(self, collection: str, **filters: Any) -> Iterator[Row]:
        return self.rows(f"{_collection(collection)}questions/", **filters)

    def releases(self, collection: str, **filters: Any) -> Iterator[Row]:
        return self.rows(f"{_collection(collection)}releases/", **filters)

    def release(
        self, collection: str, version: str, folder: str | Path, formats: Sequence[str] = ()
    ) -> list[Path]:
        """Download the files of a release, or those of these formats, and check their hashes."""
        described = self.get(f"{_collection(collection)}releases/{quote(version, safe='')}/")
        wanted = [file for file in described["files"] if not formats or file["format"] in formats]
        if missing := {*formats} - {file["format"] for file in wanted}:
            known = ", ".join(file["format"] for file in described["files"])
            raise ValueError(f"{collection} {version} has no {missing.pop()}; it has {known}.")
        return [
            self.download(
                file["url"], Path(folder) / Path(file["name"]).name, sha256=file["sha256"]
            )
            for file in wanted
        ]

    def imports(self, **filters: Any) -> Iterator[Row]:
        """The files that one has sent."""
        return self.rows("/api/imports/", **filters)

    def import_file(
        self,
        collection: str,
        format: str,
        path: str | Path,
        part: str = "",
        *,
        dry_run: bool = False,
        **options: Any,
    ) -> Row:
        """Send a file of records; sent twice by chance, it is imported once. `wait_for` it.

        `options` of the API, as columns={"frage": "question"}. With `dry_run` it is only checked.
        """
        asked = {"collection": collection, "format": format, "part": part, "dry_run": dry_run}
        return self._import(path, options, **asked)

    def import_responses(
        self, collection: str, version: str, path: str | Path, name: str = "", **asked: Any
    ) -> Row:
        """Send responses to the prompts of a release, as JSON Lines; `name` is their run's. `wait_for` it."""
        options = {"release": version, "name": name}
        return self._import(path, options, kind="responses", collection=collection, **asked)

    def wait_for(self, job: Row, seconds: float = 3600) -> Row:
        """The import once it is over, or checked and waits to be confirmed. Raises TimeoutError.

        One whose report has `refused` cannot be confirmed: send the file again with `names` for its controls.
        """
        left = seconds
        while (now := self.get(f"/api/imports/{job['id']}/"))["state"] not in OVER:
            if left <= 0:
                raise TimeoutError(f"Import {job['id']} is {now['state']} after {seconds} seconds.")
            self.sleep(POLL)
            left -= POLL
        return now

    def confirm_import(self, job: Row) -> Row:
        return self.post(f"/api/imports/{job['id']}/confirm/")

    def discard_import(self, job: Row) -> Row:
        return self.post(f"/api/imports/{job['id']}/discard/")

    def undo_import(self, job: Row) -> Row:
        return self.post(f"/api/imports/{job['id']}/undo/")

    # ------------------------------------------------------------ what they share

    def _import(self, path: str | Path, options: Row, **fields: Any) -> Row:
        # The file's bytes, not the open file: after a wait they are sent from the beginning again.
        files = {"file": (Path(path).name, Path(path).read_bytes())}
        data = {**fields, "options": json.dumps(options)}
        sent = self.send("POST", "/api/imports/", data=data, files=files, headers=_once())
        return sent.json()

    def _next(self, path: str, body: Row) -> Row | None:
        try:
            return self.post(path, body)
        except ApiError as error:
            if error.code == "none_left":
                return None
            raise

    def _judge(self, slot: Row, act: str, body: Row) -> Row:
        return self._change("POST", f"/api/slots/{slot['slot']}/{act}/", slot, body)

    def _change(self, method: str, path: str, row: Row, body: Row) -> Row:
        """Make a change from the version of the row, which is then the new one."""
        headers = {"If-Match": f'"{row["version"]}"'}
        answer = self.send(method, path, json=body, headers=headers).json()
        row["version"] = answer["version"]
        return answer


def _collection(name: str) -> str:
    return f"/api/collections/{quote(name, safe='')}/"


def _once() -> dict[str, str]:
    return {"Idempotency-Key": str(uuid4())}
