"""Addresses of protocols."""

from django.urls import path

from protocols import views

app_name = "protocols"

urlpatterns = [
    path("protocols/", views.protocols, name="protocols"),
    path("protocols/check/", views.check_file, name="check_file"),
    path("protocols/install/", views.install_file, name="install_file"),
    path("protocols/<slug:name>/<int:version>/", views.protocol, name="protocol"),
    path("protocols/<slug:name>/<int:version>/file/", views.file, name="file"),
    path("protocols/<slug:name>/<int:version>/install/", views.install_shipped, name="install"),
    path("protocols/<slug:name>/<int:version>/remove/", views.remove, name="remove"),
]
