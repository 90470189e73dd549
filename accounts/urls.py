from django.contrib.auth.views import LogoutView
from django.urls import path

from accounts.views import account, people, sign_in

app_name = "accounts"

urlpatterns = [
    path("sign-in/", sign_in.sign_in, name="sign_in"),
    path("sign-out/", LogoutView.as_view(), name="sign_out"),
    path("join/<str:token>/", sign_in.join, name="join"),
    path("new-password/<str:key>/<str:token>/", sign_in.new_password, name="new_password"),
    path("account/", account.account, name="account"),
    path("account/password/", account.change_password, name="change_password"),
    path("account/sessions/end/", account.end_sessions, name="end_sessions"),
    path("people/", people.people, name="people"),
    path("people/<int:pk>/", people.person, name="person"),
    path("people/<int:pk>/active/", people.set_active, name="set_active"),
    path("people/<int:pk>/password-link/", people.password_link, name="password_link"),
    path("invitations/", people.invite, name="invite"),
    path("invitations/<int:pk>/withdraw/", people.withdraw_invitation, name="withdraw_invitation"),
]
