"""Settings of Sic et Non: one file, read from the environment (see docs/operators/settings.md)."""

from pathlib import Path
from urllib.parse import urlsplit

import dj_database_url
import django_htmx
from csp.constants import NONE, SELF

from config import environment
from config.logs import logging_config

ROOT = Path(__file__).resolve().parent.parent
DATA_DIR = environment.data_dir(ROOT)
VERSION = "1.0.0rc1"

AUTHORITIES = environment.trust_authorities(DATA_DIR)
SECRET_KEY = environment.secret_key(DATA_DIR)
DEBUG = environment.flag("DEBUG", default=False)

BASE_URL = environment.base_url()
_base = urlsplit(BASE_URL)
_https = _base.scheme == "https"
ALLOWED_HOSTS = [_base.hostname or "", "127.0.0.1", "localhost", "[::1]"]
ALLOW_PLAIN_HTTP = environment.flag("ALLOW_PLAIN_HTTP", default=False)
CSRF_TRUSTED_ORIGINS = [f"{_base.scheme}://{_base.netloc}"]
FORCE_SCRIPT_NAME = _base.path or None
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = _base.path or "/"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
SESSION_COOKIE_NAME = "sicetnon_session"
CSRF_COOKIE_NAME = "sicetnon_csrf"
CSRF_FAILURE_VIEW = "config.views.csrf_failed"
SESSION_COOKIE_SAMESITE = "Lax"
# The age counts from the sign-in. Sessions are in the database, so that an admin can end them at once.
SESSION_ENGINE = "accounts.session_store"
SESSION_COOKIE_AGE = 30 * 24 * 3600
SECURE_SSL_REDIRECT = False
SECURE_HSTS_SECONDS = 31_536_000 if _https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = False
SECURE_REFERRER_POLICY = "same-origin"
# Only the operator knows whether a proxy sets these headers. Without one, any client could claim to use https,
# or to have another address.
TRUSTED_PROXIES = environment.whole_number("TRUSTED_PROXIES", 0)
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
X_FRAME_OPTIONS = "DENY"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "config",
    "leases",
    "accounts",
    "pages",
    "wikifetch",
    "protocols",
    "datasets",
    "annotation",
    "generation",
    "judging",
    "writing",
    "evaluation",
    "operations",
]
if (ROOT / "demonstration" / "apps.py").exists():
    INSTALLED_APPS.append("demonstration")

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.request_lines.RequestLineMiddleware",
    "csp.middleware.CSPMiddleware",
    "pages.middleware.NotStoredMiddleware",
    "pages.middleware.TransportMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "accounts.middleware.PersonMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "pages.middleware.BoundsMiddleware",
    "pages.refusals.RefusalMiddleware",
]

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
                "pages.navigation.context",
                "operations.monitoring.banner.context",
            ],
            "builtins": ["django.templatetags.static", "pages.templatetags.components"],
        },
    }
]

DATABASE_URL = environment.text("DATABASE_URL", f"sqlite:///{DATA_DIR / 'db.sqlite3'}")
try:
    DATABASES = {
        "default": dj_database_url.parse(DATABASE_URL, conn_max_age=60, conn_health_checks=True)
    }
except (ValueError, dj_database_url.ParseError, dj_database_url.UnknownSchemeError) as error:
    raise environment.SettingError(
        "DATABASE_URL",
        f"cannot be read ({error}). Write sqlite:///PATH or postgres://USER:PASSWORD@HOST/NAME.",
    ) from None
DATABASES["default"]["PASSWORD"] = DATABASES["default"].get("PASSWORD") or environment.given(
    "POSTGRES_PASSWORD"
)
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["ENGINE"] = "leases.sqlite3"
    DATABASES["default"]["OPTIONS"] = {
        # A transaction waits for the write lock when it begins, instead of failing later.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # FULL: what was answered as saved survives a power cut. secure_delete: what is deleted is written over.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;",
    }
elif DATABASES["default"]["ENGINE"].endswith("postgresql"):
    _options = DATABASES["default"].setdefault("OPTIONS", {})
    # A server that no longer answers must not block a request for minutes.
    _options.setdefault("connect_timeout", 10)
    # Compiling a long statement takes the server seconds, and none here gains as much. What the URL says comes last.
    _options["options"] = f"-c jit=off {_options.get('options', '')}".strip()
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.Person"
PASSWORD_HASHERS = ["accounts.turns.PasswordHasher"]
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "accounts:sign_in"
PASSWORD_RESET_TIMEOUT = 3 * 24 * 3600
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = f"{_base.path}/static/"
# No finder of what apps bring: they bring hundreds of files that no page uses.
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
_htmx = Path(django_htmx.__file__).parent / "static" / "django_htmx"
STATICFILES_DIRS = [ROOT / "static", ("django_htmx", _htmx)]
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)  # whitenoise warns of a missing folder
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": str(DATA_DIR / "files")},
    },
    "staticfiles": {"BACKEND": "config.staticfiles.CollectedFiles"},
}
# Sources under their own names too: pages before collectstatic, and the icon's address in the proxy.
WHITENOISE_USE_FINDERS = True
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
FILE_UPLOAD_TEMP_DIR = None
FILE_UPLOAD_PERMISSIONS = None  # as the umask says
DATA_UPLOAD_MAX_MEMORY_SIZE = 12 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.tokens.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_THROTTLE_CLASSES": ["accounts.throttles.PersonThrottle"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "pages.rest.errors.exception_handler",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Sic et Non",
    "VERSION": VERSION,
    "DESCRIPTION": "Operations of Sic et Non for programs.",
    "SERVERS": [{"url": BASE_URL}],
    "POSTPROCESSING_HOOKS": [],  # the words of a column stay where they are named
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "COMPONENT_SPLIT_PATCH": False,  # what a PATCH needs is required
}

OIDC_ISSUER = environment.oidc_issuer()
OIDC_CLIENT_ID = environment.required_with("OIDC_ISSUER", "OIDC_CLIENT_ID")
OIDC_CLIENT_SECRET = environment.required_with("OIDC_ISSUER", "OIDC_CLIENT_SECRET")
OIDC_NAME = environment.text("OIDC_NAME", "your institution")

CELERY_BROKER_URL = environment.broker_url()

INFERENCE_SERVICES = environment.services()
EMBEDDED_MODEL_PATH = environment.text("EMBEDDED_MODEL_PATH", "")

AUDIT_DAYS = environment.audit_days()
METRICS_TOKEN = environment.token("METRICS_TOKEN")

LOG_FORMAT = environment.choice("LOG_FORMAT", ["text", "json"])
LOGGING = logging_config(LOG_FORMAT, environment.choice("LOG_LEVEL", ["INFO", "WARNING", "DEBUG"]))

WIKI_CONTACT = environment.text("WIKI_CONTACT", "")
WIKI_REQUESTS_PER_SECOND = environment.number("WIKI_REQUESTS_PER_SECOND", 1.0)
WIKI_MAXLAG = int(environment.number("WIKI_MAXLAG", 5))
WIKI_MAX_WAIT = environment.number("WIKI_MAX_WAIT", 3600.0)
WIKI_ALLOWED = [
    item
    for item in environment.text("WIKI_ALLOWED", "https://en.wikipedia.org")
    .replace(",", " ")
    .split()
    if item
]
WIKI_HTML = environment.flag("WIKI_HTML", True)
WIKI_TEMPLATES = environment.wiki_templates()
WIKI_TOKENS = environment.wiki_tokens(WIKI_ALLOWED)

SILENCED_SYSTEM_CHECKS = [
    "security.W004",  # HSTS follows BASE_URL: set with https, absent on loopback
    "security.W005",  # the operator decides about sub-domains
    "security.W021",  # likewise preloading
    "security.W008",  # the proxy redirects to https; BASE_URL refuses plain http except on loopback
]
