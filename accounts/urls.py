from django.contrib.auth.views import LogoutView
from django.urls import path

from accounts.views import (
    account,
    audit,
    institution,
    open_work,
    people,
    second_factor,
    sign_in,
    tokens,
)

app_name = "accounts"

urlpatterns = [
    path("sign-in/", sign_in.sign_in, name="sign_in"),
    path("sign-in/code/", second_factor.code, name="code"),
    path("sign-in/institution/", institution.sign_in, name="institution"),
    path("sign-in/institution/back/", institution.back, name="institution_back"),
    path("sign-out/", LogoutView.as_view(), name="sign_out"),
    path("join/<str:token>/", sign_in.join, name="join"),
    path("join/<str:token>/institution/", institution.join, name="join_by_institution"),
    path("new-password/<str:key>/<str:token>/", sign_in.new_password, name="new_password"),
    path("account/", account.account, name="account"),
    path("account/password/", account.change_password, name="change_password"),
    path("account/sessions/end/", account.end_sessions, name="end_sessions"),
    path("account/institution/", institution.linked, name="linked"),
    path("account/institution/remove/", institution.unlink, name="unlink"),
    path("account/second-factor/", second_factor.second_factor, name="second_factor"),
    path("account/second-factor/confirm/", second_factor.confirm, name="confirm_second_factor"),
    path("account/second-factor/remove/", second_factor.remove, name="remove_second_factor"),
    path("account/tokens/", tokens.tokens, name="tokens"),
    path("account/tokens/institution/", institution.prove, name="prove"),
    path("account/tokens/<int:key>/revoke/", tokens.revoke, name="revoke_token"),
    path("people/", people.people, name="people"),
    path("people/work/", open_work.everything, name="open_work"),
    path("people/<int:pk>/", people.person, name="person"),
    path("people/<int:pk>/work/", open_work.hand_on, name="hand_on"),
    path(
        "people/<int:pk>/tokens/<int:key>/revoke/",
        tokens.revoke_of,
        name="revoke_token_of",
    ),
    path("people/<int:pk>/active/", people.set_active, name="set_active"),
    path("people/<int:pk>/password-link/", people.password_link, name="password_link"),
    path(
        "people/<int:pk>/second-factor/remove/",
        people.remove_second_factor,
        name="take_away_second_factor",
    ),
    path("people/<int:pk>/institution/remove/", people.remove_identity, name="remove_identity"),
    path("audit/", audit.log, name="audit"),
    path("audit.csv", audit.log_csv, name="audit_csv"),
    path("invitations/", people.invite, name="invite"),
    path("invitations/<int:pk>/withdraw/", people.withdraw_invitation, name="withdraw_invitation"),
]
