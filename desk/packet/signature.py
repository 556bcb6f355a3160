"""The signature under a packet's PDF (PAdES, Ed25519 after ISO/TS 32002), made with the log's own key, and its strict check.

A PDF is signed over all of its bytes but the signature itself, and what is there (a CMS object, RFC 5652 and RFC 8419, with
a certificate for the key) is built in one way only. So the checker builds it again and compares: no byte of the file can be
another one. Readers of PDFs check the signature as any other; the certificate says no more than which key it is.
"""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from hashlib import sha256, sha512
from typing import Any

import msgspec

from desk.packet.bundle import BadPacket
from events.proofs.signed_note import KeyKind, PublicKey, Signer

FIELD = "Custodian"
HASH = "sha512"
_RANGE = re.compile(rb"/ByteRange \[([0-9 ]{7,80})\]")


class Signature(msgspec.Struct, frozen=True):
    """What a CMS object of ours is made of: the key and its id, and what it signed (the certificate, and the document)."""

    public: bytes
    key_id: str
    of_certificate: bytes = bytes(64)
    of_document: bytes = bytes(64)


def sign_pdf(pdf: bytes, signer: Signer, at_us: int) -> bytes:
    """Return the document with a signature added.

    The document ends with a line break first: PDF/A wants every object, that of the signature too, to begin a line (ISO 19005-4,
    6.1.8).
    """
    from pyhanko.pdf_utils.generic import ArrayObject, ByteStringObject, pdf_name
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import fields, signers
    from pyhanko.sign.signers import cms_embedder, constants

    class Writer(IncrementalPdfFileWriter):
        """Leaves the metadata as Typst wrote it: that of the document as it was made, not of the moment of signing."""

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
        pdf_name("/Sig"),
        fields.SigSeedSubFilter.PADES,
        made,
        bytes_reserved=2 * len(_cms(signature, bytes(64))),
    )
    lock = cms_embedder.SigMDPSetup(md_algorithm=HASH, certify=True, docmdp_perms=fields.MDPPerm.NO_CHANGES)
    embedder.send(cms_embedder.SigObjSetup(sig_placeholder=placeholder, mdp_setup=lock))
    prepared, output = embedder.send(cms_embedder.SigIOSetup(md_algorithm=HASH))
    digest = prepared.document_digest
    signature = msgspec.structs.replace(signature, of_certificate=signer.sign(_to_be_certified(signature).dump()))
    signature = msgspec.structs.replace(signature, of_document=signer.sign(_attributes(signature, digest).dump()))
    embedder.send(_cms(signature, digest))
    return bytes(output.getvalue())


def check_pdf(pdf: bytes) -> Signature:
    """Return the signature that covers every byte of a document. Whether its key is to be trusted is not asked here.

    Raises `BadPacket`.
    """
    found = list(_RANGE.finditer(pdf))
    numbers = [int(each) for each in found[-1][1].split()] if found else []
    if len(numbers) != 4:
        raise BadPacket("the PDF", "it is not signed, or the place of its signature cannot be read")
    begin, before, after, rest = numbers
    if begin or not 0 < before < after or after + rest != len(pdf) or after - before > len(pdf):
        raise BadPacket(
            "the PDF", "its signature does not cover the whole file: something was added, cut off or changed"
        )
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
        raise BadPacket(
            "the PDF", "its signature is not one over these bytes: pages, attached events or signature were changed"
        )
    key = PublicKey("log", KeyKind.LOG, signature.public)
    if not key.verifies(signature.of_certificate, _to_be_certified(signature).dump()):
        raise BadPacket("the PDF", "the certificate of its signature is not signed by its own key")
    if not key.verifies(signature.of_document, _attributes(signature, digest).dump()):
        raise BadPacket(
            "the PDF", "its signature does not fit its bytes: pages, attached events or signature were changed"
        )
    return signature


def attached(pdf: bytes, name: str) -> bytes:
    """Return a file attached to a document whose bytes were checked. Raises `BadPacket`."""
    from pyhanko.pdf_utils.misc import PdfError
    from pyhanko.pdf_utils.reader import PdfFileReader

    try:
        names = PdfFileReader(io.BytesIO(pdf)).root["/Names"]["/EmbeddedFiles"]["/Names"]
        files = {str(names[at]): names[at + 1] for at in range(0, len(names), 2)}
        return bytes(files[name]["/EF"]["/F"].data)
    except (PdfError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise BadPacket("the PDF", f"it has no {name} attached that can be read: {error}") from error


def _at(stored: bytes, template: bytes, value: bytes) -> bytes:
    """Return what is in the place that a value has in the template."""
    place = template.index(value)
    return stored[place : place + len(value)]


# --------------------------------------------------------------------------------------------------------- CMS, X.509


def _name(signature: Signature) -> Any:
    from asn1crypto import x509

    return x509.Name.build({"common_name": f"Discard Rack log key {signature.key_id}"})


def _serial(signature: Signature) -> int:
    """Return the certificate's number: from the key, and always of 16 bytes."""
    return int.from_bytes(b"\x40" + sha256(signature.public).digest()[:15], "big")


def _to_be_certified(signature: Signature) -> Any:
    """Return what the key signs of its own certificate: its name and that it signs; it does not expire (RFC 5280, 4.1.2.5)."""
    from asn1crypto import x509

    extensions = [
        {"extn_id": "key_usage", "critical": True, "extn_value": {"digital_signature", "non_repudiation"}},
        {"extn_id": "key_identifier", "critical": False, "extn_value": sha256(signature.public).digest()[:20]},
    ]
    return x509.TbsCertificate(
        {
            "version": "v3",
            "serial_number": _serial(signature),
            "signature": {"algorithm": "ed25519"},
            "issuer": _name(signature),
            "validity": {
                "not_before": x509.Time("utc_time", datetime(2020, 1, 1, tzinfo=UTC)),
                "not_after": x509.Time("general_time", datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
            },
            "subject": _name(signature),
            "subject_public_key_info": {"algorithm": {"algorithm": "ed25519"}, "public_key": signature.public},
            "extensions": extensions,
        }
    )


def _certificate(signature: Signature) -> Any:
    from asn1crypto import x509

    return x509.Certificate(
        {
            "tbs_certificate": _to_be_certified(signature),
            "signature_algorithm": {"algorithm": "ed25519"},
            "signature_value": signature.of_certificate,
        }
    )


def _attributes(signature: Signature, digest: bytes) -> Any:
    """Return what the key signs of the document: its digest, and which certificate is meant (RFC 5035)."""
    from asn1crypto import cms, tsp

    certificate = tsp.ESSCertIDv2(
        {
            "hash_algorithm": {"algorithm": HASH},
            "cert_hash": sha512(_certificate(signature).dump()).digest(),
        }
    )
    return cms.CMSAttributes(
        [
            cms.CMSAttribute({"type": "content_type", "values": ["data"]}),
            cms.CMSAttribute({"type": "message_digest", "values": [digest]}),
            cms.CMSAttribute(
                {"type": "signing_certificate_v2", "values": [tsp.SigningCertificateV2({"certs": [certificate]})]}
            ),
        ]
    )


def _cms(signature: Signature, digest: bytes) -> bytes:
    from asn1crypto import cms

    signer = {
        "version": "v1",
        "sid": cms.SignerIdentifier(
            "issuer_and_serial_number", {"issuer": _name(signature), "serial_number": _serial(signature)}
        ),
        "digest_algorithm": {"algorithm": HASH},
        "signed_attrs": _attributes(signature, digest),
        "signature_algorithm": {"algorithm": "ed25519"},
        "signature": signature.of_document,
    }
    signed = {
        "version": "v1",
        "digest_algorithms": [{"algorithm": HASH}],
        "encap_content_info": {"content_type": "data"},
        "certificates": [_certificate(signature)],
        "signer_infos": [signer],
    }
    return bytes(cms.ContentInfo({"content_type": "signed_data", "content": cms.SignedData(signed)}).dump())
