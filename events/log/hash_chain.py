"""The hash chain of a stream: h0 = SHA-256("rack/genesis/v1" 0 log "/" …), hn = SHA-256("rack/chain/v1" 0 hn-1 bytesn)."""

from hashlib import sha256

GENESIS_TAG = b"rack/genesis/v1\0"
CHAIN_TAG = b"rack/chain/v1\0"


def genesis(log_id: str, property_id: str, stream: str) -> bytes:
    """Return h0 of a stream: 32 bytes over the log's id (as text), the property and the stream's name."""
    return sha256(GENESIS_TAG + log_id.encode() + property_id.encode() + b"/" + stream.encode()).digest()


def link(previous: bytes, data: bytes) -> bytes:
    """Return hn from hn-1 and the canonical bytes of event n."""
    return sha256(CHAIN_TAG + previous + data).digest()
