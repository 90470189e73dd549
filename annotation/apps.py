from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation.blinding.gate import hides_records as hides
        from annotation.blinding.gate import listed_records_shown as listed
        from annotation.blinding.gate import records_problem as problem
        from annotation.blinding.gate import records_shown as shown
        from annotation.evidence.hidden_text import remove_copies
        from annotation.tagfilter import campaign_filter
        from datasets.blinding import (
            hides_records,
            listed_records_shown,
            records_problem,
            records_shown,
        )
        from wikifetch.purging import removes_copies
        from wikifetch.tagfilters import tag_filters

        hides_records.add(self.name, hides)
        records_problem.add(self.name, problem)
        records_shown.add(self.name, shown)
        listed_records_shown.add(self.name, listed)
        removes_copies.add(self.name, remove_copies)
        tag_filters.add(self.name, campaign_filter)
