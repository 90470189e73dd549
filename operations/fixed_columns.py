"""Columns with texts that cannot be changed where they name somebody who is forgotten, and why. Pure."""

IN_ADDRESSES = "it is in addresses and in names of files, which others keep"
KEY = "the program knows something by it"
OF_A_FILE = "it is the name of a file or of a page of a wiki"
# Columns that cannot be changed, and why.
FIXED = {
    **dict.fromkeys((
        "datasets.collection.name", "datasets.collection.source_paper", "datasets.collection.source_data",
        "datasets.release.version", "datasets.release.doi", "datasets.freezejob.version", "datasets.freezejob.doi",
        "judging.study.slug", "annotation.seen.opened", "evaluation.reportsnapshot.token",
        "evaluation.withdrawnreport.token",
    ), IN_ADDRESSES),
    **dict.fromkeys((
        "accounts.invitation.roles", "accounts.apitoken.scopes", "accounts.keptanswer.key",
        "datasets.importjob.collection", "datasets.importjob.kind", "datasets.importjob.format",
        "datasets.importjob.part", "datasets.importjob.made", "datasets.subset.query", "datasets.subset.by",
        "datasets.subset.strata", "datasets.contradiction.filled", "annotation.campaign.frame_query",
        "annotation.campaign.strata", "annotation.annotation.touched", "annotation.annotation.filled",
        "annotation.annotation.checked_warnings", "annotation.annotation.current_step",
        "annotation.annotation.seconds_by_step", "generation.languagemodel.service",
        "generation.languagemodel.model_id", "generation.languagemodel.options", "generation.languagemodel.abilities",
        "generation.run.prompts",
        "judging.study.only_label", "judging.discussion.cause", "judging.resolution.cause", "writing.entry.target",
        "writing.entry.combination", "wikifetch.fetchrun.options",
    ), KEY),
    **dict.fromkeys((
        "datasets.importjob.file_name", "wikifetch.fetchrun.label", "wikifetch.fetchrun.queue",
        "wikifetch.fetchrun.titles", "annotation.askedarticle.base", "annotation.askedarticle.title",
    ), OF_A_FILE),
    "accounts.auditevent": "the audit log cannot be changed; the entry goes with its age",
    "annotation.guideline": "submissions name its hash",
    "generation.promptversion": "responses name its hash",
    "datasets.release.about": "a frozen release keeps what it said of itself, its creators too",
    "datasets.release.head": "a frozen release keeps its bytes",
    "datasets.publication.token": "it is in an address that others cite",
    "datasets.publication.version": "it is in an address that others cite",
    "datasets.publishedname.name": "it is in an address that others cite",
    "protocols.protocol": "a protocol's file keeps its bytes",
    "judging.rubric": "verdicts were given by it",
    "judging.judgeprompt": "verdicts name its hash",
    "evaluation.reportsnapshot.body": "a frozen report keeps its bytes",
    "evaluation.reportsnapshot.text": "a frozen report keeps its bytes",
    "evaluation.reportsnapshot.comments": "a frozen report keeps its bytes",
}  # fmt: skip
# Names in addresses for which another is offered, where no frozen report is over the row: whoever takes it knows that
# these addresses lead nowhere then.
RENAMED = {"datasets.collection.name", "judging.study.slug"}
RELEASED = "it is in a frozen release, which keeps its hash"
REPORTED = "a frozen report is over it, and is checked by this name"
