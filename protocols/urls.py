"""Addresses of protocols."""

from django.urls import path

from pages.rest.operations import methods
from protocols import api, views

app_name = "protocols"

urlpatterns = [
    path("protocols/", views.protocols, name="protocols"),
    path("protocols/check/", views.check_file, name="check_file"),
    path("protocols/install/", views.install_file, name="install_file"),
    path("protocols/<slug:name>/<int:version>/", views.protocol, name="protocol"),
    path("protocols/<slug:name>/<int:version>/file/", views.file, name="file"),
    path("protocols/<slug:name>/<int:version>/install/", views.install_shipped, name="install"),
    path("protocols/<slug:name>/<int:version>/remove/", views.remove, name="remove"),
    path(
        "api/protocols/", methods(api.protocols_list, api.protocols_install), name="api_protocols"
    ),
    path("api/protocols/offered/", api.protocols_offered, name="api_offered"),
    path("api/protocols/check/", api.protocols_check, name="api_check"),
    path("api/protocols/<slug:name>/<int:version>/", api.protocols_read, name="api_protocol"),
    path("api/protocols/<slug:name>/<int:version>/file/", api.protocol_files_read, name="api_file"),
]
