from django.apps import AppConfig


class WritingConfig(AppConfig):
    name = "writing"

    def ready(self) -> None:
        from protocols.checking import key_tables, part_problems
        from protocols.example_record import part_blocks
        from writing.declared.example import form_blocks
        from writing.declared.language import TABLES
        from writing.declared.problems import form_problems

        key_tables.add(self.name, lambda: TABLES)
        part_blocks.add(self.name, form_blocks)
        part_problems.add(self.name, form_problems)
