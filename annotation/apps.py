from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation.tagfilter import campaign_filter
        from wikifetch.tagfilters import tag_filters

        tag_filters.add(self.name, campaign_filter)
