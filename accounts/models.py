"""People, their roles, invitations, and how they sign in."""

import secrets
from collections.abc import Iterable

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.base_session import AbstractBaseSession
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower, Now

from accounts.roles import Role

ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"


def new_pseudonym() -> str:
    """A random name for exports and reports, e.g. 'P-7KQ2MX'."""
    return "P-" + "".join(secrets.choice(ALPHABET) for _ in range(6))


class PersonManager(BaseUserManager["Person"]):
    def create_person(self, username: str, *, name: str = "", password_hash: str = "") -> "Person":
        """Without a hash (make_password) nobody signs in by a password."""
        # The sign-in form normalizes names in the same way.
        username = self.model.normalize_username(username)
        person = self.model(username=username, name=name or username)
        person.password = password_hash or make_password(None)
        person.save()
        return person

    def get_by_natural_key(self, username: str | None) -> "Person":
        # Signing in ignores case: two people cannot differ by it (constraint below).
        return self.get(username__iexact=username)

    def who_may(self, *roles: Role) -> models.QuerySet["Person"]:
        """Everybody who has one of the roles and can sign in, so nobody of the demonstration set."""
        granted = RoleGrant.objects.filter(person=models.OuterRef("pk"), role__in=roles)
        return self.filter(models.Exists(granted), is_active=True, is_demonstration=False)


class Person(AbstractBaseUser):
    """A person who works here. When they are forgotten, their work stays under the pseudonym."""

    username = models.CharField(
        max_length=60,
        unique=True,
        validators=[RegexValidator(r"^[\w.@+-]+$", "Letters, digits and . @ + - _ only.")],
        help_text="Used to sign in. Letters, digits and . @ + - _ only.",
    )
    name = models.CharField(
        max_length=120, help_text="Shown to colleagues; never in exports or reports."
    )
    pseudonym = models.CharField(max_length=20, unique=True, default=new_pseudonym)
    is_active = models.BooleanField(default=True)
    is_demonstration = models.BooleanField(default=False)
    joined_at = models.DateTimeField(db_default=Now())
    shortcuts = models.BooleanField("single-key shortcuts", default=True)
    forgotten_at = models.DateTimeField(
        null=True, help_text="Since when the pseudonym is all that is known."
    )
    name_hashes = models.JSONField(
        default=list,
        editable=False,
        help_text="Keyed hashes of a forgotten person's names, by which texts that are published are searched.",
    )

    USERNAME_FIELD = "username"

    objects = PersonManager()

    class Meta:
        ordering = ["username"]
        verbose_name_plural = "people"
        constraints = [
            models.UniqueConstraint(Lower("username"), name="person_username_without_case"),
            models.CheckConstraint(
                condition=models.Q(forgotten_at=None) | models.Q(is_active=False),
                name="forgotten_person_signs_in_nowhere",
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.username

    @property
    def roles(self) -> frozenset[Role]:
        """Read from the database once for each instance, so a change acts on the next request."""
        if not hasattr(self, "_roles"):
            self.know_roles(Role(role) for role in self.grants.values_list("role", flat=True))
        return self._roles

    def know_roles(self, roles: Iterable[Role]) -> None:
        """Take these roles as just read from the database."""
        self._roles = frozenset(roles)

    def has_role(self, *roles: Role) -> bool:
        return self.is_active and bool(self.roles & set(roles))


class RoleGrant(models.Model):
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="grants")
    role = models.CharField(max_length=20, choices=Role.choices)
    granted_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, related_name="granted"
    )
    granted_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "role"], name="role_once_a_person"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.person}: {self.get_role_display()}"


class Invitation(models.Model):
    """A link by which one new person joins, once, until it expires. Only the token's hash is stored."""

    token_hash = models.CharField(max_length=64, unique=True)
    roles = models.JSONField(default=list)
    note = models.CharField(max_length=120, blank=True, help_text="For whom; shown only to admins.")
    created_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, related_name="invitations"
    )
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    used_by = models.OneToOneField(
        Person, on_delete=models.PROTECT, null=True, related_name="invitation"
    )
    used_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(used_by=None, used_at=None)
                | models.Q(used_by__isnull=False, used_at__isnull=False),
                name="invitation_used_by_someone_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return self.note or f"Invitation {self.pk}"


class Identity(models.Model):
    """A person's identity at the institution: only issuer and subject together name one, never a mail address."""

    person = models.OneToOneField(Person, on_delete=models.PROTECT, related_name="identity")
    issuer = models.CharField(max_length=500)
    subject = models.CharField(max_length=255)
    linked_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "identities"
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="identity_of_one_person")
        ]


class SecondFactor(models.Model):
    """Codes that an app computes from a secret and the time, asked for after the password."""

    person = models.OneToOneField(Person, on_delete=models.PROTECT, related_name="second_factor")
    secret = models.CharField(max_length=200, help_text="Encrypted (accounts.sealing).")
    last_step = models.BigIntegerField(
        help_text="The time step of the last code: it and earlier ones are refused."
    )
    since = models.DateTimeField(db_default=Now())


class RecoveryCode(models.Model):
    """One of the codes for a lost phone; deleted when it is used. Only a hash is stored."""

    factor = models.ForeignKey(
        SecondFactor, on_delete=models.CASCADE, related_name="recovery_codes"
    )
    code_hash = models.CharField(max_length=32)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["factor", "code_hash"], name="recovery_code_once")
        ]


class ApiToken(models.Model):
    """By which a program does what its person may, within `scopes`. Only the hash of its text is stored."""

    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="tokens")
    name = models.CharField(max_length=80)
    scopes = models.JSONField(help_text="As accounts.tokens.scopes names them.")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "token"

    def __str__(self) -> str:
        return self.name


class KeptAnswer(models.Model):
    """The answer to a request that was sent with an Idempotency-Key; the same request gets it again for a day."""

    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="kept_answers")
    key = models.CharField(max_length=100)
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True, help_text="None while it is being done.")
    body = models.JSONField(null=True)
    at = models.DateTimeField(db_default=Now(), db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "key"], name="answer_kept_once")]


class Allowance(models.Model):
    """The state of one rate limit (accounts.allowances); deleted when all of it is regained.

    The key holds no name and no address, only their hashes with the secret key.
    """

    key = models.CharField(max_length=120, unique=True)
    regained_at = models.DateTimeField(db_default=Now(), db_index=True)

    def __str__(self) -> str:
        return self.key


class Session(AbstractBaseSession):
    """A browser session of a signed-in person. Only accounts.session_store writes it."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, null=True, related_name="sessions")
    browser = models.CharField(max_length=60, blank=True)
    signed_in_at = models.DateTimeField(null=True)

    class Meta(AbstractBaseSession.Meta):
        abstract = False
        verbose_name = "session"


class AuditEvent(models.Model):
    """An entry of the audit log. Only accounts.audit writes it; a trigger refuses changes (migrations/0001)."""

    class Kind(models.TextChoices):
        SIGN_IN = "sign-in", "Signed in"
        FAILURE = "failure", "Sign-in failed"
        ROLE = "role", "Roles or access changed"
        LINK = "link", "Link made, used or withdrawn"
        PASSWORD = "password", "Password changed"
        SECOND_FACTOR = "second-factor", "Second factor turned on or off"
        IDENTITY = "identity", "Identity linked or removed"
        TOKEN = "token", "Token made or revoked"
        IMPORT = "import", "Imported or removed"
        EXPORT = "export", "Downloaded"
        FREEZE = "freeze", "Frozen"
        DESCRIBE = "describe", "Described"
        PUBLISH = "publish", "Published or withdrawn"
        EXCLUSION = "exclusion", "Exclusion"
        GUIDELINE = "guideline", "Guideline changed"
        STUDY = "study", "Study changed"
        WRITING = "writing", "Writing opened or closed"
        WORK = "work", "Work handed on"
        FORGETTING = "forgetting", "Person forgotten"
        BACKUP = "backup", "Backed up"
        RESTORE = "restore", "Restored"

    kind = models.CharField(max_length=20, choices=Kind.choices)
    at = models.DateTimeField(db_default=Now())
    by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    person = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, related_name="+", db_index=False,
        help_text="Whom it was done to.",
    )  # fmt: skip
    about = models.CharField(max_length=200, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["at", "id"], name="audit_by_time"),
            models.Index(fields=["kind", "at", "id"], name="audit_by_kind"),
            models.Index(fields=["by", "at", "id"], name="audit_by_actor"),
            models.Index(fields=["person", "at", "id"], name="audit_by_person"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.about}"
