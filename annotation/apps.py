from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation.tagfilter import CAMPAIGN
        from wikifetch.tagfilters import register

        register(CAMPAIGN)
