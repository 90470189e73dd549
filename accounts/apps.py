from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts.audit import record_sign_in
        from accounts.sessions import note_sign_in

        user_logged_in.connect(note_sign_in)
        user_logged_in.connect(record_sign_in)
