from django.apps import AppConfig


class WikifetchConfig(AppConfig):
    name = "wikifetch"
