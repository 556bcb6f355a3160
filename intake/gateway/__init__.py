"""The gateway: devices hand events in over HTTP, or through a topic on Kafka, and get an answer for each."""
