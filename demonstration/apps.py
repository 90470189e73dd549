from django.apps import AppConfig


class DemonstrationConfig(AppConfig):
    name = "demonstration"
    verbose_name = "Demonstration set"
