"""An identity provider (OpenID Connect: authorization code with PKCE) for one client, the pages.

It has no server: its caller asks people who they are, and passes requests and answers.
"""

import secrets
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from joserfc import jwt
from joserfc.jwk import RSAKey

CODE_SECONDS: Final = 60
MOST_GRANTS: Final = 1_000
"""The limit of codes that wait to be fetched; the oldest makes room."""


class Grant(NamedTuple):
    """An issued authorization code: the token's claims, and the proof of who may fetch it."""

    claims: Mapping[str, Any]
    nonce: str
    challenge: str
    until: float


class Provider:
    """Issues codes, and one token for each. Its key lives as long as the process, as sign-ins do."""

    def __init__(self, issuer: str, redirect_uri: str, client_id: str, client_secret: str) -> None:
        self.issuer, self.redirect_uri = issuer, redirect_uri
        self.client_id, self.client_secret = client_id, client_secret
        self._key = RSAKey.generate_key(2048, {"kid": secrets.token_hex(8), "use": "sig", "alg": "RS256"})
        self._grants: dict[str, Grant] = {}
        self._lock = threading.Lock()

    def is_ours(self, asked: Mapping[str, str]) -> bool:
        """Return whether a sign-in request comes from the pages themselves."""
        return (
            asked.get("client_id") == self.client_id
            and asked.get("redirect_uri") == self.redirect_uri
            and asked.get("response_type") == "code"
            and asked.get("code_challenge_method") == "S256"
            and bool(asked.get("code_challenge"))
        )

    def grant(self, asked: Mapping[str, str], claims: Mapping[str, Any]) -> str:
        """Return the address that returns the person to the pages, signed in with these claims."""
        code = secrets.token_urlsafe(32)
        made = Grant(claims, asked.get("nonce", ""), asked.get("code_challenge", ""), time.time() + CODE_SECONDS)
        with self._lock:
            while len(self._grants) >= MOST_GRANTS:
                del self._grants[next(iter(self._grants))]
            self._grants[code] = made
        return f"{self.redirect_uri}?{urlencode({'code': code, 'state': asked.get('state', '')})}"

    def token(self, asked: Mapping[str, str], authorization: str) -> dict[str, Any] | None:
        """Return the token of a code once, to its owner; None if it is refused."""
        with self._lock:
            grant = self._grants.pop(asked.get("code", ""), None)
        challenge = urlsafe_b64encode(sha256(asked.get("code_verifier", "").encode()).digest()).decode().rstrip("=")
        if (
            not self._is_client(asked, authorization)
            or grant is None
            or grant.until < time.time()
            or asked.get("redirect_uri") != self.redirect_uri
            or not secrets.compare_digest(grant.challenge.encode(), challenge.encode())
        ):
            return None
        now = int(time.time())
        said = {"iss": self.issuer, "aud": self.client_id, "iat": now, "exp": now + 3600, "nonce": grant.nonce}
        token = jwt.encode({"alg": "RS256", "kid": self._key.kid}, {**grant.claims, **said}, self._key)
        return {"access_token": secrets.token_hex(16), "token_type": "Bearer", "expires_in": 3600, "id_token": token}

    def keys(self) -> dict[str, Any]:
        """Return the public key for checking tokens."""
        return {"keys": [self._key.as_dict(private=False)]}

    def metadata(self, server: str) -> dict[str, Any]:
        """Return the provider's metadata; `server` is its address for the pages' server."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{server}/token",
            "jwks_uri": f"{server}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        }

    def _is_client(self, asked: Mapping[str, str], authorization: str) -> bool:
        given = f"{asked.get('client_id', '')}:{asked.get('client_secret', '')}".encode()
        if authorization.startswith("Basic "):
            try:
                given = b64decode(authorization.removeprefix("Basic "))
            except ValueError:
                return False
        return secrets.compare_digest(given, f"{self.client_id}:{self.client_secret}".encode())
