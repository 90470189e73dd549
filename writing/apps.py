from django.apps import AppConfig


class WritingConfig(AppConfig):
    name = "writing"

    def ready(self) -> None:
        from protocols.checking import key_tables, part_problems
        from writing.declared.language import TABLES
        from writing.declared.problems import form_problems

        key_tables.add(self.name, lambda: TABLES)
        part_problems.add(self.name, form_problems)
