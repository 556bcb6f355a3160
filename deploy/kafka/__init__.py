"""A real Apache Kafka broker on this machine, for development and tests: `python -m deploy.kafka.broker start`."""
