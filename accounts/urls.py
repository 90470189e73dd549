from django.contrib.auth.views import LogoutView
from django.urls import path

from accounts import views

app_name = "accounts"

urlpatterns = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-out/", LogoutView.as_view(), name="sign_out"),
    path("join/<str:token>/", views.join, name="join"),
    path("new-password/<str:key>/<str:token>/", views.new_password, name="new_password"),
    path("people/", views.people, name="people"),
    path("people/<int:pk>/", views.person, name="person"),
    path("people/<int:pk>/active/", views.set_active, name="set_active"),
    path("people/<int:pk>/password-link/", views.password_link, name="password_link"),
    path("invitations/", views.invite, name="invite"),
    path("invitations/<int:pk>/withdraw/", views.withdraw_invitation, name="withdraw_invitation"),
]
