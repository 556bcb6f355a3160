"""The Kafka client's sign-in options from variables `RACK_KAFKA_…` of an environment or a user's file."""

from collections.abc import Mapping

_SECURITY = {
    "RACK_KAFKA_PROTOCOL": "security_protocol",
    "RACK_KAFKA_CA": "ssl_cafile",
    "RACK_KAFKA_CERTIFICATE": "ssl_certfile",
    "RACK_KAFKA_KEY": "ssl_keyfile",
    "RACK_KAFKA_MECHANISM": "sasl_mechanism",
    "RACK_KAFKA_USERNAME": "sasl_plain_username",
    "RACK_KAFKA_PASSWORD": "sasl_plain_password",
}


def security(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the client's options from variables.

    >>> security({"RACK_KAFKA_PROTOCOL": "SSL", "RACK_KAFKA_CA": "/etc/ca.pem"})
    {'security_protocol': 'SSL', 'ssl_cafile': '/etc/ca.pem'}
    """
    return {option: variables[name] for name, option in _SECURITY.items() if variables.get(name)}
