from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from accounts.leaving.open_work import held_work, work_for_nobody
        from annotation.blinding import gate
        from annotation.blinding.open_tags import open_tags
        from annotation.evidence.hidden_text import remove_copies, withhold_late
        from annotation.open_work import tags_for_nobody, tags_held
        from annotation.tagfilter import campaign_filter
        from datasets import blinding
        from datasets.importers.whole_collections import came_whole
        from datasets.releasing.publishing import open_uses
        from datasets.releasing.wiki_licences import wiki_rights
        from wikifetch.purging import removes_copies
        from wikifetch.source.wikis import rights_of_wikis
        from wikifetch.tagfilters import tag_filters

        blinding.hides_records.add(self.name, gate.hides_records)
        blinding.records_problem.add(self.name, gate.records_problem)
        blinding.records_shown.add(self.name, gate.records_shown)
        blinding.listed_records_shown.add(self.name, gate.listed_records_shown)
        removes_copies.add(self.name, remove_copies)
        came_whole.add(self.name, withhold_late)
        open_uses.add(self.name, open_tags)
        tag_filters.add(self.name, campaign_filter)
        held_work.add(self.name, tags_held)
        work_for_nobody.add(self.name, tags_for_nobody)
        wiki_rights.add(self.name, rights_of_wikis)
