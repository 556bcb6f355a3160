"""The signature under a packet's PDF (PAdES, Ed25519 after ISO/TS 32002), made with the log's own key, and its strict check.

A PDF is signed over all of its bytes but the signature. The signature (a CMS object, RFC 5652 and RFC 8419, with a certificate
for the key) is built in one way only, so the checker builds it again and compares: no byte of the file can differ. PDF readers
check the signature as any other; the certificate says only which key it is.
"""

import io
import re
from datetime import UTC, datetime
from hashlib import sha256, sha512

import msgspec

from desk.packet.bundle import BadPacket
from events.proofs.signed_note import KeyKind, PublicKey, Signer

FIELD = "Custodian"
HASH = "sha512"
_RANGE = re.compile(rb"/ByteRange \[([0-9 ]{7,80})\]")


class Signature(msgspec.Struct, frozen=True):
    """The content of our CMS object: the key and its id, and the digests that it signed (certificate and document)."""

    public: bytes
    key_id: str
    of_certificate: bytes = bytes(64)
    of_document: bytes = bytes(64)


def sign_pdf(pdf: bytes, signer: Signer, at_us: int) -> bytes:
    """Return the document with a signature added.

    A line break is added first: PDF/A requires each object, the signature too, to begin a line (ISO 19005-4, 6.1.8).
    """
    from pyhanko.pdf_utils.generic import ArrayObject, ByteStringObject, pdf_name
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import fields, signers
    from pyhanko.sign.signers import cms_embedder, constants

    class Writer(IncrementalPdfFileWriter):
        """Keeps Typst's metadata, which date the document, not the moment of signing."""

        def _update_meta(self) -> None:
            pass

    pdf = pdf if pdf.endswith(b"\n") else pdf + b"\n"
    key = signer.public_key
    signature = Signature(key.key, key.id.hex())
    made = datetime.fromtimestamp(at_us // 1_000_000, UTC)
    writer = Writer(io.BytesIO(pdf))
    first = writer.document_id[0]
    writer._document_id = ArrayObject([ByteStringObject(first), ByteStringObject(sha256(pdf).digest()[:16])])
    writer.register_extension(constants.ISO32002)
    embedder = cms_embedder.PdfCMSEmbedder(new_field_spec=fields.SigFieldSpec(FIELD)).write_cms(FIELD, writer)
    next(embedder)
    placeholder = signers.PdfSignedData(
        pdf_name("/Sig"), fields.SigSeedSubFilter.PADES, made, bytes_reserved=2 * len(_cms(signature, bytes(64)))
    )
    lock = cms_embedder.SigMDPSetup(md_algorithm=HASH, certify=True, docmdp_perms=fields.MDPPerm.NO_CHANGES)
    embedder.send(cms_embedder.SigObjSetup(sig_placeholder=placeholder, mdp_setup=lock))
    prepared, output = embedder.send(cms_embedder.SigIOSetup(md_algorithm=HASH))
    digest = prepared.document_digest
    signature = msgspec.structs.replace(signature, of_certificate=signer.sign(_to_be_certified(signature)))
    signature = msgspec.structs.replace(signature, of_document=signer.sign(_attributes(signature, digest)))
    embedder.send(_cms(signature, digest))
    return bytes(output.getvalue())


def check_pdf(pdf: bytes) -> Signature:
    """Return the signature over every byte of a document; the caller decides about its key. Raises `BadPacket`."""
    found = list(_RANGE.finditer(pdf))
    numbers = [int(each) for each in found[-1][1].split()] if found else []
    if len(numbers) != 4:
        raise BadPacket("the PDF", "it is not signed, or the place of its signature cannot be read")
    begin, before, after, rest = numbers
    if begin or not 0 < before < after or after + rest != len(pdf) or after - before > len(pdf):
        raise BadPacket("the PDF", "its signature does not cover the whole file: something was added, cut off or changed")
    hole = pdf[before:after]
    digest = sha512(pdf[:before] + pdf[after:]).digest()
    template = Signature(b"\xaa" * 32, "?" * 8, b"\xcc" * 64, b"\xdd" * 64)
    built = _cms(template, digest)
    if not re.fullmatch(rb"<[0-9A-F]{%d}>" % (2 * len(built)), hole):
        raise BadPacket("the PDF", "its signature is not of the form that this program makes")
    stored = bytes.fromhex(hole[1:-1].decode())
    signature = Signature(
        public=_at(stored, built, template.public),
        key_id=_at(stored, built, template.key_id.encode()).decode("latin-1"),
        of_certificate=_at(stored, built, template.of_certificate),
        of_document=_at(stored, built, template.of_document),
    )
    if _cms(signature, digest) != stored:
        raise BadPacket("the PDF", "its signature is not one over these bytes: pages, attached events or signature were changed")
    key = PublicKey("log", KeyKind.LOG, signature.public)
    if not key.verifies(signature.of_certificate, _to_be_certified(signature)):
        raise BadPacket("the PDF", "the certificate of its signature is not signed by its own key")
    if not key.verifies(signature.of_document, _attributes(signature, digest)):
        raise BadPacket("the PDF", "its signature does not fit its bytes: pages, attached events or signature were changed")
    return signature


def _at(stored: bytes, template: bytes, value: bytes) -> bytes:
    """Return the text in the place of a value in the template."""
    place = template.index(value)
    return stored[place : place + len(value)]


# --------------------------------------------------------------------------------------------------------- CMS, X.509
# Distinguished Encoding Rules (X.690): a tag, the length, the content.


def _der(tag: int, *parts: bytes) -> bytes:
    """Return a value with its tag and its length.

    >>> _der(0x04, bytes(2)).hex(), _der(0x04, bytes(200))[:3].hex(), _der(0x30, bytes(300))[:4].hex()
    ('04020000', '0481c8', '3082012c')
    """
    content = b"".join(parts)
    length = len(content).to_bytes((len(content).bit_length() + 7) // 8 or 1, "big")
    long_form = bytes([0x80 | len(length)]) if len(content) > 127 else b""
    return bytes([tag]) + long_form + length + content


def _sequence(*parts: bytes) -> bytes:
    return _der(0x30, *parts)


def _set(*parts: bytes) -> bytes:
    return _der(0x31, *sorted(parts))


def _octets(content: bytes) -> bytes:
    return _der(0x04, content)


def _bits(content: bytes, unused: int = 0) -> bytes:
    return _der(0x03, bytes([unused]), content)


def _oid(arcs: str) -> bytes:
    """Return an object identifier.

    >>> _oid("1.2.840.113549.1.7.2").hex()
    '06092a864886f70d010702'
    """
    first, second, *rest = map(int, arcs.split("."))
    content = bytearray([40 * first + second])
    for arc in rest:
        groups = [arc & 0x7F]
        while arc := arc >> 7:
            groups.append(0x80 | arc & 0x7F)
        content += bytes(reversed(groups))
    return _der(0x06, bytes(content))


_ED25519 = _sequence(_oid("1.3.101.112"))
_SHA512 = _sequence(_oid("2.16.840.1.101.3.4.2.3"), _der(0x05))
_DATA = _oid("1.2.840.113549.1.7.1")
_SIGNS_ONLY = _sequence(_oid("2.5.29.15"), _der(0x01, b"\xff"), _octets(_bits(b"\xc0", unused=6)))
"""The key's usage, critical: digital signature, and non-repudiation."""
_ALWAYS = _sequence(_der(0x17, b"200101000000Z"), _der(0x18, b"99991231235959Z"))
"""A certificate that does not expire (RFC 5280, 4.1.2.5)."""


def _name(signature: Signature) -> bytes:
    words = f"Discard Rack log key {signature.key_id}".encode()
    return _sequence(_set(_sequence(_oid("2.5.4.3"), _der(0x0C, words))))


def _serial(signature: Signature) -> bytes:
    """Return the certificate's number, derived from the key, always 16 bytes."""
    return _der(0x02, b"\x40", sha256(signature.public).digest()[:15])


def _to_be_certified(signature: Signature) -> bytes:
    """Return the part of the certificate that the key signs: the key's name and its use for signing."""
    key_id = _sequence(_oid("2.5.29.14"), _octets(_octets(sha256(signature.public).digest()[:20])))
    return _sequence(
        _der(0xA0, _der(0x02, b"\x02")),  # version 3
        _serial(signature),
        _ED25519,
        _name(signature),
        _ALWAYS,
        _name(signature),
        _sequence(_ED25519, _bits(signature.public)),
        _der(0xA3, _sequence(_SIGNS_ONLY, key_id)),
    )


def _certificate(signature: Signature) -> bytes:
    return _sequence(_to_be_certified(signature), _ED25519, _bits(signature.of_certificate))


def _attributes(signature: Signature, digest: bytes) -> bytes:
    """Return the attributes of the document that the key signs: its digest, and the certificate (RFC 5035)."""
    certificate = _sequence(_SHA512, _octets(sha512(_certificate(signature)).digest()))
    return _set(
        _sequence(_oid("1.2.840.113549.1.9.3"), _set(_DATA)),
        _sequence(_oid("1.2.840.113549.1.9.4"), _set(_octets(digest))),
        _sequence(_oid("1.2.840.113549.1.9.16.2.47"), _set(_sequence(_sequence(certificate)))),
    )


def _cms(signature: Signature, digest: bytes) -> bytes:
    signer = _sequence(
        _der(0x02, b"\x01"),
        _sequence(_name(signature), _serial(signature)),
        _SHA512,
        b"\xa0" + _attributes(signature, digest)[1:],  # implicitly tagged
        _ED25519,
        _octets(signature.of_document),
    )
    signed = _sequence(_der(0x02, b"\x01"), _set(_SHA512), _sequence(_DATA), _der(0xA0, _certificate(signature)), _set(signer))
    return _sequence(_oid("1.2.840.113549.1.7.2"), _der(0xA0, signed))
