from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation.evidence.hiddentext import remove_copies
        from annotation.tagfilter import campaign_filter
        from wikifetch.purging import removes_copies
        from wikifetch.tagfilters import tag_filters

        removes_copies.add(self.name, remove_copies)
        tag_filters.add(self.name, campaign_filter)
