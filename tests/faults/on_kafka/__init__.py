"""The rows of the fault table that need Kafka: one broker, three nodes, foreign records, results on topics."""
