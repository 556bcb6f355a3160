"""Certificates for a development cluster: an authority of its own, and one certificate for all of its nodes.

They are valid for 127.0.0.1 only. The authority's private key is deleted: no one can make another certificate that the cluster
would accept.
"""

import datetime
import ipaddress
import os
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

AUTHORITY_NAME, NODE_NAME = "rack-development-authority", "rack-development-node"
"""Common names: of the authority, and of the nodes, who act under it among themselves."""
LOOPBACK = ipaddress.ip_address("127.0.0.1")
AUTHORITY, NODE, NODE_CERTIFICATE, NODE_KEY = "ca.pem", "node.pem", "node-certificate.pem", "node-key.pem"
"""Files of the folder: what clients trust; what a node shows (key and certificates); the same apart, for our own client."""
VALID_DAYS = 3650


def make_certificates(folder: Path) -> None:
    """Write the certificates into a folder unless it has them. Private keys get mode 0600."""
    if (folder / AUTHORITY).exists():
        return
    authority_key, node_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    identifier = x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key())
    authority = (
        _builder(AUTHORITY_NAME, authority_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(authority=True), critical=True)
        .add_extension(identifier, critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    node = (
        _builder(NODE_NAME, node_key.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(authority=False), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(LOOPBACK)]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    key = node_key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    chain = node.public_bytes(pem) + authority.public_bytes(pem)
    folder.mkdir(parents=True, exist_ok=True)
    write_secret(folder / NODE, key + chain)
    write_secret(folder / NODE_KEY, key)
    (folder / NODE_CERTIFICATE).write_bytes(chain)
    (folder / AUTHORITY).write_bytes(authority.public_bytes(pem))  # the last: where it is, all are


def write_secret(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, from the first byte on."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)


def _builder(subject: str, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    begun = x509.CertificateBuilder().subject_name(_name(subject)).issuer_name(_name(AUTHORITY_NAME)).public_key(key)
    begun = begun.serial_number(x509.random_serial_number())
    return begun.not_valid_before(now - day).not_valid_after(now + VALID_DAYS * day)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=authority,
        crl_sign=authority,
        encipher_only=False,
        decipher_only=False,
    )
