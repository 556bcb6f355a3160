"""The gateway: devices hand events in over HTTP, or through a topic on Kafka, and hear what became of each."""
