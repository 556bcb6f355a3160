"""Access rights: every page and action checks them here. Leaving a page out of a menu protects nothing.

The pages are served in one of two ways (`rack dashboard --login FILE`, `--read-only`): with a login at the property's identity
provider (OIDC, by Streamlit), where roles come from a claim; or without a login, on this machine only, where no one is known and
nothing can be changed. Anything that the environment does not allow is refused.
"""

import os
import re
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from dashboards.access.page_list import PAGES, Role
from dashboards.access.sign_ins import LONGEST_S, SIGN_INS, key_of
from dashboards.drawing import markup
from dashboards.run import ACCESS_VARIABLE, LOGIN, READ_ONLY

PERSON = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")
EMAIL = "email"
HIDING = "anonymous"
"""The switch of a page by which its viewer hides names."""


REVIEW, PACKET, EXPORT, FIGURES, NAMES = "review", "packet", "export", "figures", "names"
"""Rights next to the pages: to act on findings and disputes, to take packets, lists or figures away, and to see names."""

DENIED: Mapping[str, str] = {
    REVIEW: "may not review findings",
    PACKET: "may not make dispute packets",
    EXPORT: "may not export lists",
    FIGURES: "may not export figures",
    NAMES: "may not see names",
    "pit": "may not enter anything at a table",
    "count": "may not count boxes",
    "filing": "may not file rules",
    "setup": "may not apply the property's file",
}
"""Right that is no page → what a role without it may not do."""

_RIGHTS_OF: Mapping[Role, frozenset[str]] = {
    Role.SURVEILLANCE: frozenset({REVIEW, PACKET, EXPORT, FIGURES, NAMES}),
    Role.ANALYST: frozenset({FIGURES}),
    Role.AUDITOR: frozenset({PACKET, EXPORT, FIGURES, NAMES}),
    Role.COMPLIANCE: frozenset({FIGURES}),
}
RIGHTS: Mapping[Role, frozenset[str]] = {
    role: _RIGHTS_OF.get(role, frozenset()) | {name for name, page in PAGES.items() if role in page.roles} for role in Role
}
"""Role → pages and rights. Who has several roles has the rights of all."""


class Session(NamedTuple):
    """The viewer: None without a login; the rights of the roles; if nothing may be seen, the reason."""

    person: str | None
    rights: frozenset[str]
    refusal: str = ""


def session() -> Session:
    """Return the viewer of this page."""
    how = os.environ.get(ACCESS_VARIABLE)
    if how == READ_ONLY:
        return Session(None, frozenset({*PAGES, NAMES}))
    if how != LOGIN:
        return Session(None, frozenset(), "Start these pages with `rack dashboard`, which says who may see them.")
    who = of_claims(claims(), roles_setting(), time.time())
    SIGN_INS.belongs_to(sign_in(), who.person)
    return who


def of_claims(said: Mapping[str, Any], setting: Mapping[str, Any], now_s: float) -> Session:
    """Return the session from an identity provider's claims and the `[roles]` of the secrets file."""
    if not said.get("is_logged_in"):
        return Session(None, frozenset(), "Log in to see the pages.")
    issued = said.get("iat")
    if not isinstance(issued, int | float) or not now_s - LONGEST_S <= issued <= now_s + 300:
        return Session(None, frozenset(), "This login is over: log out and in again.")
    claim = str(setting.get("person", EMAIL))
    person = str(said.get(claim) or "")
    if not person.isascii() or not PERSON.fullmatch(person := person.lower()):
        return Session(None, frozenset(), "The login names no person: its claim for the person is missing or is not a name.")
    if claim == EMAIL and said.get("email_verified") is not True:
        return Session(
            None,
            frozenset(),
            "The identity provider does not confirm that this e-mail address is yours (email_verified): "
            "have it verified there, then log in again.",
        )
    given = said.get(str(setting.get("claim", "roles")))
    held = {given} if isinstance(given, str) else {str(each) for each in given} if isinstance(given, list) else set()
    roles = [role for role in Role if held & set(_values(setting.get(role.value)))]
    rights = frozenset().union(*(RIGHTS[role] for role in roles))
    return Session(person, rights, "" if rights else "This login has no role here: ask the property's administrator.")


def may(right: str) -> bool:
    """Return whether the viewer may open a page, or has a right."""
    return right in session().rights


def names_hidden() -> bool:
    """Return whether the page shows no names: its viewer may not see them, or hides them."""
    return not may(NAMES) or bool(st.session_state.get(HIDING))


def refusal(right: str) -> str | None:
    """Return why the viewer may not open a page or do something; None if it is allowed."""
    who = session()
    if right in who.rights:
        return None
    return who.refusal or f"Your role {DENIED.get(right, 'has no access to this page')}."


def person() -> str | None:
    """Return who is logged in; None without a login."""
    return session().person


def gate(right: str) -> None:
    """End the page here, with the reason and the login, if the viewer may not see it."""
    why = refusal(right)
    if why is None:
        return
    by_login = os.environ.get(ACCESS_VARIABLE) == LOGIN
    known = bool(by_login and claims().get("is_logged_in"))
    st.html(markup.empty("Sign-in required" if by_login and not known else "No access", why))
    if by_login:
        if known:
            st.button("Log out", on_click=st.logout)
        else:
            st.button("Log in", on_click=st.login, type="primary")
    st.stop()


def claims() -> Mapping[str, Any]:
    """Return the identity provider's claims about the viewer; empty if the sign-in is over."""
    return {str(key): value for key, value in st.user.to_dict().items()} if sign_in() is not None else {}


def sign_in() -> str | None:
    """Return this page's sign-in; None without one or if it is over."""
    key = key_of(st.context.cookies.to_dict())
    return key if SIGN_INS.holds(key) else None


def roles_setting() -> Mapping[str, Any]:
    """Return `[roles]` of the secrets file: the claim with the roles, and each role's values of the claim."""
    setting = st.secrets.get("roles", {})
    return {str(key): setting[key] for key in setting}


def _values(given: object) -> list[str]:
    if isinstance(given, str):
        return [given]
    return [str(each) for each in given] if isinstance(given, list | tuple) else []
