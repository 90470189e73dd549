"""Sign-in by an institution, against a provider that the test starts."""

import re
import time
from urllib.parse import parse_qsl, urlencode, urlsplit

import pyotp
import pytest
from django.test import Client
from django.urls import reverse
from joserfc.jwk import OctKey, RSAKey

from accounts import institution, invitations, second_factor
from accounts.hashing import keyed_hash
from accounts.models import ApiToken, Identity, Invitation, Person, Session
from accounts.rates import LEAVINGS
from accounts.roles import Role
from accounts.views.tokens import PROOF_HOLDS
from leases.clock import in_seconds
from operations import forgetting
from tests.accounts.factories import use_up
from tests.accounts.provider import CLIENT_ID, CLIENT_SECRET, Provider
from tests.accounts.test_audit import logged
from tests.factories import PASSWORD, person

pytestmark = pytest.mark.django_db

NOT_COMPLETED = "was not completed, so nothing was changed"


@pytest.fixture(scope="module")
def running():
    provider = Provider()
    yield provider
    provider.stop()


@pytest.fixture
def provider(running, settings):
    running.claims, running.metadata, running.status, running.answer = {}, {}, 200, None
    running.header, running.signs_with = {"alg": "RS256"}, running.key
    settings.OIDC_ISSUER, settings.OIDC_NAME = running.issuer, "Abbey College"
    settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT_ID, CLIENT_SECRET
    institution._client.cache_clear()
    return running


@pytest.fixture
def bob(provider):
    bob = person("bob", Role.JUDGE)
    Identity.objects.create(person=bob, issuer=provider.issuer, subject="bob-17")
    return bob


def path_of(address):
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}"


def leave(client, path="/sign-in/institution/"):
    answer = client.get(path)
    assert answer.status_code == 302
    return answer["Location"]


def come_back(client, provider, address, subject="bob-17"):
    return client.get(path_of(provider.sign_in(address, subject)))


def asks_for_a_new_sign_in(address):
    asked = dict(parse_qsl(urlsplit(address).query))
    return (asked.get("prompt"), asked.get("max_age")) == ("login", "0")


def not_asking(address):
    """The address as somebody changes it who sits at a browser that is signed in there."""
    kept = [
        pair for pair in parse_qsl(urlsplit(address).query) if pair[0] not in ("prompt", "max_age")
    ]
    return urlsplit(address)._replace(query=urlencode(kept)).geturl()


def sign_in(client, provider, subject="bob-17", path="/sign-in/institution/"):
    return come_back(client, provider, leave(client, path), subject)


def is_in(client):
    return client.get("/account/").status_code == 200


def refused(client, answer, status, sentence):
    assert (answer.status_code, is_in(client)) == (status, False)
    page = answer.content.decode()
    assert sentence in page
    assert 'action="/sign-in/"' in page  # the form for a password
    return page


def link(client, provider, subject="bob-17", **further):
    """What a signed-in person does on the account's page."""
    page = client.post("/account/institution/", {"current_password": PASSWORD, **further})
    return come_back(client, provider, page.context["there"], subject)


# ---------------------------------------------------------------- off by default


def test_it_is_off_by_default(client, settings):
    assert settings.OIDC_ISSUER == ""
    token = invitations.invite(roles=[Role.JUDGE], by=None)
    client.force_login(person("bob"))
    for who in (client, Client()):
        for path in ("/sign-in/institution/", "/sign-in/institution/back/", f"/join/{token}/institution/",
                     "/account/institution/"):  # fmt: skip
            assert who.get(path).status_code == 404, path
        for path in ("/account/institution/", "/account/institution/remove/"):
            assert who.post(path, {"current_password": PASSWORD}).status_code == 404, path
    assert "institution" not in client.get("/account/").content.decode()
    for path in ("/sign-in/", invitations.invitation_path(token)):
        assert "institution" not in Client().get(path).content.decode()


# ---------------------------------------------------------------- signing in


def test_a_linked_person_signs_in_and_has_a_session_of_the_project(client, provider, bob):
    assert 'href="/sign-in/institution/"' in client.get("/sign-in/").content.decode()
    assert sign_in(client, provider)["Location"] == "/"
    assert is_in(client)
    session = Session.objects.get(person=bob)
    assert session.signed_in_at
    assert (session.expire_date - session.signed_in_at).days in (29, 30)
    bob.refresh_from_db()
    assert bob.last_login
    assert [name for name in client.cookies if name.startswith("sicetnon_known_")]


def test_the_person_comes_back_to_the_page_that_asked_for_the_sign_in(client, provider, bob):
    page = client.get("/judge/", follow=True).content.decode()
    assert 'href="/sign-in/institution/?next=/judge/"' in page
    assert (
        sign_in(client, provider, path="/sign-in/institution/?next=/judge/")["Location"]
        == "/judge/"
    )


@pytest.mark.parametrize("following", ["foo", "people"])
def test_the_address_after_it_is_kept_as_it_is(client, provider, bob, following):
    path = f"/sign-in/institution/?next={following}"
    assert sign_in(client, provider, path=path)["Location"] == following


def test_signing_in_leads_to_no_other_site(client, provider, bob):
    path = "/sign-in/institution/?next=https://evil.example/"
    assert sign_in(client, provider, path=path)["Location"] == "/"


def test_an_unknown_identity_reads_one_sentence_and_nothing_is_created(client, provider, bob):
    answer = sign_in(client, provider, "eve-99")
    page = refused(
        client, answer, 403, "Your identity at Abbey College is not linked to an account"
    )
    assert "bob" not in page.lower().replace("abbey", "")
    assert (Person.objects.count(), Identity.objects.count()) == (1, 1)


def test_an_identity_with_another_persons_mail_address_or_name_is_not_that_person(
    client, provider, bob
):
    person("alice@abbey.example", Role.ADMIN)
    provider.claims = {
        "email": "alice@abbey.example", "email_verified": True, "preferred_username": "alice@abbey.example",
    }  # fmt: skip
    unknown = sign_in(client, provider, "eve-99")
    refused(client, unknown, 403, "not linked to an account")
    sign_in(client, provider)
    assert "Bob" in client.get("/account/").content.decode()


def test_the_same_subject_of_another_issuer_is_another_identity(client, provider, bob):
    Identity.objects.update(issuer="https://elsewhere.example")
    refused(client, sign_in(client, provider), 403, "not linked to an account")


def test_a_deactivated_person_is_refused(client, provider, bob):
    invitations.set_active(bob, active=False)
    refused(client, sign_in(client, provider), 403, "An admin has ended your access here")


def test_a_forgotten_persons_identity_is_removed(client, provider, bob):
    assert "bob-17" in "".join(forgetting.own_data(bob))
    forgetting.forget(bob)
    assert not Identity.objects.exists()
    refused(client, sign_in(client, provider), 403, "not linked to an account")


# ---------------------------------------------------------------- what is checked


def test_a_state_works_once(client, provider, bob):
    back = provider.sign_in(leave(client), "bob-17")
    client.get(path_of(back))
    client.post("/sign-out/")
    refused(client, client.get(path_of(back)), 400, NOT_COMPLETED)


def test_a_state_of_another_browser_is_refused(client, provider, bob):
    """Or somebody could sign a person in as somebody else by a link."""
    back = provider.sign_in(leave(Client()), "bob-17")
    refused(client, client.get(path_of(back)), 400, NOT_COMPLETED)


def test_a_code_from_another_way_there_is_refused(client, provider, bob):
    """The code of one browser with the state of another: the PKCE verifier does not fit."""
    stolen = dict(parse_qsl(urlsplit(provider.sign_in(leave(Client()), "bob-17")).query))
    own = dict(parse_qsl(urlsplit(provider.sign_in(leave(client), "eve-99")).query))
    query = urlencode({"code": stolen["code"], "state": own["state"]})
    refused(client, client.get(f"/sign-in/institution/back/?{query}"), 400, NOT_COMPLETED)


def test_who_stays_away_too_long_begins_again(client, provider, bob, monkeypatch):
    address = leave(client)
    monkeypatch.setattr(institution, "SECONDS_AWAY", -1)
    refused(client, come_back(client, provider, address), 400, NOT_COMPLETED)


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "another client"},
        {"aud": ["another client"], "azp": CLIENT_ID},
        {"iss": "https://elsewhere.example"},
        {"exp": 1_000_000_000},
        {"iat": 4_000_000_000},
        {"sub": ""},
        {"sub": "b" * 256},
        {"sub": 17},
        {"sub": "bob\x0017"},
        {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
    ],
    ids=str,
)
def test_an_id_token_for_somebody_else_is_refused(client, provider, bob, claims):
    provider.claims = claims
    refused(client, sign_in(client, provider), 400, NOT_COMPLETED)


def test_an_id_token_for_several_clients_is_accepted_where_this_is_one(client, provider, bob):
    provider.claims = {"aud": [CLIENT_ID, "another client"], "azp": CLIENT_ID}
    sign_in(client, provider)
    assert is_in(client)


@pytest.mark.parametrize("header", [{"alg": "none"}, {"kid": "2"}, {"alg": "HS256"}, {}], ids=str)
def test_an_id_token_without_the_providers_signature_is_refused(client, provider, bob, header):
    """Unsigned, by an unknown key, by the secret that client and provider share, by another key of that name."""
    provider.header = {"alg": "RS256"} | header
    known = CLIENT_SECRET * 2  # long enough for the algorithm
    symmetric = header.get("alg") == "HS256"
    provider.signs_with = OctKey.import_key(known) if symmetric else RSAKey.generate_key(2048)
    refused(client, sign_in(client, provider), 400, NOT_COMPLETED)


def test_a_new_key_of_the_provider_is_fetched(client, provider, bob):
    sign_in(Client(), provider)
    provider.key = provider.signs_with = RSAKey.generate_key(2048, {"kid": "later"})
    sign_in(client, provider)
    assert is_in(client)


def test_a_new_key_with_the_old_id_is_fetched(client, provider, bob):
    sign_in(Client(), provider)
    provider.key = provider.signs_with = RSAKey.generate_key(2048, {"kid": provider.key.kid})
    sign_in(client, provider)
    assert is_in(client)


def test_addresses_are_asked_for_again_after_an_hour(client, provider, bob, monkeypatch):
    leave(Client())
    provider.metadata = {"authorization_endpoint": f"{provider.issuer}/elsewhere"}
    assert leave(Client()).startswith(f"{provider.issuer}/authorize?")
    later = time.monotonic() + 3601
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert leave(client).startswith(f"{provider.issuer}/elsewhere?")


@pytest.mark.parametrize(
    "answer",
    [
        {"userinfo": {"sub": "bob-17"}},
        {"userinfo": {"sub": "bob-17"}, "id_token": None},
        {"userinfo": {"sub": "bob-17"}, "id_token": 5},
        {"access_token": "x", "token_type": "Bearer"},
        [],
        5,
    ],
    ids=str,
)
def test_an_answer_without_an_id_token_is_refused(client, provider, bob, answer):
    if isinstance(answer, dict):
        answer = {"access_token": "x", "token_type": "Bearer"} | answer
    provider.answer = answer
    refused(client, sign_in(client, provider), 400, NOT_COMPLETED)


@pytest.mark.parametrize(
    "name", ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"]
)
@pytest.mark.parametrize("address", ["ftp://127.0.0.1/x", "/x", 5])
def test_an_address_that_is_not_https_is_refused(client, provider, bob, name, address):
    provider.metadata = {name: address}
    refused(client, client.get("/sign-in/institution/"), 400, NOT_COMPLETED)


@pytest.mark.parametrize("name", institution.ENDPOINTS)
def test_http_is_for_an_issuer_on_loopback_only(settings, name):
    settings.OIDC_ISSUER = "https://login.example.org"
    metadata = {"issuer": settings.OIDC_ISSUER} | dict.fromkeys(
        institution.ENDPOINTS, "https://login.example.org/x"
    )
    institution._check(metadata)
    with pytest.raises(institution.PlainEndpoint):
        institution._check(metadata | {name: "http://login.example.org/x"})


@pytest.mark.parametrize("claim", [None, 5, ["Bob"]], ids=str)
def test_a_name_that_is_no_text_is_not_proposed(client, provider, token, claim):
    provider.claims = {"name": claim}
    path = invitations.invitation_path(token)
    sign_in(client, provider, path=f"{path}institution/")
    assert client.get(path).context["form"]["name"].value() == ""


def test_a_provider_that_calls_itself_otherwise_is_refused_until_it_no_longer_does(
    client, provider, bob
):
    provider.metadata = {"issuer": "https://elsewhere.example"}
    refused(client, client.get("/sign-in/institution/"), 400, NOT_COMPLETED)
    provider.metadata = {}
    sign_in(client, provider)
    assert is_in(client)


def test_who_says_no_at_the_institution_is_not_signed_in(client, provider, bob):
    answer = client.get(
        "/sign-in/institution/back/?error=access_denied&error_description=Call+0123"
    )
    page = refused(client, answer, 400, NOT_COMPLETED)
    assert "0123" not in page


# ---------------------------------------------------------------- a provider that is down


@pytest.mark.parametrize("issuer", ["http://127.0.0.1:9", None])
def test_a_provider_that_is_down_gives_one_sentence_and_a_password_still_works(
    client, provider, bob, settings, issuer
):
    provider.status = 502
    settings.OIDC_ISSUER = issuer or provider.issuer
    answer = client.get("/sign-in/institution/")
    refused(client, answer, 503, "The server of Abbey College does not answer. Try again later")
    answer = client.post("/sign-in/", {"username": "bob", "password": PASSWORD})
    assert answer.status_code == 302
    assert is_in(client)


def test_a_provider_that_fails_on_the_way_back_gives_one_sentence(client, provider, bob):
    address = leave(client)
    provider.status = 502
    refused(client, come_back(client, provider, address), 503, "Abbey College does not answer")


@pytest.mark.parametrize("when", ["on the way there", "on the way back"])
def test_a_provider_that_never_answers_holds_nobody_for_long(
    client, provider, bob, monkeypatch, when
):
    monkeypatch.setattr(institution, "TIMEOUT", 1)
    address = leave(client) if when == "on the way back" else ""
    with provider.silent():
        answer = (
            come_back(client, provider, address) if address else client.get("/sign-in/institution/")
        )
    refused(client, answer, 503, "Abbey College does not answer")


def test_one_way_too_many_there_waits_and_asks_nobody(client, provider, bob):
    use_up(f"institution {keyed_hash('127.0.0.1')}", LEAVINGS)
    answer = client.get("/sign-in/institution/")
    refused(client, answer, 429, "Many people at your address are signing in at once.")
    assert int(answer["Retry-After"]) >= 1


def test_a_session_of_somebody_who_never_comes_back_is_short(client, provider):
    leave(client)
    assert Session.objects.filter(expire_date__lt=in_seconds(901)).count() == 1
    client.post("/sign-in/", {"username": person("alice").username, "password": PASSWORD})
    (session,) = Session.objects.all()
    assert (session.expire_date - session.signed_in_at).days in (29, 30)


# ---------------------------------------------------------------- joining


@pytest.fixture
def token():
    return invitations.invite(roles=[Role.JUDGE], by=person("olga", Role.ADMIN))


def test_an_invited_person_joins_with_an_identity_and_no_password(client, provider, token):
    path = invitations.invitation_path(token)
    assert "Join with Abbey College" in client.get(path).content.decode()
    answer = sign_in(client, provider, path=f"{path}institution/")
    assert answer["Location"] == path
    page = client.get(path).content.decode()
    assert 'value="Bob of the Abbey"' in page
    assert 'type="password"' not in page
    assert client.post(path, {"username": "bob", "name": "Bob"}).status_code == 302
    bob = Person.objects.get(username="bob")
    assert bob.roles == {Role.JUDGE}
    assert not bob.has_usable_password()
    assert (bob.identity.issuer, bob.identity.subject) == (provider.issuer, "bob-17")
    again = Client()
    sign_in(again, provider)
    assert is_in(again)
    page = client.get("/account/").content.decode()
    assert "Change your password" not in page
    assert "have no password here" in client.get("/account/second-factor/").content.decode()
    assert "have no password here" in client.get("/account/institution/").content.decode()


# ---------------------------------------------------------------- making a token

TOKENS = "/account/tokens/"
TOKEN = {"name": "notebook", "scopes": ["read"], "days": 90}


@pytest.fixture
def without_password(client, provider, bob):
    bob.set_unusable_password()
    bob.save()
    sign_in(client, provider)
    return bob


def prove(client, provider, subject="bob-17"):
    return sign_in(client, provider, subject, f"{TOKENS}institution/")


def test_who_has_no_password_makes_a_token_after_signing_in_there_anew(
    client, provider, without_password
):
    assert client.post(TOKENS, TOKEN).status_code == 400  # being signed in is not enough
    assert f'href="{TOKENS}institution/"' in client.get(TOKENS).content.decode()
    address = leave(client, f"{TOKENS}institution/")
    assert asks_for_a_new_sign_in(address)
    assert come_back(client, provider, address)["Location"] == TOKENS
    page = client.get(TOKENS).content.decode()
    assert "Make the token" in page
    assert 'type="password"' not in page
    assert client.post(TOKENS, TOKEN | {"name": ""}).status_code == 400
    assert client.post(TOKENS, TOKEN).status_code == 200
    assert client.post(TOKENS, TOKEN).status_code == 400  # one token for each time
    assert ApiToken.objects.get().person == without_password


@pytest.mark.parametrize(
    "claims", [{}, {"auth_time": None}, {"auth_time": 0}, {"auth_time": ""}], ids=str
)
def test_a_sign_in_there_that_is_not_known_to_be_new_makes_no_token(
    client, provider, without_password, claims
):
    provider.claims = claims
    answer = come_back(client, provider, not_asking(leave(client, f"{TOKENS}institution/")))
    assert answer.status_code == 403
    assert "does not say that you signed in there just now" in answer.content.decode()
    assert client.post(TOKENS, TOKEN).status_code == 400


def test_a_new_sign_in_there_holds_for_minutes(client, provider, without_password, monkeypatch):
    prove(client, provider)
    later = time.time() + PROOF_HOLDS + 1
    with monkeypatch.context() as clock:
        clock.setattr(time, "time", lambda: later)
        answer = client.post(TOKENS, TOKEN)
    assert answer.status_code == 400
    assert not ApiToken.objects.exists()
    # What was entered stays, and is sent after a further sign-in in another tab.
    page = answer.content.decode()
    assert 'value="notebook"' in page
    assert re.search(r'value="read"[^>]*checked', page)
    assert 'type="password"' not in page
    assert f'href="{TOKENS}institution/" target="_blank"' in page
    assert "what you entered is kept" in page
    prove(client, provider)
    assert client.post(TOKENS, TOKEN).status_code == 200


@pytest.mark.parametrize("subject", ["eve-99", "carl-3"])
def test_a_new_sign_in_there_as_somebody_else_makes_nothing(
    client, provider, without_password, subject
):
    """Whether that identity is linked to an account or not."""
    carl = person("carl", Role.ADMIN)
    Identity.objects.create(person=carl, issuer=provider.issuer, subject="carl-3")
    assert prove(client, provider, subject).status_code == 403
    assert client.post(TOKENS, TOKEN).status_code == 400
    assert is_in(client)


def test_a_new_sign_in_there_counts_in_its_own_session_alone(client, provider, without_password):
    other = Client()
    sign_in(other, provider)
    prove(client, provider)
    assert other.post(TOKENS, TOKEN).status_code == 400
    back = provider.sign_in(leave(client, f"{TOKENS}institution/"), "bob-17")
    client.post("/sign-out/")
    refused(client, client.get(path_of(back)), 400, NOT_COMPLETED)


def test_who_has_a_password_is_asked_for_it_whatever_the_institution_says(client, provider, bob):
    client.force_login(bob)
    prove(client, provider)
    assert client.post(TOKENS, TOKEN).status_code == 400
    assert client.post(TOKENS, TOKEN | {"current_password": PASSWORD}).status_code == 200


def test_a_silent_institution_makes_no_token(client, provider, without_password):
    institution._client.cache_clear()
    provider.status = 500
    assert client.get(f"{TOKENS}institution/").status_code == 503
    assert is_in(client)


def test_without_an_invitation_nobody_joins(client, provider, token):
    assert client.get("/join/nonsense/institution/").status_code == 404
    address = leave(client, f"{invitations.invitation_path(token)}institution/")
    Invitation.objects.update(withdrawn_at="2026-01-01T00:00:00Z")
    refused(client, come_back(client, provider, address), 410, "This invitation has expired")
    assert Person.objects.count() == 1


def test_an_identity_is_good_for_the_invitation_that_it_was_shown_for_only(client, provider, token):
    other = invitations.invite(roles=list(Role), by=Person.objects.get())
    sign_in(client, provider, path=f"{invitations.invitation_path(token)}institution/")
    path = invitations.invitation_path(other)
    page = client.post(path, {"username": "bob", "name": "Bob"}).content.decode()
    assert "This field is required" in page
    assert not Person.objects.filter(username="bob").exists()


@pytest.mark.parametrize("change", ["issuer", "time", "a password instead"])
def test_an_identity_that_counts_no_more_gives_way_to_a_password(
    client, provider, token, settings, monkeypatch, change
):
    path = invitations.invitation_path(token)
    sign_in(client, provider, path=f"{path}institution/")
    assert "Join with a password instead" in client.get(path).content.decode()
    if change == "issuer":
        settings.OIDC_ISSUER = "https://elsewhere.example"
    elif change == "time":
        later = time.time() + 901
        monkeypatch.setattr(time, "time", lambda: later)
    else:
        path += "?password"
    new = {"username": "bob", "name": "Bob", "password": "eleven slow otters"}
    assert "This field is required" in client.post(path, new | {"password": ""}).content.decode()
    assert client.post(path, new).status_code == 302
    assert Person.objects.get(username="bob").has_usable_password()
    assert not Identity.objects.exists()


def test_an_identity_of_one_person_does_not_join_as_another(client, provider, bob, token):
    path = invitations.invitation_path(token)
    sign_in(client, provider, path=f"{path}institution/")
    answer = client.post(path, {"username": "robert", "name": "Robert"})
    assert answer.status_code == 409
    assert not Person.objects.filter(username="robert").exists()
    assert Invitation.objects.get().used_by is None


def test_the_token_of_an_invitation_is_in_no_session(client, provider, token):
    leave(client, f"{invitations.invitation_path(token)}institution/")
    kept = str(dict(client.session))
    assert "'for': 'join'" in kept
    assert token not in kept


# ---------------------------------------------------------------- linking an account


@pytest.fixture
def carol(client, provider):
    carol = person("carol", Role.JUDGE)
    client.force_login(carol)
    return carol


def test_a_signed_in_person_links_an_identity_after_the_password(client, provider, carol):
    assert link(client, provider, "carol-3")["Location"] == reverse("accounts:linked")
    assert Identity.objects.get().person == carol
    other = Client()
    sign_in(other, provider, "carol-3")
    assert is_in(other)


def test_no_identity_is_linked_without_the_password(client, provider, carol):
    answer = client.post("/account/institution/", {"current_password": "wrong"})
    assert answer.status_code == 400
    assert "authorize" not in answer.content.decode()
    for _ in range(5):
        answer = client.post("/account/institution/", {"current_password": "wrong"})
    assert answer.status_code == 429


def test_a_sign_in_of_a_signed_in_person_links_nothing(client, provider, carol):
    assert client.get("/sign-in/institution/")["Location"] == "/"
    assert not Identity.objects.exists()


def test_an_identity_of_another_person_is_not_linked(client, provider, bob, carol):
    answer = link(client, provider, "bob-17")
    assert answer.status_code == 409
    assert "linked to another account" in answer.content.decode()
    assert Identity.objects.get().person == bob


def test_nothing_is_linked_for_a_person_whose_session_ended_meanwhile(client, provider, carol):
    page = client.post("/account/institution/", {"current_password": PASSWORD})
    client.force_login(person("dora"))
    answer = come_back(client, provider, page.context["there"])
    assert answer.status_code in (400, 403)
    assert not Identity.objects.exists()


@pytest.fixture
def codes(carol):
    """Carol's second factor is on; her recovery codes."""
    secret = pyotp.random_base32()
    return second_factor.turn_on(carol, secret, pyotp.TOTP(secret).now())


def test_where_a_second_factor_is_on_a_link_is_made_and_removed_by_its_code_too(
    client, provider, carol, codes
):
    for path in ("/account/institution/", "/account/institution/remove/"):
        for wrong in ({}, {"code": "000000"}, {"code": codes[0], "current_password": "wrong"}):
            answer = client.post(path, {"current_password": PASSWORD} | wrong)
            assert (answer.status_code, "there" in answer.context) == (400, False)
        assert 'name="code"' in client.get("/account/institution/").content.decode()
        if path == "/account/institution/":
            link(client, provider, "carol-3", code=codes[0])
        assert Identity.objects.exists()
    sent = {"current_password": PASSWORD, "code": codes[1]}
    assert client.post("/account/institution/remove/", sent).status_code == 302
    assert not Identity.objects.exists()


@pytest.mark.parametrize(("claims", "joins"), [({}, False), ({"auth_time": None}, True)], ids=str)
def test_nobody_joins_or_links_by_a_sign_in_of_before(
    client, provider, carol, token, claims, joins
):
    """Some institutions, as Google, do not say when it was: what they are asked for has to do."""
    provider.claims = claims
    page = client.post("/account/institution/", {"current_password": PASSWORD})
    answer = come_back(client, provider, not_asking(page.context["there"]), "carol-3")
    assert (answer.status_code, Identity.objects.exists()) == (302 if joins else 403, joins)
    new, path = Client(), invitations.invitation_path(token)
    answer = come_back(new, provider, not_asking(leave(new, f"{path}institution/")))
    assert answer.status_code == (302 if joins else 403)
    assert ("Bob of the Abbey" in new.get(path).content.decode()) == joins


def test_joining_and_linking_ask_for_a_sign_in_of_now(client, provider, carol, token):
    """Or the identity of the person before at this computer would be linked."""
    assert not asks_for_a_new_sign_in(leave(Client()))
    path = f"{invitations.invitation_path(token)}institution/"
    assert asks_for_a_new_sign_in(leave(Client(), path))
    page = client.post("/account/institution/", {"current_password": PASSWORD})
    assert asks_for_a_new_sign_in(page.context["there"])


@pytest.mark.parametrize(
    ("claim", "shown"), [("Bob of the Abbey", "Bob of the Abbey"), (None, "b-17")]
)
def test_who_has_come_back_is_named(client, provider, carol, token, claim, shown):
    provider.claims = {"name": claim}
    link(client, provider, "b-17")
    assert f"as {shown} at Abbey College" in client.get("/account/institution/").content.decode()
    other, path = Client(), invitations.invitation_path(token)
    sign_in(other, provider, "b-17", path=f"{path}institution/")
    assert f"as {shown} at Abbey College" in other.get(path).content.decode()


def test_removing_the_link_ends_the_other_sessions(client, provider, carol):
    link(client, provider, "carol-3")
    other = Client()
    sign_in(other, provider, "carol-3")
    client.post("/account/institution/remove/", {"current_password": PASSWORD})
    assert (is_in(client), is_in(other)) == (True, False)


def test_an_admin_sees_and_removes_a_link_and_their_sessions_end(client, provider, bob, settings):
    theirs, olga = Client(), person("olga", Role.ADMIN)
    sign_in(theirs, provider)
    client.force_login(olga)
    page, path = f"/people/{bob.pk}/", f"/people/{bob.pk}/institution/remove/"
    settings.OIDC_ISSUER = ""  # a link stays when sign-in with the institution is turned off
    assert path in client.get(page).content.decode()
    assert client.post(path)["Location"] == page
    assert not is_in(theirs)
    assert not Identity.objects.exists()
    assert path not in client.get(page).content.decode()
    assert logged()[-1] == ("identity", "olga", "bob", "removed")
    assert client.post(f"/people/{olga.pk}/institution/remove/").status_code == 400


def test_an_identity_is_removed_by_the_password(client, provider, carol):
    link(client, provider, "carol-3")
    wrong = client.post("/account/institution/remove/", {"current_password": "wrong"})
    assert wrong.status_code == 400
    assert Identity.objects.exists()
    client.post("/account/institution/remove/", {"current_password": PASSWORD})
    assert not Identity.objects.exists()


def test_a_linked_account_is_not_linked_again(client, provider, carol):
    link(client, provider, "carol-3")
    answer = client.post("/account/institution/", {"current_password": PASSWORD})
    assert answer.status_code == 409


def test_every_page_carries_the_strict_policy(client, provider, carol):
    for path in ("/account/institution/", "/account/"):
        policy = client.get(path)["Content-Security-Policy"]
        assert "form-action 'self'" in policy
        assert provider.issuer not in policy


def test_it_is_in_the_audit_log_without_the_identity(client, provider, carol):
    link(client, provider, "carol-3")
    sign_in(Client(), provider, "carol-3")
    sign_in(Client(), provider, "eve-99")
    client.post("/account/institution/remove/", {"current_password": PASSWORD})
    bob = person("bob", is_active=False)
    institution.link(bob, "bob-17")
    sign_in(Client(), provider, "bob-17")
    assert logged()[1:] == [
        ("identity", "carol", "None", "linked"),
        ("sign-in", "carol", "None", "with an institution"),
        ("failure", "None", "None", "unknown identity"),
        ("identity", "carol", "None", "removed"),
        ("identity", "bob", "None", "linked"),
        ("failure", "None", "bob", "identity of a person who may not sign in"),
    ]
